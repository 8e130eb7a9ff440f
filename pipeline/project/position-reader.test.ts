// Rows of positions as numbers, against the codec's objects.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { avroSchemas } from '../../schemas/avro/index.ts';
import type { PositionBatch } from '../../schemas/avro/position-batch.ts';
import { avroType } from '../log/avro.ts';
import type { TopicCodec } from '../log/codec.ts';
import { hexKey } from '../view/hex-key.ts';
import { ABSENT_NUMBER, POSITION_STRIDE, type PositionNumber, PositionReader, positionNumbers } from './position-reader.ts';

const type = avroType(avroSchemas.PositionBatch);
/** Reads bodies without a head: in place, or only as objects. */
const codec = (start: number) =>
  ({ bodyStart: () => start, decode: (bytes: Uint8Array) => type.fromBuffer(Buffer.from(bytes)) }) as Pick<
    TopicCodec<PositionBatch>,
    'bodyStart' | 'decode'
  > as TopicCodec<PositionBatch>;

const int = fc.oneof(fc.integer(), fc.constantFrom(-0x8000_0000, 0x7fff_ffff));
const long = fc.oneof(fc.integer({ min: 0, max: 2 ** 51 }), fc.constantFrom(0, 2 ** 51));
const optionalInt = fc.option(int, { nil: null });
const hex = fc
  .tuple(fc.boolean(), fc.integer({ min: 0, max: 0xff_ffff }))
  .map(([plain, n]) => (plain ? '' : '~') + n.toString(16).padStart(6, '0'));
const row = fc.record({
  ...{ hex, timeUs: long, latitudeMicrodeg: int, longitudeMicrodeg: int, onGround: fc.boolean() },
  ...{ altitudeBaroFt: optionalInt, altitudeGeomFt: optionalInt, groundSpeedDeciKt: optionalInt },
  ...{ trackCentideg: optionalInt, baroRateFpm: optionalInt, source: int, nic: int, rcM: int, frameOffset: long, frameIndex: int },
  ...{ callsign: fc.option(fc.string({ unit: 'grapheme', maxLength: 9 }), { nil: null }), squawk: optionalInt, rssiDeciDbfs: optionalInt },
});
const batch: fc.Arbitrary<PositionBatch> = fc.record({ tickMs: long, rows: fc.array(row, { maxLength: 40 }) });

const rowsOf = (reader: PositionReader, rows: number) =>
  Array.from({ length: rows }, (_, i) => {
    const numbers = reader.numbers.subarray(i * POSITION_STRIDE, (i + 1) * POSITION_STRIDE);
    const of = (name: PositionNumber): number => numbers[positionNumbers.indexOf(name)]!;
    const [start, length] = [of('callsign'), of('callsignLength')];
    const callsign = length === ABSENT_NUMBER ? null : Buffer.from(reader.texts.subarray(start, start + length)).toString();
    return [...positionNumbers.filter((name) => !name.startsWith('callsign')).map(of), callsign];
  });

it('reads what the codec decodes, in place and by objects', () => {
  const direct = new PositionReader(codec(0));
  const byObjects = new PositionReader(codec(-1));
  fc.assert(
    fc.property(batch, (value) => {
      const bytes = type.toBuffer(value);
      const expected = value.rows.map(({ callsign, ...r }) => [
        ...Object.entries({ ...r }).map(([name, own]) => (name === 'hex' ? hexKey(r.hex) : Number(own ?? ABSENT_NUMBER))),
        callsign,
      ]);
      for (const reader of [direct, byObjects]) expect(rowsOf(reader, reader.read(bytes))).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('refuses values that are cut short', () => {
  const reader = new PositionReader(codec(0));
  fc.assert(
    fc.property(
      batch.filter(({ rows }) => rows.length > 0),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      (value, share) => {
        const bytes = type.toBuffer(value);
        expect(() => reader.read(bytes.subarray(0, Math.floor(share * bytes.length)))).toThrow();
      },
    ),
    { numRuns: 100 },
  );
});
