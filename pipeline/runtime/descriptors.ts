// How many files and sockets this process may open, and how many of them are for connections.
import { readFileSync } from 'node:fs';
import { limits } from '../../schemas/limits.ts';

/** Limit of open files of this process; node raises it to the hard limit at start. Null when the system does not report it. */
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

/**
 * Subscribers that fit under a limit of descriptors beside other connections: as many as wanted, or with a third of the descriptors.
 * Each takes one, and two if the HTTP port handed its connection over: that is one of its own connections.
 */
export function subscriberShare(wanted: number, others: ConnectionShares, limit: number | null): number {
  const room = roomUnder(limit);
  const all = others.http + others.feeders + subscriberDescriptors(wanted, others);
  return all <= room ? wanted : Math.min(wanted, Math.floor(room / 6));
}

/** gRPC connections that fit under a limit of descriptors: as many as wanted, or a twelfth of the descriptors. One connection carries many calls. */
export function grpcShare(wanted: ConnectionShares & { readonly push: number; readonly grpc: number }, limit: number | null): number {
  const room = roomUnder(limit);
  const all = wanted.http + wanted.feeders + subscriberDescriptors(wanted.push, wanted) + wanted.grpc;
  return all <= room ? wanted.grpc : Math.min(wanted.grpc, Math.floor(room / 12));
}

/** Descriptors of so many subscribers, at most, besides those of HTTP connections. */
export function subscriberDescriptors(subscribers: number, { http }: ConnectionShares): number {
  return subscribers + Math.min(subscribers, http);
}

/**
 * Connections that fit under a limit of descriptors, after those of the log, files and threads: as many as wanted, or a third for feeders.
 */
export function connectionShares(wanted: ConnectionShares, limit: number | null): ConnectionShares {
  const room = roomUnder(limit);
  if (wanted.http + wanted.feeders <= room) return wanted;
  const feeders = Math.min(wanted.feeders, Math.max(Math.floor(room / 3), room - wanted.http));
  return { http: Math.min(wanted.http, room - feeders), feeders };
}

/** Descriptors for connections, after those of the log, files and threads. */
function roomUnder(limit: number | null): number {
  return Math.max(limits.connectionsMin, (limit ?? Number.POSITIVE_INFINITY) - limits.descriptorsReserved);
}
