// SBS-1 lines: the fields of each type, and a reader that keeps the last value of each field knows every aircraft.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourceKinds } from '../../schemas/aircraft-fields.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { bareState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, type TestView } from '../../test/support/live-view.ts';
import { SbsWriter } from './sbs-lines.ts';

/** Lines of each tick: all, and the changes. */
async function watched(): Promise<{ view: TestView; all(): string[]; changes(): string[] }> {
  const view = await createTestView(0);
  const writer = new SbsWriter();
  const linesOf = (bytes: Uint8Array): string[] => {
    const text = Buffer.from(bytes).toString('latin1');
    expect(text === '' || text.endsWith('\r\n')).toBe(true);
    return text.split('\r\n').slice(0, -1);
  };
  let [all, changes]: string[][] = [[], []];
  view.onSnapshot(({ listing, times }, find) => {
    changes = linesOf(writer.changes(listing, times.nowMs, find()));
    all = linesOf(writer.all(listing, times.nowMs));
  });
  return { view, all: () => all!, changes: () => changes! };
}

const DATES = '2023/11/14,22:13:20.000,2023/11/14,22:13:20.000';
const airborne = bareState('4ca2d6', {
  messages: 10,
  seenMs: NOW_MS,
  positionMs: NOW_MS - 1234,
  positionValid: true,
  latitudeMicrodeg: 51_457_350,
  longitudeMicrodeg: -1_028_260,
  altitudeBaroFt: 37_000,
  groundSpeedDeciKt: 4083,
  trackCentideg: 14_641,
  baroRateFpm: -64,
  onGround: false,
  flight: 'RYR1427 ',
  squawk: '0271',
  emergency: 0,
  alert: 0,
  spi: 1,
});

describe('the lines of an aircraft', () => {
  test('in the air: call sign, position, velocity, code', async () => {
    const { view, changes, all } = await watched();
    view.table.applyState(airborne);
    view.tick(NOW_MS);
    expect(changes()).toEqual([
      `MSG,1,1,1,4CA2D6,1,${DATES},RYR1427,,,,,,,,,,,`,
      'MSG,3,1,1,4CA2D6,1,2023/11/14,22:13:18.766,2023/11/14,22:13:20.000,,37000,,,51.457350,-1.028260,,,0,0,-1,0',
      `MSG,4,1,1,4CA2D6,1,${DATES},,,408.3,146.4,,,-64,,,,,`,
      `MSG,6,1,1,4CA2D6,1,${DATES},,37000,,,,,,0271,0,0,-1,0`,
    ]);
    expect(all()).toEqual(changes());
    for (const line of all()) expect(line.split(',')).toHaveLength(22);
  });

  test('are those whose values changed', async () => {
    const { view, changes } = await watched();
    let state: AircraftState = airborne;
    let nowMs = NOW_MS;
    const linesOf = (change: Partial<AircraftState>): string[] => {
      nowMs += 1000;
      state = { ...state, seenMs: nowMs, messages: state.messages + 1, ...change };
      view.table.applyState(state);
      view.tick(nowMs);
      return changes().map((line) => `${line.slice(4, 5)} ${line.split(',').slice(10).join(',')}`);
    };
    linesOf({});
    expect(linesOf({ flight: 'RYR1428 ' })).toEqual(['1 RYR1428,,,,,,,,,,,']);
    expect(linesOf({ trackCentideg: 35_996 })).toEqual(['4 ,,408.3,0.0,,,-64,,,,,']);
    expect(linesOf({ geomRateFpm: 32, baroRateFpm: null })).toEqual(['4 ,,408.3,0.0,,,32,,,,,']);
    expect(linesOf({ altitudeBaroFt: -25 })).toEqual(['5 ,-25,,,,,,,0,,-1,0']);
    expect(linesOf({ spi: 0 })).toEqual(['5 ,-25,,,,,,,0,,0,0']);
    expect(linesOf({ squawk: '7700', alert: 1 })).toEqual(['6 ,-25,,,,,,7700,-1,-1,0,0']);
    expect(linesOf({ squawk: '1000', alert: 0 })).toEqual(['6 ,-25,,,,,,1000,0,0,0,0']);
    expect(linesOf({ emergency: 2 })).toEqual(['6 ,-25,,,,,,1000,0,-1,0,0']);
    expect(linesOf({ positionMs: nowMs + 500, altitudeBaroFt: 0 })).toEqual(['3 ,0,,,51.457350,-1.028260,,,0,-1,0,0']);
    expect(linesOf({ onGround: true })).toEqual(['5 ,,,,,,,,0,,0,-1']);
    expect(linesOf({ positionMs: nowMs + 600 })).toEqual(['2 ,,408.3,0.0,51.457350,-1.028260,,,,,,-1']);
    // Only heard; not heard, and a value that expired; a value that no line has.
    expect(linesOf({})).toEqual(['8 ,,,,,,,,,,,-1']);
    expect(linesOf({ messages: state.messages, squawk: null, emergency: null })).toEqual([]);
    expect(linesOf({ messages: state.messages, navModes: 3, rssiDeciDbfs: -100 })).toEqual([]);
    nowMs += 1000;
    view.tick(nowMs);
    expect(changes()).toEqual([]);
  });

  test('are none without an ICAO address; and a call sign cannot break a line', async () => {
    const { view, all } = await watched();
    view.table.applyState({ ...airborne, hex: '~4ca2d6' });
    view.tick(NOW_MS);
    expect(all()).toEqual([]);
    view.table.applyState(bareState('00000a', { messages: 5, seenMs: NOW_MS, flight: 'A,B\r\nü C' }));
    view.table.applyState(bareState('00000b', { messages: 5, seenMs: NOW_MS, flight: '        ' }));
    view.tick(NOW_MS);
    expect(all()).toEqual([`MSG,1,1,1,00000A,1,${DATES},A_B___ C,,,,,,,,,,,`, `MSG,8,1,1,00000B,1,${DATES},,,,,,,,,,,,`]);
  });
});

