// Value of `adsb.frames.v1`: up to 64 KB of received frames of one partition. A batch without frames is a heartbeat: it advances event time.
import { type AvroValue, required } from './value.ts';

export const frameBatchSchema = {
  type: 'record',
  name: 'FrameBatch',
  namespace: 'squitter.v1',
  doc: 'Frames received by one ingest, in order of arrival. count = 0 is a heartbeat.',
  fields: [
    required('baseTimeUs', 'long', 'event time that the frames count from, microseconds since the Unix epoch; that of a heartbeat'),
    required('receivers', { type: 'array', items: 'string' }, 'receiver ids that packed frames refer to by index'),
    required('count', 'int', 'number of packed frames'),
    required(
      'frames',
      'bytes',
      '28 bytes each, little-endian: u32 time since baseTimeUs in us, u48 12 MHz counter, u8 signal, u8 flags (1 long, 2 mlat, 4+8 repaired bits), u16 receiver index, 14 bytes frame',
    ),
  ],
} as const;

export type FrameBatch = AvroValue<typeof frameBatchSchema>;
