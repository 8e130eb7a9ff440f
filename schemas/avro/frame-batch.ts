// Value of `adsb.frames.v1`: up to 64 KB of received frames of one partition. A batch without frames is a heartbeat: it advances event time.

export interface FrameBatch {
  /** Zero of the packed frames' times, µs since the Unix epoch. In a heartbeat: its event time. */
  baseTimeUs: number;
  /** Receiver ids; a packed frame names its receiver by index into this table. */
  receivers: string[];
  count: number;
  /** `count` packed frames of 28 bytes each: `schemas/packed-frame.ts`. */
  frames: Uint8Array;
}

export const frameBatchSchema = {
  type: 'record',
  name: 'FrameBatch',
  namespace: 'squitter.v1',
  doc: 'Frames received by one ingest, in order of arrival. count = 0 is a heartbeat.',
  fields: [
    { name: 'baseTimeUs', type: 'long', doc: 'event time that the frames count from, microseconds since the Unix epoch' },
    { name: 'receivers', type: { type: 'array', items: 'string' }, doc: 'receiver ids that packed frames refer to by index' },
    { name: 'count', type: 'int', doc: 'number of packed frames' },
    {
      name: 'frames',
      type: 'bytes',
      doc: '28 bytes each, little-endian: u32 time since baseTimeUs in us, u48 12 MHz counter, u8 signal, u8 flags (1 long, 2 mlat, 4+8 repaired bits), u16 receiver index, 14 bytes frame',
    },
  ],
} as const;
