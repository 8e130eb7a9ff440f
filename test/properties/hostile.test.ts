// Aircraft that send any content with valid parity. The fold accepts it all, and its states can still be stored: every value in
// its range, through Avro and back.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { avroType } from '../../pipeline/log/avro.ts';
import { identityCode13 } from '../../pipeline/simulate/encode/codes.ts';
import { encodeReply } from '../../pipeline/simulate/encode/reply.ts';
import { encodeAirbornePosition, encodeSurfacePosition } from '../../pipeline/simulate/encode/squitter.ts';
import { type StateRow, stateFields } from '../../schemas/aircraft-fields.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { FLAG_MLAT, FLAG_REPAIRED_SHIFT } from '../../schemas/packed-frame.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';
import { frameOf, replyOf, sealed, squitterOf, withAddress } from './frames.ts';
import { foldAll, heartbeat, START_US } from './traffic.ts';

const ADDRESSES = [0x3c_6586, 0xa0_0001, 0x00_0001, 0xff_ffff] as const;

/** Ranges that the field table does not have, from the fields on the air. The geometric altitude may come from two altitudes at the limits of their range. */
const RANGES: { readonly [Name in keyof AircraftState]?: readonly [least: number, greatest: number] } = {
  altitudeBaroFt: [-1200, 126_700],
  altitudeGeomFt: [-1200 - 127_900, 126_700 + 127_900],
  baroRateFpm: [-32_640, 32_640],
  geomRateFpm: [-32_640, 32_640],
  navQnhDeciHpa: [8000, 12_095],
  navAltitudeMcpFt: [-1000, 101_300],
  navAltitudeFmsFt: [-1000, 101_300],
  mlatFields: [0, 2 ** 32 - 1],
  tisbFields: [0, 2 ** 32 - 1],
};
/** Fields that the streams set often. A count of all fields depends on the seed. */
const REACHED: readonly (keyof AircraftState)[] = [
  ...(['positionMs', 'flight', 'squawk', 'emergency', 'altitudeBaroFt', 'altitudeGeomFt', 'groundSpeedDeciKt', 'trackCentideg'] as const),
  ...(['calcTrackDeg', 'magHeadingCentideg', 'baroRateFpm', 'geomRateFpm', 'navQnhDeciHpa', 'navAltitudeMcpFt', 'navModes'] as const),
  ...(['nicBaro', 'nacP', 'nacV', 'sil'] as const),
];
const PATTERNS: { readonly [Name in keyof AircraftState]?: RegExp } = {
  hex: /^~?[0-9a-f]{6}$/,
  flight: /^[\x20-\x7e]{8}$/,
  squawk: /^[0-7]{4}$/,
  category: /^[A-D][0-7]$/,
};

function rangeOf({ name, type, decimals, range, names, bits, isFlag }: StateRow): readonly (number | null)[] {
  if (RANGES[name as keyof AircraftState] !== undefined) return RANGES[name as keyof AircraftState]!;
  if (isFlag === true) return [0, 1];
  if (names !== undefined) return [0, names.length - 1];
  if (bits !== undefined) return [0, 2 ** bits.length - 1];
  // The range of a time is that of its age.
  return type === 'long' || range === undefined
    ? [null, null]
    : range.map((limit) => (limit === null ? null : limit * 10 ** (decimals ?? 0)));
}

function faultsOf(state: AircraftState): string[] {
  const faults: string[] = [];
  for (const field of stateFields) {
    const value = state[field.name as keyof AircraftState];
    const [least, greatest] = rangeOf(field);
    if (typeof value !== 'number' || (Number.isInteger(value) && value >= (least ?? value) && value <= (greatest ?? value))) continue;
    faults.push(`${field.name} ${value}`);
  }
  for (const [name, pattern] of Object.entries(PATTERNS)) {
    const value = state[name as keyof AircraftState] as string | null;
    if (value !== null && !pattern.test(value)) faults.push(`${name} ${JSON.stringify(value)}`);
  }
  const position = [state.positionMs, state.latitudeMicrodeg, state.longitudeMicrodeg, state.nic, state.rcM];
  if (position.some((value) => value === null) !== position.every((value) => value === null)) faults.push(`half a position ${position}`);
  if (state.positionValid && state.positionMs === null) faults.push('a valid position without a time');
  if (state.positionMs !== null && state.positionMs > state.seenMs) faults.push('a position after the last message');
  if (state.seenMs > state.tickMs) faults.push('seen in the future');
  return faults;
}

