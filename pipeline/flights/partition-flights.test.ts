// The flights of a partition: when flights begin and end, what is kept of them, and that a stage restored from its records and the newest
// minutes of the aircraft topic continues exactly like the one that stopped.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import type { EndedFlight } from '../../schemas/avro/ended-flight.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import { bareCodec, flightState, planOf } from '../../test/support/flights.ts';
import { NOW_MS } from '../../test/support/full-state.ts';
import { handReference } from '../../test/support/hand-reference.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import { avroType } from '../log/avro.ts';
import { FlightAirports } from './airports.ts';
import { type FlightChange, PartitionFlights } from './partition-flights.ts';
import { PlanBook } from './plan-book.ts';
import { SampleReader } from './sample-reader.ts';

const MINUTE_MS = 60_000;
const stateType = avroType(aircraftStateSchema);
const reference = handReference();
const EHAM: readonly [number, number] = [52.31, 4.76];
const EGLL: readonly [number, number] = [51.47, -0.46];

/** A record of the aircraft topic: a state, or a tombstone. */
type Input = { readonly state: AircraftState } | { readonly gone: string; readonly timeMs: number };

class Stage {
  readonly core: PartitionFlights;
  readonly book = new PlanBook();
  readonly reader = new SampleReader(bareCodec);

  constructor() {
    this.book.put(planOf('KLM1', 'EHAM', 'EGLL'));
    this.book.put(planOf('KLM2', 'EGLL', 'EHAM'));
    this.core = new PartitionFlights({ book: this.book, airports: new FlightAirports(reference), reference });
  }

  private read(state: AircraftState) {
    if (!this.reader.read(stateType.toBuffer(state), (key) => this.core.flightText(key))) throw new Error('no state');
    return this.reader.sample;
  }

  apply(input: Input, offset: number): void {
    if ('gone' in input) this.core.remove(hexKey(input.gone), input.timeMs, offset);
    else this.core.apply(this.read(input.state), offset);
  }

  applyAll(inputs: readonly Input[], from: number): void {
    for (const [i, input] of inputs.entries()) this.apply(input, from + i);
  }

  recall(input: Input): void {
    if ('gone' in input) this.core.recallGone(hexKey(input.gone), input.timeMs);
    else this.core.recall(this.read(input.state));
  }
}

function run(inputs: readonly Input[]): FlightChange[] {
  const stage = new Stage();
  stage.applyAll(inputs, 0);
  return stage.core.changes;
}

const newest = (changes: readonly FlightChange[]): Flight => changes.findLast(({ topic }) => topic === 'flights')!.value as Flight;
const ended = (changes: readonly FlightChange[]): EndedFlight[] =>
  changes.flatMap(({ topic, value }) => (topic === 'flightsEnded' ? [value as EndedFlight] : []));

const at = (seconds: number, position: readonly [number, number], change: Partial<AircraftState> = {}): Input => {
  const timeMs = NOW_MS + 1000 * seconds;
  return { state: flightState(1, 'KLM1', position, { tickMs: timeMs, seenMs: timeMs, positionMs: timeMs, ...change }) };
};
const taxi = (seconds: number, position = EHAM, change = {}): Input =>
  at(seconds, position, { onGround: true, altitudeBaroFt: null, groundSpeedDeciKt: 150, baroRateFpm: null, ...change });
const low = { altitudeBaroFt: 800, groundSpeedDeciKt: 1500 };

