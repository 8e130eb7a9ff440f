// Value of `adsb.feeders.v1`: the latest event of one feeder, key = feeder id.

/** What happened. `status` is repeated every 30 s while a feeder is connected. */
export const feederEventKinds = ['seen', 'status', 'gone', 'claimed', 'key_issued', 'key_revoked'] as const;
export type FeederEventKind = (typeof feederEventKinds)[number];

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
}

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
  ],
} as const;
