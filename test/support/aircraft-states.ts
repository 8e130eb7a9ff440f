// Arbitrary aircraft states for property tests.
import fc from 'fast-check';
import type { Annotation } from '../../pipeline/aircraft/plain.ts';
import { type AircraftField, stateFields } from '../../schemas/aircraft-fields.ts';
import { type AircraftState, fieldNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { NOW_MS } from './full-state.ts';

const integer = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });
const optional = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
const hexDigits = integer(0, 0xff_ffff).map((address) => address.toString(16).padStart(6, '0'));
const ageMs = fc.oneof(integer(-2000, 90_000), integer(0, 14 * 86_400_000), fc.constant(0));
const mask = fc.oneof(fc.constant(0), integer(0, 2 ** fieldNames.length - 1), fc.constant(2 ** fieldNames.length - 1));
const int32 = fc.oneof(integer(-50_000, 50_000), integer(-0x7fff_ffff, 0x7fff_ffff));

const known = {
  hex: fc.oneof(
    hexDigits,
    hexDigits.map((digits) => `~${digits}`),
  ),
  tickMs: fc.constant(NOW_MS),
  source: integer(0, sourceKinds.length - 1),
  seenMs: ageMs.map((age) => NOW_MS - age),
  messages: fc.oneof(integer(1, 3), integer(1, 0x7fff_ffff)),
  rssiDeciDbfs: integer(-495, 10),
  positionMs: optional(ageMs.map((age) => NOW_MS - age)),
  positionValid: fc.boolean(),
  latitudeMicrodeg: optional(integer(-90_000_000, 90_000_000)),
  longitudeMicrodeg: optional(integer(-180_000_000, 180_000_000)),
  nic: optional(integer(0, 11)),
  rcM: optional(integer(0, 37_040)),
  gpsOkMs: optional(integer(0, 900_000).map((age) => NOW_MS - age)),
  gpsOkLatitudeMicrodeg: optional(integer(-90_000_000, 90_000_000)),
  gpsOkLongitudeMicrodeg: optional(integer(-180_000_000, 180_000_000)),
  flight: optional(
    fc.oneof(
      fc.stringMatching(/^[A-Z0-9]{3,8}$/).map((flight) => flight.padEnd(8)),
      fc
        .string({ unit: 'binary', maxLength: 8 })
        // A lone surrogate has no UTF-8 form.
        .map((flight) => Buffer.from(flight.slice(0, 8)).toString().slice(0, 8))
        .filter((flight) => flight !== ''),
      fc.constantFrom('"\\"\\"\\"\\', '\u0000\u0001\n\r\t\u001f\u007f"', '\ufffdAB'),
    ),
  ),
  category: optional(fc.tuple(fc.constantFrom(...'ABCD'), integer(0, 7)).map(([character, digit]) => `${character}${digit}`)),
  squawk: optional(fc.stringMatching(/^[0-7]{4}$/)),
  acasRa: fc.option(
    fc.record({
      timeMs: ageMs.map((age) => NOW_MS - age),
      df: fc.constantFrom(16, 17, 18, 20, 21),
      bytes: fc.stringMatching(/^[0-9A-F]{14}$/),
      advisory: fc.string({ unit: 'binary', maxLength: 20 }),
      complement: fc.constantFrom('', 'Do not pass below; Do not turn left'),
      threatHex: optional(hexDigits),
      threatAltitudeFt: optional(integer(-1200, 126_700)),
      threatRangeDeciNm: optional(integer(0, 126)),
      threatBearingDeg: optional(integer(3, 357)),
    }),
    { nil: null, freq: 10 },
  ),
  mlatFields: mask,
  tisbFields: mask,
};
/** Any value that a field of the table may have. */
function arbitraryOf({ type, names, bits, isFlag, decimals, unit, range }: AircraftField): fc.Arbitrary<unknown> {
  if (type === 'boolean') return fc.boolean();
  if (isFlag === true) return integer(0, 1);
  if (names !== undefined) return integer(0, names.length - 1);
  if (bits !== undefined) return integer(0, 2 ** bits.length - 1);
  const [least, greatest] = decimals === undefined && unit === undefined ? (range ?? []) : [];
  return typeof greatest === 'number' ? integer(least ?? 0, greatest) : int32;
}
const others = stateFields.filter(({ name }) => !(name in known)).map((field) => [field.name, optional(arbitraryOf(field))]);

export const aircraftStates = fc.record({ ...known, ...Object.fromEntries(others) }) as unknown as fc.Arbitrary<AircraftState>;

const word = fc.option(fc.string({ unit: 'binary', maxLength: 600 }), { nil: undefined });

/** Reference data and routes of aircraft, with any texts. */
export const annotations = fc.record({
  facts: fc.option(
    fc.record(
      { registration: word, typeDesignator: word, description: word, operator: word, year: word, dbFlags: fc.nat(15) },
      { requiredKeys: ['dbFlags'] },
    ),
  ),
  route: fc.option(fc.record({ originIata: word, destinationIata: word })),
}) as fc.Arbitrary<Annotation>;