describe('a flight', () => {
  test('from ground to ground is one, and ends when it has been parked for 20 minutes', () => {
    const changes = run([taxi(0), at(30, EHAM, low), at(600, [51.9, 2]), at(3000, EGLL, low), taxi(3030, EGLL), taxi(4300, EGLL)]);
    expect(ended(changes)).toMatchObject([
      {
        ...{ hex: '480001', callsign: 'KLM1', origin: 'EHAM', originSource: 'observed' },
        ...{ destination: 'EGLL', destinationSource: 'observed' },
        ...{ takeoffMs: NOW_MS + 30_000, takeoffAirport: 'EHAM', takeoffSource: 'transition', airborneMs: NOW_MS + 30_000 },
        ...{ landingMs: NOW_MS + 3_030_000, landingAirport: 'EGLL', landingSource: 'transition', firstSeenMs: NOW_MS, end: 'parked' },
      },
    ]);
    expect(newest(changes)).toMatchObject({ takeoffMs: null, landingMs: null, airborneMs: null, groundMs: NOW_MS + 3_030_000 });
  });

  test('that lands out of sight has landed when it is silent, and ends once, however long the silence', () => {
    const approach = at(0, EGLL, { ...low, baroRateFpm: -700 });
    const other = (seconds: number): Input => {
      const { state } = at(seconds, [50, 10]) as { state: AircraftState };
      return { state: { ...state, hex: '480002', flight: 'KLM2    ' } };
    };
    const changes = run([approach, ...Array.from({ length: 60 }, (_, i) => other(60 * i)), { gone: '480001', timeMs: NOW_MS + 3_600_000 }]);
    expect(ended(changes)).toMatchObject([{ hex: '480001', landingMs: NOW_MS, landingSource: 'silence', end: 'parked' }]);
    expect(changes.at(-1)).toMatchObject({ topic: 'flights', key: '480001', value: null });
  });

  test('ends with the next take-off, with another call sign on the ground, and with its aircraft', () => {
    const turn = [taxi(0), at(30, EHAM, low), taxi(60), at(90, EHAM, low)];
    expect(ended(run(turn))).toMatchObject([{ end: 'departed', takeoffMs: NOW_MS + 30_000, landingMs: NOW_MS + 60_000 }]);
    const renamed = [...turn.slice(0, 3), taxi(70, EHAM, { flight: 'KLM2    ' })];
    expect(ended(run(renamed))).toMatchObject([{ end: 'renamed', callsign: 'KLM1' }]);
    const gone = [...turn.slice(0, 2), { gone: '480001', timeMs: NOW_MS + 3_700_000 }];
    expect(ended(run(gone))).toMatchObject([{ end: 'gone', landingMs: null, lastSeenMs: NOW_MS + 30_000 }]);
  });

  test('that was never in the air does not end, and vehicles have none', () => {
    expect(ended(run([taxi(0), taxi(30, EHAM, { flight: 'KLM2    ' }), { gone: '480001', timeMs: NOW_MS + 3_700_000 }]))).toEqual([]);
    expect(run([taxi(0, EHAM, { category: 'C2' })])).toEqual([]);
  });

  test('first seen climbing out is the flight that takes off, not one that ends', () => {
    const changes = run([at(0, EHAM, { ...low, baroRateFpm: 0 }), at(10, EHAM, { ...low, baroRateFpm: 1500 })]);
    expect(ended(changes)).toEqual([]);
    expect(newest(changes)).toMatchObject({ takeoffMs: NOW_MS + 10_000, takeoffSource: 'appearance', firstSeenMs: NOW_MS });
  });

  test('that is heard again on the ground has not appeared in the air, and its record says so', () => {
    const parked = { groundSpeedDeciKt: 0 };
    const changes = run([taxi(0, EHAM, parked), taxi(400, EHAM, { ...parked, onGround: null }), taxi(401, EHAM, parked)]);
    expect(changes.slice(-2)).toMatchObject([
      { offset: 1, value: { appearedMs: NOW_MS + 400_000 } },
      { offset: 2, value: { appearedMs: null } },
    ]);
  });

  test('has a record at least once a minute while it is heard, and one with its last state when it is silent', () => {
    const changes = run(Array.from({ length: 600 }, (_, i) => at(i, [50.3, 10.5 + i / 1000])));
    const ticks = changes.map(({ value }) => (value as Flight).tickMs);
    expect(ticks.length).toBeLessThan(16);
    for (const [i, tickMs] of ticks.entries()) expect(tickMs - (ticks[i - 1] ?? NOW_MS)).toBeLessThanOrEqual(MINUTE_MS);
    const { state } = at(200, [50, 10]) as { state: AircraftState };
    const silent = run([at(0, [50, 10]), at(7, [50, 10]), { state: { ...state, hex: '480002' } }]);
    expect(silent.findLast(({ key }) => key === '480001')!.value).toMatchObject({ tickMs: NOW_MS + 7000 });
  });

  test('of an aircraft that is in no topic any more is dropped', () => {
    const { state } = at(3 * 3600, [50, 10]) as { state: AircraftState };
    const changes = run([at(0, [50, 10]), { state: { ...state, hex: '480002' } }]);
    expect(ended(changes)).toMatchObject([{ hex: '480001', end: 'gone' }]);
  });
});

/** Actions of an aircraft in some seconds: positions at and between two airports, on the ground or not, silences, call signs. */
const step = fc.record({
  aircraft: fc.integer({ min: 0, max: 2 }),
  seconds: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(0, 60, 90, 100, 200, 300, 400, 1500)),
  position: fc.constantFrom(EHAM, EGLL, [51.9, 2] as const, [40, -30] as const),
  onGround: fc.constantFrom(true, false, false, null),
  altitude: fc.constantFrom(null, 600, 2500, 36_000),
  rate: fc.constantFrom(null, -800, 0, 1800),
  track: fc.constantFrom(null, 9000, 25_000),
  speed: fc.constantFrom(null, 20, 150, 1500, 4500),
  callsign: fc.constantFrom('KLM1', 'KLM1', 'KLM2', 'PHABC', null),
  has: fc.constantFrom('position', 'position', 'no new position', 'no position', 'gone'),
});

