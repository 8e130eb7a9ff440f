// How a transport is opened: address, limits, and the secret of the HTTP port.
import type { ListenAddress } from '../../pipeline/runtime/listening.ts';
import type { limits } from '../../schemas/limits/index.ts';
import type { TransportEvents } from './transport.ts';

/** Limits of a transport. Tests of slow clients set smaller ones. */
export type TransportLimits = Readonly<Record<keyof typeof limits, number>>;

export interface TransportOptions extends ListenAddress {
  /** Sockets at a time; further openings get a 503 response. */
  readonly socketsMax: number;
  /** Secret of the HTTP port, which hands connections over and reports their addresses. Null without one. */
  readonly hop: string | null;
  readonly limits?: Partial<TransportLimits>;
}

/** Opens a transport; resolves when it listens. */
export type OpenTransport<T> = (options: TransportOptions, events: TransportEvents) => Promise<T>;
