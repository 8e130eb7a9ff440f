// Compares what the columns write with what avsc writes for the same rows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import { ABSENT } from '../decode/message.ts';
import { avroType } from '../log/avro.ts';
import { PositionRows } from './position-rows.ts';

const int = fc.integer({ min: -0x7fff_ffff, max: 0x7fff_ffff });
const optionalInt = fc.option(int, { nil: ABSENT });
const long = fc
  .oneof(
    fc.maxSafeNat().map((n) => n / 4),
    fc.constantFrom(0, 63, 64, 0x7ff_ffff, 0x800_0000, 2 ** 31, 2 ** 51),
  )
  .map(Math.floor);
const key = fc.integer({ min: 0, max: 0x1ff_ffff });
/** Two words of four characters, or both absent. */
const callSign = fc.oneof(
  fc.constant([ABSENT, ABSENT]),
  fc.array(fc.constantFrom(...' A0Z'), { minLength: 8, maxLength: 8 }).map((characters) => {
    const bytes = Buffer.from(characters.join(''));
    return [bytes.readInt32LE(0), bytes.readInt32LE(4)];
  }),
);
const levels = fc.tuple(fc.nat(0x7fff_ffff), fc.nat(0x7fff_ffff));
/** Ground, kind, NIC and the number of levels, a byte each. */
const packed = fc.tuple(fc.constantFrom(0, 1), fc.nat(10), fc.nat(11), fc.nat(8)).map((bytes) => Buffer.from(bytes).readInt32BE(0));
const words = fc
  .tuple(
    fc.tuple(key, int, int, ...Array.from({ length: 5 }, () => optionalInt), int, int, packed),
    callSign,
    fc.tuple(optionalInt),
    levels,
  )
  .map((parts) => parts.flat());
const row = fc.record({ longs: fc.tuple(long, long), words });

describe('position rows', () => {
  test('are written as avsc writes them', () => {
    const type = avroType(positionBatchSchema);
    const writer = new AvroWriter();
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), long, fc.nat(40), (parts, tickMs, cut) => {
        const rows = PositionRows.fromNumbers(
          parts.flatMap(({ longs }) => longs),
          parts.flatMap(({ words }) => words),
        );
        expect(rows.count).toBe(parts.length);
        const from = Math.min(cut, rows.count);
        writer.reset();
        rows.write(writer, tickMs, from, rows.count);
        const expected = type.toBuffer({ tickMs, rows: rows.build().slice(from) });
        expect(writer.bytes.subarray(0, writer.length).equals(expected)).toBe(true);
      }),
    );
  });

  test('have the mean of the levels that count: four at least, and no older ones behind them', () => {
    const level = (count: number) => {
      const words = [...Array.from({ length: 10 }, () => 0), count, ABSENT, ABSENT, ABSENT, 0x8080_8080 | 0, 0xff80_8080 | 0];
      return PositionRows.fromNumbers([0, 0], words).build()[0]!.rssiDeciDbfs;
    };
    expect([3, 4, 7, 8].map(level)).toEqual([null, -90, -66, -46]);
  });
});