const FIELDS = ['flight', 'alt', 'gs', 'track', 'lat', 'lon', 'rate', 'squawk', 'alert', 'emergency', 'spi', 'ground'] as const;
type Known = Partial<Record<(typeof FIELDS)[number], string>>;

/** The state of a reader of the lines. */
function read(known: Map<string, Known>, lines: readonly string[]): void {
  for (const line of lines) {
    const cells = line.split(',');
    const aircraft = known.get(cells[4]!) ?? {};
    known.set(cells[4]!, aircraft);
    FIELDS.forEach((field, i) => {
      if (cells[10 + i] !== '') aircraft[field] = cells[10 + i]!;
    });
  }
}

/** The values of a state, written without the code under test. */
function valuesOf(state: AircraftState): Known {
  const flag = (value: number | boolean | null): string | null => (value === null ? null : Number(value) === 1 ? '-1' : '0');
  const decimals = (value: number | null, scale: number, digits: number): string | null =>
    value === null ? null : (value / scale).toFixed(digits);
  const rate = state.baroRateFpm ?? state.geomRateFpm;
  const isEmergency = ['7500', '7600', '7700'].includes(state.squawk ?? '') || (state.emergency ?? 0) > 0;
  const all: Record<string, string | null> = {
    flight: state.flight?.trim() ?? null,
    alt: state.onGround === true ? null : decimals(state.altitudeBaroFt, 1, 0),
    gs: decimals(state.groundSpeedDeciKt, 10, 1),
    track: state.trackCentideg === null ? null : ((Math.round(state.trackCentideg / 10) % 3600) / 10).toFixed(1),
    lat: state.positionValid ? decimals(state.latitudeMicrodeg, 1e6, 6) : null,
    lon: state.positionValid ? decimals(state.longitudeMicrodeg, 1e6, 6) : null,
    rate: decimals(rate, 1, 0),
    squawk: state.squawk,
    alert: flag(state.alert),
    emergency: state.squawk === null && state.emergency === null ? null : flag(isEmergency),
    spi: flag(state.spi),
    ground: flag(state.onGround),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null && value !== ''));
}

const oneOf = (...values: number[]): fc.Arbitrary<number | null> => fc.option(fc.constantFrom(...values), { freq: 4 });
const change = fc.record(
  {
    flight: fc.option(fc.constantFrom('KLM1    ', 'DLH2    ', '        ')),
    altitudeBaroFt: oneOf(0, 100, -1000, 126_700),
    groundSpeedDeciKt: oneOf(0, 4083),
    trackCentideg: oneOf(0, 5, 35_999),
    baroRateFpm: oneOf(0, -64),
    geomRateFpm: oneOf(0, 6400),
    squawk: fc.option(fc.constantFrom('0000', '7700', '1000')),
    emergency: oneOf(0, 1, 7),
    alert: oneOf(0, 1),
    spi: oneOf(0, 1),
    onGround: fc.option(fc.boolean()),
    positionValid: fc.boolean(),
    latitudeMicrodeg: fc.constantFrom(0, -1, 89_999_999),
    source: fc.nat(sourceKinds.length - 1),
  },
  { requiredKeys: [] },
);

test('a reader that keeps the last value of each field knows every value of every aircraft', async () => {
  const steps = fc.array(fc.tuple(fc.nat(3), change, fc.boolean(), fc.boolean()), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (sequence) => {
      const { view, changes, all } = await watched();
      const states = new Map<string, AircraftState>();
      const known = new Map<string, Known>();
      let nowMs = NOW_MS;
      for (const [n, news, isHeard, isTick] of sequence) {
        const hex = `40000${n}`;
        const last =
          states.get(hex) ?? bareState(hex, { messages: 5, positionMs: NOW_MS, latitudeMicrodeg: 1, longitudeMicrodeg: -180_000_000 });
        const state = { ...last, ...news, seenMs: nowMs, messages: last.messages + (isHeard ? 1 : 0) };
        states.set(hex, state);
        view.table.applyState(state);
        if (!isTick) continue;
        view.tick(nowMs);
        nowMs += 1000;
        read(known, changes());
        for (const [each, current] of states) expect(known.get(each.toUpperCase())).toMatchObject(valuesOf(current));
        const fresh = new Map<string, Known>();
        read(fresh, all());
        expect(fresh).toEqual(new Map([...states].map(([each, current]) => [each.toUpperCase(), valuesOf(current)])));
      }
    }),
    { numRuns: 150 },
  );
});
