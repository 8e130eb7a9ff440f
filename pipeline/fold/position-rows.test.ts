// Compares what the columns write with what avsc writes for the same rows.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { positionBatchSchema } from '../../schemas/avro/position-batch.ts';
import { AvroWriter } from '../avro/writer.ts';
import { ABSENT } from '../decode/message.ts';
import { avroType } from '../log/avro.ts';
import { PositionRows, ROW_NUMBERS } from './position-rows.ts';

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
const power = fc.oneof(fc.constant(0), fc.integer({ min: 4, max: 8 * 255 * 255 }));
const row = fc
  .tuple(
    fc.tuple(key, long, int, int, fc.constantFrom(0, 1), ...Array.from({ length: 5 }, () => optionalInt), int, int, int, long, int),
    callSign,
    fc.tuple(optionalInt, power),
  )
  .map((parts) => parts.flat());

describe('position rows', () => {
  test('are written as avsc writes them', () => {
    const type = avroType(positionBatchSchema);
    const writer = new AvroWriter();
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), long, fc.nat(40), (numbers, tickMs, cut) => {
        const rows = new PositionRows();
        rows.numbers = Float64Array.from(numbers.flat());
        rows.count = rows.numbers.length / ROW_NUMBERS;
        const from = Math.min(cut, rows.count);
        writer.reset();
        rows.write(writer, tickMs, from, rows.count);
        const expected = type.toBuffer({ tickMs, rows: rows.build().slice(from) });
        expect(writer.bytes.subarray(0, writer.length).equals(expected)).toBe(true);
      }),
    );
  });
});
