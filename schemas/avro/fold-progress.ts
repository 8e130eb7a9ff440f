// Value of `adsb.progress.v1`: progress of the fold of one partition, one record per partition and tick, after that tick's states.
// Shows readers of the aircraft topic that a tick is complete, even if no aircraft changed in it.
import { type AvroValue, optional, record, required } from './value.ts';

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

const coverageSchema = record('ReceiverReach', [
  required('receiver', 'int', "32-bit FNV-1a of the receiver's id"),
  required('latitudeDecideg', 'int', 'middle of the positions that it gave'),
  required('longitudeDecideg', 'int', '-1800 to 1800'),
  required('spreadNm', 'int', 'root of the mean square of their distances from the middle'),
  required('samples', 'int', 'positions that it was measured by, at most one a second'),
]);

export const foldProgressSchema = {
  type: 'record',
  name: 'FoldProgress',
  namespace: 'squitter.v1',
  doc: 'The completed tick of a partition. Counts are since the log began.',
  fields: [
    required('partition', 'int'),
    required('tickMs', 'long', 'ms since the Unix epoch'),
    required('frameOffset', 'long', 'offset of the frames record in which the tick closed'),
    required('frames', 'long', 'frames read'),
    required('messages', 'long', "frames that changed an aircraft's state"),
    required('positions', 'long', 'positions written'),
    required('positionsDropped', 'long', 'no room among those waiting for their tick'),
    required('aircraft', 'int', 'aircraft in memory at the tick'),
    required('rejected', { type: 'array', items: 'long' }, `counts of ${rejectReasons.join(', ')}`),
    optional(
      'reaches',
      { type: 'array', items: coverageSchema },
      'coverage of receivers that gave positions in the last 10 minutes; written every 10 s of event time',
    ),
    { name: 'foldVersion', type: 'int', default: 1, doc: "version of the fold's rules that gave this tick" },
  ],
} as const;

/** Receiver coverage in one partition: the mean of the positions that a receiver gave recently, and their spread. */
export type CoverageRow = AvroValue<typeof coverageSchema>;
export type FoldProgress = AvroValue<typeof foldProgressSchema>;
