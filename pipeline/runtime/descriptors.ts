// How many files and sockets this process may have open, and how many of them connections get.
import { readFileSync } from 'node:fs';
import { limits } from '../../schemas/limits.ts';

/** The limit of open files that holds for this process: node raises it to the hard limit when it starts. Null where the system does not tell it. */
export function descriptorLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

export interface ConnectionShares {
  readonly http: number;
  readonly feeders: number;
}

/** Connections that fit under a limit of descriptors, beside what the log, files and threads need: as many as wanted, or a third for feeders. */
export function connectionShares(wanted: ConnectionShares, limit: number | null): ConnectionShares {
  const room = Math.max(limits.connectionsMin, (limit ?? Number.POSITIVE_INFINITY) - limits.descriptorsReserved);
  if (wanted.http + wanted.feeders <= room) return wanted;
  const feeders = Math.min(wanted.feeders, Math.max(Math.floor(room / 3), room - wanted.http));
  return { http: Math.min(wanted.http, room - feeders), feeders };
}