function inputsOf(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Input[] {
  let seconds = 0;
  const positionMs = new Map<number, number>();
  return steps.map(({ aircraft, has, position, onGround, altitude, rate, track, speed, callsign, ...others }) => {
    seconds += others.seconds;
    const timeMs = NOW_MS + 1000 * seconds;
    const hex = (0x48_0000 + aircraft).toString(16);
    if (has === 'gone') {
      positionMs.delete(aircraft);
      return { gone: hex, timeMs };
    }
    if (has === 'position') positionMs.set(aircraft, timeMs - 300);
    const known = positionMs.get(aircraft) ?? null;
    const [latDeg, lonDeg] = position;
    const state = flightState(aircraft, callsign ?? 'X', [latDeg, lonDeg], {
      ...{ tickMs: timeMs, seenMs: timeMs - 200, positionMs: known, positionValid: known !== null && timeMs - known < 60_000 },
      ...(known === null ? { latitudeMicrodeg: null, longitudeMicrodeg: null } : {}),
      ...{ onGround, altitudeBaroFt: altitude, baroRateFpm: rate, trackCentideg: track, groundSpeedDeciKt: speed },
    });
    return { state: callsign === null ? { ...state, flight: null } : state };
  });
}

/** Changes by key, because those of different aircraft may come in any order within a tick. */
function byKey(changes: readonly FlightChange[]): Record<string, unknown[]> {
  const found: Record<string, unknown[]> = {};
  for (const { topic, key, value, timeMs, offset } of changes) {
    const name = `${topic} ${key}`;
    found[name] ??= [];
    found[name].push({ value, timeMs, offset });
  }
  return found;
}

/** The changes of a stage that is stopped before input `stop` and restored. */
function runRestored(inputs: readonly Input[], stop: number): FlightChange[] {
  const first = new Stage();
  first.applyAll(inputs.slice(0, stop), 0);
  const flights = new Map<string, Flight>();
  const before = first.core.changes;
  for (const { topic, key, value } of before) {
    if (topic !== 'flights') continue;
    if (value === null) flights.delete(key);
    else flights.set(key, value);
  }
  const second = new Stage();
  for (const { topic, value } of before) if (topic === 'flightplans') second.book.put(value);
  for (const flight of flights.values()) second.core.restore(flight);
  const fromMs = second.core.tickMs - 6 * MINUTE_MS;
  const timeOf = (input: Input): number => ('gone' in input ? input.timeMs : input.state.tickMs);
  for (const input of inputs.slice(0, stop)) if (timeOf(input) >= fromMs && flights.size > 0) second.recall(input);
  second.applyAll(inputs.slice(stop), stop);
  return [...before, ...second.core.changes];
}

test('a stage that is stopped anywhere and restored gives the same as one that is not', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 2, maxLength: 60 }), fc.nat(), (steps, cut) => {
      const inputs = inputsOf(steps);
      expect(byKey(runRestored(inputs, cut % inputs.length))).toEqual(byKey(run(inputs)));
    }),
    { numRuns: 1000 },
  );
});

describe('what was last told of air and ground', () => {
  const untold = { onGround: null };
  const air = (seconds: number, change = {}): Input => at(seconds, EHAM, { ...low, ...change });

  test('counts for five minutes, however many positions do not tell it; a restart in between changes nothing', () => {
    const landing = (seconds: number): Input[] => [air(0), air(100, untold), air(200, untold), taxi(seconds)];
    const late = [...landing(301), taxi(301, EHAM, { flight: 'KLM2    ' })];
    expect(newest(run(landing(300)))).toMatchObject({ landingMs: NOW_MS + 300_000 });
    expect(newest(run(late))).toMatchObject({ landingMs: null });
    for (const inputs of [
      landing(300),
      late,
      [...landing(400).slice(0, 3), air(400, untold), taxi(400), taxi(400, EHAM, { flight: 'KLM2    ' })],
    ])
      for (let stop = 1; stop < inputs.length; stop++) expect(byKey(runRestored(inputs, stop))).toEqual(byKey(run(inputs)));
  });
});

test('a silence that was checked is not checked again after a restart, when later states without a new position are all that is left of it', () => {
  const high = at(0, EGLL);
  const { state } = at(40, EGLL, { ...low, baroRateFpm: -700 }) as { state: AircraftState };
  const descending = { state: { ...state, positionMs: NOW_MS } };
  const other = (seconds: number): Input => {
    const found = at(seconds, [50, 10]) as { state: AircraftState };
    return { state: { ...found.state, hex: '480002', flight: 'KLM2    ' } };
  };
  const inputs = [high, descending, ...[100, 160, 220, 280, 330, 390, 396].map(other)];
  for (let stop = 1; stop < inputs.length; stop++) expect(byKey(runRestored(inputs, stop))).toEqual(byKey(run(inputs)));
});
