// Aircraft that send any content with valid parity. The fold accepts it all, and its states can still be stored and shown: every value in
// its range, through Avro and back, as JSON that parses and matches the plain serialiser.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import { encodeIdentityReply } from '../../pipeline/simulate/encode/reply.ts';
import { encodeAirbornePosition, encodeSurfacePosition } from '../../pipeline/simulate/encode/squitter.ts';
import { aircraftObject, isListed, type View } from '../../pipeline/view/plain.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { LiveTable } from '../../pipeline/view/table.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { avroSchemas } from '../../schemas/avro/index.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { FLAG_MLAT, FLAG_REPAIRED_SHIFT } from '../../schemas/packed-frame.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';
import { frameOf, replyOf, sealed, squitterOf, withAddress } from './frames.ts';
import { heartbeat, START_US } from './traffic.ts';

const ADDRESSES = [0x3c_6586, 0xa0_0001, 0x00_0001, 0xff_ffff] as const;
const OPTIONS = { tickMs: 1000, receiver: { lat: 50, lon: 8 } };

type Range = readonly [least: number, greatest: number];
const ANGLE: Range = [0, 35_999];
/** The difference to the barometric altitude may come from two altitudes at the limits of their range. */
const GEOMETRIC: Range = [-1200 - 127_900, 126_700 + 127_900];
/** Possible range of each number of a state, from the fields on the air. */
const RANGES: { readonly [Name in keyof AircraftState]?: Range } = {
  source: [0, 13],
  messages: [1, 0x7fff_ffff],
  rssiDeciDbfs: [-495, 1],
  latitudeMicrodeg: [-90_000_000, 90_000_000],
  longitudeMicrodeg: [-180_000_000, 179_999_999],
  nic: [0, 11],
  rcM: [0, 37_040],
  gpsOkLatitudeMicrodeg: [-90_000_000, 90_000_000],
  gpsOkLongitudeMicrodeg: [-180_000_000, 179_999_999],
  emergency: [0, 7],
  altitudeBaroFt: [-1200, 126_700],
  altitudeGeomFt: GEOMETRIC,
  groundSpeedDeciKt: [0, 57_814],
  iasKt: [0, 4088],
  tasKt: [0, 4092],
  machMilli: [0, 4096],
  trackCentideg: ANGLE,
  calcTrackDeg: [0, 359],
  trackRateCentidegPerS: [-1600, 1600],
  rollCentideg: [-9000, 9000],
  magHeadingCentideg: ANGLE,
  trueHeadingCentideg: ANGLE,
  baroRateFpm: [-32_640, 32_640],
  geomRateFpm: [-32_640, 32_640],
  navQnhDeciHpa: [8000, 12_095],
  navAltitudeMcpFt: [-1000, 101_300],
  navAltitudeFmsFt: [-1000, 101_300],
  navHeadingCentideg: ANGLE,
  navModes: [0, 63],
  version: [0, 7],
  nicBaro: [0, 1],
  nacP: [0, 15],
  nacV: [0, 7],
  sil: [0, 3],
  silType: [0, 2],
  gva: [0, 3],
  sda: [0, 3],
  alert: [0, 1],
  spi: [0, 1],
  windDirectionDeg: [0, 359],
  windSpeedKt: [0, 250],
  oatC: [-274, 100_000],
  tatC: [-274, 1_000_000],
  mlatFields: [0, 2 ** 32 - 1],
  tisbFields: [0, 2 ** 32 - 1],
};
/** Fields that the streams below set often; without them the streams would not test their purpose. */
const REACHED: readonly (keyof AircraftState)[] = [
  'positionMs',
  'flight',
  'squawk',
  'emergency',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'trackCentideg',
  'calcTrackDeg',
  'magHeadingCentideg',
  'baroRateFpm',
  'geomRateFpm',
  'navQnhDeciHpa',
  'navAltitudeMcpFt',
  'navModes',
  'nicBaro',
  'nacP',
  'nacV',
  'sil',
];
const PATTERNS: { readonly [Name in keyof AircraftState]?: RegExp } = {
  hex: /^~?[0-9a-f]{6}$/,
  flight: /^[\x20-\x7e]{8}$/,
  squawk: /^[0-7]{4}$/,
  category: /^[A-D][0-7]$/,
};

