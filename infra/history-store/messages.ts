// Messages between the service and its history store, a child process.
import type { Access, StoreCounts } from './protocol.ts';

/** The first message to the child. */
export interface StoreStart extends Access {
  /** Data of the engine. */
  readonly folder: string;
  /** 0 for any. */
  readonly port: number;
  readonly readers: number;
  readonly memoryBytesMax: number;
  /** Free disk space below which inserts are refused; null for the default. */
  readonly diskReserveBytes: number | null;
}

export interface StoreStats extends StoreCounts {
  readonly reading: number;
  readonly writing: number;
  readonly waiting: number;
  readonly memoryBytes: number;
  /** Why inserts are refused. */
  readonly refusal: string | null;
}

export type ToStore = { readonly type: 'start'; readonly start: StoreStart } | { readonly type: 'stop' };

/** `descriptors`: `detail` is the limit of open files. */
export type FailedStart = 'unavailable' | 'descriptors' | 'other';

export type FromStore =
  | { readonly type: 'ready'; readonly port: number; readonly version: string }
  | { readonly type: 'stats'; readonly stats: StoreStats }
  | { readonly type: 'failed'; readonly reason: FailedStart; readonly detail: string };