/** Any squitter with an evenly drawn type code: random bytes hardly contain the rare ones with a valid subtype. */
const squitter = (address: number): fc.Arbitrary<Uint8Array> =>
  fc.tuple(squitterOf(address), fc.nat(31)).map(([frame, typeCode]) => {
    frame[4] = (typeCode << 3) | (frame[4]! & 7);
    return sealed(frame, 0);
  });

/** A position on a short path, so that pairs resolve and positions become reliable. */
const position = (address: number): fc.Arbitrary<Uint8Array> =>
  fc
    .record({ step: fc.nat(200), odd: fc.boolean(), surface: fc.boolean(), typeCode: fc.integer({ min: 9, max: 22 }) })
    .map(({ step, odd, surface, typeCode }) => {
      const bytes = new Uint8Array(14);
      const header = { df: 17, capability: 5, address } as const;
      const coded = { odd, latDeg: 49.9 + step / 20_000, lonDeg: 8.1 + step / 20_000 };
      if (surface) {
        const fixed = { typeCode: 5 + (step % 4), trackValid: true, trackDeg: step, imf: 0 };
        encodeSurfacePosition(bytes, header, { ...fixed, ...coded, groundSpeedKt: step % 40 });
      } else {
        const fixed = { typeCode: typeCode === 19 ? 11 : typeCode, surveillanceStatus: step & 3, nicB: step & 1, gillham: false };
        encodeAirbornePosition(bytes, header, { ...fixed, ...coded, altitudeFt: 100 * step });
      }
      return bytes;
    });

/** Squawks count when they are repeated, which random ones hardly are. */
const identity = (address: number): fc.Arbitrary<Uint8Array> =>
  fc.constantFrom(7700, 1200).map((squawk) => {
    const bytes = new Uint8Array(7);
    encodeReply(bytes, 5, address, 0, identityCode13(squawk), null);
    return bytes;
  });

const anything = (address: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 6, arbitrary: squitter(address) },
    { weight: 6, arbitrary: position(address) },
    { weight: 3, arbitrary: replyOf(address) },
    { weight: 2, arbitrary: identity(address) },
    { weight: 1, arbitrary: frameOf([11]).map((frame) => sealed(withAddress(frame, address), frame[6]! & 1)) },
  );

const event = fc.record({
  frame: fc.constantFrom(...ADDRESSES).chain(anything),
  laterMs: fc.oneof({ weight: 8, arbitrary: fc.nat(600) }, { weight: 1, arbitrary: fc.integer({ min: -2000, max: 70_000 }) }),
  receiver: fc.constantFrom('one', 'one', 'two', 'three'),
  signal: fc.nat(255),
  flags: fc.constantFrom(0, 0, 0, 0, FLAG_MLAT, 1 << FLAG_REPAIRED_SHIFT),
});

const streams = fc.array(event, { minLength: 20, maxLength: 150, size: 'max' }).map((events): RecordedFrame[] => {
  let timeUs = START_US;
  return events.map(({ frame, laterMs, receiver, signal, flags }) => {
    timeUs += 1000 * laterMs;
    return { timeUs, bytes: frame, receiver, signal, flags };
  });
});

function fold(frames: readonly RecordedFrame[]): { readonly states: AircraftState[]; readonly rows: PositionRow[] } {
  const end = heartbeat(Math.max(...frames.map(({ timeUs }) => timeUs)) + 2e6);
  const { ticks } = foldAll([frameBatch(frames), end], { receiver: { lat: 50, lon: 8 } });
  return { states: ticks.flatMap(({ aircraft }) => aircraft), rows: ticks.flatMap(({ positions }) => positions) };
}

describe('aircraft that send anything', () => {
  const stateType = avroType(avroSchemas.AircraftState);
  const rowsType = avroType(avroSchemas.PositionBatch);

  test('have states within range that can be stored', () => {
    const known = new Set<string>();
    fc.assert(
      fc.property(streams, (frames) => {
        const { states, rows } = fold(frames);
        for (const state of states) {
          expect(faultsOf(state)).toEqual([]);
          for (const [name, value] of Object.entries(state)) if (value !== null) known.add(name);
        }
        const stored = states.map((state) => stateType.fromBuffer(stateType.toBuffer(state)) as AircraftState);
        expect(JSON.parse(JSON.stringify(stored))).toEqual(states);
        const batch = { tickMs: 0, rows };
        expect(JSON.parse(JSON.stringify(rowsType.fromBuffer(rowsType.toBuffer(batch))))).toEqual(batch);
      }),
      { numRuns: 250 },
    );
    expect([...known]).toEqual(expect.arrayContaining([...REACHED]));
  });
});
