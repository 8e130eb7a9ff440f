// Rows as the schema's codec reads what the columns write.
import { expect, test } from 'vitest';
import { type PositionBatch, type PositionRow, positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import { ABSENT } from '../decode/message.ts';
import { avroType } from '../log/avro.ts';
import { PositionRows } from './position-rows.ts';

/** Written rows from one on, read again. `words` are those of one row. */
function written(words: readonly (readonly number[])[], from = 0): PositionRow[] {
  const longs = words.flatMap((_, i) => [1_700_000_000_000_001 + i, 2 ** 40 + i]);
  const rows = PositionRows.fromNumbers(longs, words.flat());
  const writer = new AvroWriter();
  rows.write(writer, 5000, from, rows.count);
  const { tickMs, rows: read } = avroType(positionBatchSchema).fromBuffer(writer.bytes.subarray(0, writer.length)) as PositionBatch;
  expect(tickMs).toBe(5000);
  return read.map((row) => ({ ...row }));
}

const DLH = Buffer.from(' DLH12  ');
const level = (count: number) => [...Array.from({ length: 10 }, () => 0), count, ABSENT, ABSENT, ABSENT, 0x8080_8080 | 0, 0xff80_8080 | 0];

test('every value is in its field, and absent ones are null', () => {
  const packed = (1 << 24) | (3 << 16) | (8 << 8) | 8;
  const full = [0x3c6586, 52e6, -4e6, -75, 300, 1234, 35_999, -640, 186, 7, packed, DLH.readInt32LE(0), DLH.readInt32LE(4), 7700, -1, -1];
  const bare = [0x13c6586, -52e6, 4e6, ABSENT, ABSENT, ABSENT, ABSENT, ABSENT, 0, 0x7fff_ffff, 0, ABSENT, ABSENT, ABSENT, 0, 0];
  expect(written([full, bare])).toEqual([
    {
      ...{ hex: '3c6586', timeUs: 1_700_000_000_000_001, latitudeMicrodeg: 52e6, longitudeMicrodeg: -4e6, onGround: true },
      ...{ altitudeBaroFt: -75, altitudeGeomFt: 300, groundSpeedDeciKt: 1234, trackCentideg: 35_999, baroRateFpm: -640 },
      ...{ source: 3, nic: 8, rcM: 186, frameOffset: 2 ** 40, frameIndex: 7, callsign: 'DLH12', squawk: 7700, rssiDeciDbfs: 0 },
    },
    {
      ...{ hex: '~3c6586', timeUs: 1_700_000_000_000_002, latitudeMicrodeg: -52e6, longitudeMicrodeg: 4e6, onGround: false },
      ...{ altitudeBaroFt: null, altitudeGeomFt: null, groundSpeedDeciKt: null, trackCentideg: null, baroRateFpm: null },
      ...{ source: 0, nic: 0, rcM: 0, frameOffset: 2 ** 40 + 1, frameIndex: 0x7fff_ffff, callsign: null, squawk: null, rssiDeciDbfs: null },
    },
  ]);
  expect(written([full, bare], 1)).toEqual(written([full, bare]).slice(1));
  expect(written([])).toEqual([]);
});

test('the signal level is the mean of the levels that count: four at least, and no older ones behind them', () => {
  expect(written([3, 4, 7, 8].map(level)).map(({ rssiDeciDbfs }) => rssiDeciDbfs)).toEqual([null, -90, -66, -46]);
});
