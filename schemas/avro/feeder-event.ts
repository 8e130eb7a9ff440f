// Value of `adsb.feeders.v1`: the latest event of one feeder, key = feeder id; and the latest status of one ingest, key = `ingest/` and its instance.

/** Kind of event. `status` is repeated every 30 s while a feeder is connected. */
export const feederEventKinds = ['seen', 'status', 'gone', 'claimed', 'key_issued', 'key_revoked'] as const;
export type FeederEventKind = (typeof feederEventKinds)[number];

/** Status of an ingest. Distinguishes an ingest without feeders from one whose feeders hear nothing. */
export interface IngestState {
  /** Feeders connected; simulated traffic and a recording while it plays count as one each. */
  feeders: number;
  /** How long there has been none; 0 while there is one. */
  withoutFeederMs: number;
  /** Event time minus the wall clock of the ingest. */
  aheadMs: number;
}

export interface FeederEvent {
  feeder: string;
  event: FeederEventKind;
  timeMs: number;
  /** Network address the feeder connected from. */
  address: string | null;
  /** `beast` or `avr`. */
  format: string | null;
  /** Frames since the connection began. */
  frames: number;
  /** Bytes since the connection began. */
  bytes: number;
  /** Bytes without a frame since the connection began. */
  garbageBytes: number;
  /** Null in events of feeders. */
  ingest: IngestState | null;
}

/** Begins the keys of ingests. */
export const INGEST_KEY = 'ingest/';

export const feederEventSchema = {
  type: 'record',
  name: 'FeederEvent',
  namespace: 'squitter.v1',
  fields: [
    { name: 'feeder', type: 'string', doc: 'receiver UUID, or one derived from the address where the feeder sends none' },
    { name: 'event', type: { type: 'enum', name: 'FeederEventKind', symbols: feederEventKinds } },
    { name: 'timeMs', type: 'long' },
    { name: 'address', type: ['null', 'string'], default: null },
    { name: 'format', type: ['null', 'string'], default: null },
    { name: 'frames', type: 'long', default: 0 },
    { name: 'bytes', type: 'long', default: 0 },
    { name: 'garbageBytes', type: 'long', default: 0 },
    {
      name: 'ingest',
      type: [
        'null',
        {
          type: 'record',
          name: 'IngestState',
          fields: [
            { name: 'feeders', type: 'int', doc: 'feeders connected; simulated traffic and a recording while it plays count as one each' },
            { name: 'withoutFeederMs', type: 'long', doc: 'since how long there is none; 0 while there is one' },
            { name: 'aheadMs', type: 'long', doc: 'event time less the wall clock of the ingest' },
          ],
        },
      ],
      default: null,
      doc: 'of the status of an ingest, every 10 s under a key of its own; null in events of feeders',
    },
  ],
} as const;