function faultsOf(state: AircraftState): string[] {
  const faults: string[] = [];
  for (const [name, range] of Object.entries(RANGES)) {
    const value = state[name as keyof AircraftState] as number | null;
    if (value !== null && !(Number.isInteger(value) && value >= range[0] && value <= range[1])) faults.push(`${name} ${value}`);
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
        encodeSurfacePosition(bytes, 0, header, { ...fixed, ...coded, groundSpeedKt: step % 40 });
      } else {
        const fixed = { typeCode: typeCode === 19 ? 11 : typeCode, surveillanceStatus: step & 3, nicB: step & 1, gillham: false };
        encodeAirbornePosition(bytes, 0, header, { ...fixed, ...coded, altitudeFt: 100 * step });
      }
      return bytes;
    });

/** Squawks count when they are repeated, which random ones hardly are. */
const identity = (address: number): fc.Arbitrary<Uint8Array> =>
  fc.constantFrom(7700, 1200).map((squawk) => {
    const bytes = new Uint8Array(7);
    encodeIdentityReply(bytes, 0, address, 0, squawk, null);
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

interface Collected {
  readonly states: AircraftState[];
  readonly rows: PositionRow[];
}

function fold(frames: readonly RecordedFrame[]): Collected {
  const collected: Collected = { states: [], rows: [] };
  const take = ({ aircraft, positions }: FoldTick): void => {
    collected.states.push(...aircraft.build());
    collected.rows.push(...positions.build());
  };
  const partition = new PartitionFold(OPTIONS);
  partition.apply(frameBatch(frames), 0, take);
  partition.apply(heartbeat(Math.max(...frames.map(({ timeUs }) => timeUs)) + 2e6), 1, take);
  return collected;
}

/** Aircraft as shown in a view, by address. */
function shown(states: readonly AircraftState[], nowMs: number, view: View): unknown {
  const table = new LiveTable();
  for (const state of states) table.applyState(state);
  const body = JSON.parse(new SnapshotBuilder(table, () => nowMs, 'test').build(nowMs, 0).body(view).toString('utf8'));
  return byHex(body.ac ?? body.aircraft);
}

function byHex(objects: readonly object[]): object[] {
  const hexOf = (object: object): string => (object as { hex: string }).hex;
  return objects.toSorted((one, other) => (hexOf(one) < hexOf(other) ? -1 : 1));
}

describe('aircraft that send anything', () => {
  const stateType = avroType(avroSchemas.AircraftState);
  const rowsType = avroType(avroSchemas.PositionBatch);

  test('have states within range that can be stored and shown', () => {
    const known = new Map<string, number>();
    fc.assert(
      fc.property(streams, (frames) => {
        const { states, rows } = fold(frames);
        for (const state of states) {
          expect(faultsOf(state)).toEqual([]);
          for (const [name, value] of Object.entries(state)) if (value !== null) known.set(name, (known.get(name) ?? 0) + 1);
        }
        const kept = states.map((state) => stateType.fromBuffer(stateType.toBuffer(state)) as AircraftState);
        expect(JSON.parse(JSON.stringify(kept))).toEqual(states);
        const batch = { tickMs: 0, rows };
        expect(JSON.parse(JSON.stringify(rowsType.fromBuffer(rowsType.toBuffer(batch))))).toEqual(batch);

        const last = new Map(kept.map((state) => [state.hex, state]));
        const nowMs = Math.max(...states.map(({ tickMs }) => tickMs));
        for (const view of ['native', 'readsb'] as const) {
          const expected = [...last.values()].filter((state) => isListed(state, nowMs)).map((state) => aircraftObject(state, nowMs, view));
          expect(shown([...last.values()], nowMs, view)).toEqual(byHex(expected));
        }
      }),
      { numRuns: 250 },
    );
    expect(REACHED.filter((name) => !known.has(name))).toEqual([]);
  });
});
