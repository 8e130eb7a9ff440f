// How many files and sockets this process may open, and how many of them are for connections.
import { readFileSync } from 'node:fs';
import { limits } from '../../schemas/limits/index.ts';

/** Limit of open files of this process; node raises it to the hard limit at start. Null when the system does not report it. */
export function descriptorLimit(): number | null {
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? null : Number(limit);
  } catch {
    return null;
  }
}

/** Connections by kind. */
export interface ConnectionShares {
  readonly http: number;
  readonly feeders: number;
  /** Subscribers of the streams. */
  readonly push: number;
  readonly grpc: number;
}

/**
 * Connections that fit under a limit of descriptors, after those of the log, files and threads: as many as wanted. If not all fit, gRPC has at most a
 * twelfth of the descriptors, because one connection carries many calls, subscribers a third, and feeders a third of what is left. A subscriber takes one
 * descriptor, and two if the HTTP port handed its connection over: that is one of its own connections.
 */
export function connectionShares({ http = 0, feeders = 0, ...wanted }: Partial<ConnectionShares>, limit: number | null): ConnectionShares {
  let left = limit ?? Number.POSITIVE_INFINITY;
  const room = (): number => Math.max(limits.connectionsMin, left - limits.descriptorsReserved);
  const shareOf = (count: number, all: number, part: number): number =>
    all <= room() ? count : Math.min(count, Math.floor(room() / part));
  const ofSubscribers = (count: number): number => count + Math.min(count, http);
  const others = http + feeders + ofSubscribers(wanted.push ?? 0);
  const grpc = shareOf(wanted.grpc ?? 0, others + (wanted.grpc ?? 0), 12);
  left -= grpc;
  const push = shareOf(wanted.push ?? 0, others, 6);
  left -= ofSubscribers(push);
  const fed = Math.min(feeders, Math.max(Math.floor(room() / 3), room() - http));
  return { http: Math.min(http, room() - fed), feeders: fed, push, grpc };
}
