// Value of `adsb.progress.v1`: how far the fold of one partition has come, one record per partition and tick, after that tick's states.
// Readers of the aircraft topic learn from it that a tick is whole, also when no aircraft changed in it.

/** Reasons for which a frame does not take effect; `FoldProgress.rejected` counts them in this order. */
export const rejectReasons = [
  'df_unsupported',
  'parity',
  'address_unknown',
  'address_zero',
  'bits_repaired',
  'malformed',
  'duplicate',
  'aircraft_limit',
  'position_implausible',
  'position_repeated',
  'no_aircraft',
] as const;
export type RejectReason = (typeof rejectReasons)[number];

export interface FoldProgress {
  partition: number;
  /** The tick that is now whole, ms since the Unix epoch. */
  tickMs: number;
  /** Offset of the frames record that the tick was closed in. */
  frameOffset: number;
  /** Frames read since the log began. */
  frames: number;
  /** Frames that took effect on an aircraft since the log began. */
  messages: number;
  /** Positions written since the log began. */
  positions: number;
  /** Positions that found no room among those waiting for their tick, since the log began (`limits.positionRowsPendingMax`). */
  positionsDropped: number;
  /** Aircraft in memory at the tick. */
  aircraft: number;
  /** Frames without effect since the log began, by reason, in the order of `rejectReasons`. */
  rejected: number[];
}

export const foldProgressSchema = {
  type: 'record',
  name: 'FoldProgress',
  namespace: 'squitter.v1',
  fields: [
    { name: 'partition', type: 'int' },
    { name: 'tickMs', type: 'long' },
    { name: 'frameOffset', type: 'long' },
    { name: 'frames', type: 'long' },
    { name: 'messages', type: 'long' },
    { name: 'positions', type: 'long' },
    { name: 'positionsDropped', type: 'long', doc: 'no room among those waiting for their tick' },
    { name: 'aircraft', type: 'int' },
    { name: 'rejected', type: { type: 'array', items: 'long' }, doc: `counts of ${rejectReasons.join(', ')}` },
  ],
} as const;
