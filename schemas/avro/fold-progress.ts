// Value of `adsb.progress.v1`: progress of the fold of one partition, one record per partition and tick, after that tick's states.
// Shows readers of the aircraft topic that a tick is complete, even if no aircraft changed in it.

/** Reasons for rejected frames; `FoldProgress.rejected` counts them in this order. */
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

/** Receiver coverage in one partition: the mean of the positions that a receiver gave recently, and their spread. */
export interface CoverageRow {
  /** Stands for the receiver's id, the same in all partitions: 32 bits, signed. */
  receiver: number;
  latitudeDecideg: number;
  /** −1800 to 1800. */
  longitudeDecideg: number;
  /** Root of the mean square of the distances from the mean. */
  spreadNm: number;
  /** Number of measured positions, at most one a second. */
  samples: number;
}

export interface FoldProgress {
  partition: number;
  /** The completed tick, ms since the Unix epoch. */
  tickMs: number;
  /** Offset of the frames record in which the tick closed. */
  frameOffset: number;
  /** Frames read since the log began. */
  frames: number;
  /** Frames that changed an aircraft's state since the log began. */
  messages: number;
  /** Positions written since the log began. */
  positions: number;
  /** Positions without room among those waiting for their tick, since the log began (`limits.positionRowsPendingMax`). */
  positionsDropped: number;
  /** Aircraft in memory at the tick. */
  aircraft: number;
  /** Rejected frames since the log began, by reason, in the order of `rejectReasons`. */
  rejected: number[];
  /** Coverage of receivers with recent positions; written every 10 s of event time, null in all other records. */
  reaches: CoverageRow[] | null;
  /** Version of the fold's rules that wrote this tick (pipeline/fold/version.ts). */
  foldVersion: number;
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
    {
      name: 'reaches',
      type: [
        'null',
        {
          type: 'array',
          items: {
            type: 'record',
            name: 'ReceiverReach',
            fields: [
              { name: 'receiver', type: 'int', doc: "32-bit FNV-1a of the receiver's id" },
              { name: 'latitudeDecideg', type: 'int', doc: 'middle of the positions that it gave' },
              { name: 'longitudeDecideg', type: 'int' },
              { name: 'spreadNm', type: 'int', doc: 'root of the mean square of their distances from the middle' },
              { name: 'samples', type: 'int', doc: 'positions that it was measured by' },
            ],
          },
        },
      ],
      default: null,
      doc: 'of receivers that gave positions in the last 10 minutes; told every 10 s of event time',
    },
    { name: 'foldVersion', type: 'int', default: 1, doc: "version of the fold's rules that gave this tick" },
  ],
} as const;
