// What the main thread and its worker threads say to each other.

import type { ReceiverCounts } from '../../pipeline/fold/receivers.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { SquitterError } from '../../schemas/errors.ts';

/** Main → worker. */
export type ToThread = { readonly type: 'stop' };

/** Worker → main. */
export type FromThread<Stats> =
  | { readonly type: 'ready'; readonly info: Readonly<Record<string, string>> }
  | { readonly type: 'stats'; readonly stats: Stats }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly fields: Readonly<Record<string, unknown>>; readonly message: string }
  | { readonly type: 'stopped' }
  | { readonly type: 'failed'; readonly error: ThreadError };

/** An error that survives the way between threads. */
export interface ThreadError {
  readonly code: ErrorCode | null;
  readonly details: Readonly<Record<string, string | number>>;
  readonly text: string;
}

export function toThreadError(error: unknown): ThreadError {
  if (error instanceof SquitterError) return { code: error.code, details: { ...error.details }, text: error.message };
  return { code: null, details: {}, text: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

export function fromThreadError(worker: string, error: ThreadError): SquitterError {
  if (error.code !== null) return new SquitterError(error.code, error.details);
  return new SquitterError('worker.failed', { worker, detail: error.text });
}

export interface FoldThreadStats {
  readonly partitions: number;
  readonly commits: number;
  readonly snapshots: number;
  readonly unreadableSnapshots: number;
  readonly deadLetters: number;
  readonly replayedRecords: number;
  /** By partition: records not folded yet, and how far event time is behind the newest record, ms. */
  readonly lag: readonly { readonly partition: number; readonly records: number; readonly tickMs: number }[];
  /** Positions that found no room, since the log began. */
  readonly positionsDropped: number;
  /** What receivers gave since the log began. */
  readonly receivers: readonly ReceiverCounts[];
  /** Frames without effect since the log began, by reason. */
  readonly rejected: Readonly<Record<string, number>>;
  readonly heapBytes: number;
}

export interface IngestThreadStats {
  /** Counts by name since the start: frames, bytes, dropped, rejected by reason. */
  readonly counters: Readonly<Record<string, number>>;
  readonly connections: number;
  readonly backlogBytes: number;
  /** By feeder id: frames since it connected. */
  readonly feeders: Readonly<Record<string, number>>;
  readonly simulatedAircraft: number;
  readonly heapBytes: number;
}
