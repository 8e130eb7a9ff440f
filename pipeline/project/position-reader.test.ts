// Rows of positions as numbers, against the codec's objects.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ABSENT } from '../../schemas/absent.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import type { PositionBatch, PositionRow } from '../../schemas/avro/position-batch.ts';
import { type PositionName, positionFields } from '../../schemas/position-fields.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import { avroType } from '../log/avro.ts';
import { PositionReader } from './position-reader.ts';

const type = avroType(avroSchemas.PositionBatch);
/** Reads bodies without a head: in place, or only as objects. */
const codec = (start: number) => ({ bodyStart: () => start, decode: (bytes: Uint8Array) => type.fromBuffer(Buffer.from(bytes)) });

const int = fc.oneof(fc.integer(), fc.constantFrom(-0x8000_0000, 0x7fff_ffff));
const long = fc.oneof(fc.integer({ min: 0, max: 2 ** 51 }), fc.constantFrom(0, 2 ** 51));
const values = { int, long, boolean: fc.boolean(), string: fc.string({ unit: 'grapheme', maxLength: 9 }) };
const hex = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 0xff_ffff }))
  .map(([plain, n]) => (plain ? '' : '~') + n.toString(16).padStart(6, '0'));
const fields = positionFields.map((field) => {
  const value: fc.Arbitrary<unknown> = field.name === 'hex' ? hex : values[field.type];
  return [field.name, 'isOptional' in field ? fc.option(value, { nil: null }) : value] as const;
});
const row = fc.record(Object.fromEntries(fields)) as fc.Arbitrary<unknown> as fc.Arbitrary<PositionRow>;
const batch: fc.Arbitrary<PositionBatch> = fc.record({ tickMs: long, rows: fc.array(row, { maxLength: 40 }) });

const isText = (name: PositionName) => name === 'callsign';
const rowsOf = (reader: PositionReader, rows: number, names: readonly PositionName[]) =>
  Array.from({ length: rows }, (_, i) => {
    const numbers = reader.numbers.subarray(i * reader.stride, (i + 1) * reader.stride);
    return names.map((name) => {
      const at = reader.indexOf(name);
      if (!isText(name)) return numbers[at];
      const [start, length] = [numbers[at]!, numbers[at + 1]!];
      return length === ABSENT ? null : Buffer.from(reader.texts.subarray(start, start + length)).toString();
    });
  });

it('reads what the codec decodes, in place and by objects, all fields or some; refuses values that are cut short', () => {
  const all = positionFields.map(({ name }) => name);
  const some: readonly PositionName[] = ['timeUs', 'callsign', 'rssiDeciDbfs'];
  const readers = [0, -1].flatMap((start) => [all, some].map((names) => ({ names, reader: new PositionReader(codec(start), names) })));
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(batch, share, (value, cutAt) => {
      const bytes = type.toBuffer(value);
      for (const { names, reader } of readers) {
        const expected = value.rows.map((own) =>
          names.map((name) => (name === 'hex' ? hexKey(own.hex) : isText(name) ? own[name] : Number(own[name] ?? ABSENT))),
        );
        expect(rowsOf(reader, reader.read(bytes), names)).toEqual(expected);
      }
      if (value.rows.length > 0) expect(() => readers[0]!.reader.read(bytes.subarray(0, Math.floor(cutAt * bytes.length)))).toThrow();
    }),
    { numRuns: 300 },
  );
});
