// Simulated flights in the flights stage: filed routes are shown while they fit, take-offs and landings are observed, wrong plans are corrected.

import { beforeAll, describe, expect, test } from 'vitest';
import { LiveTable } from '../../pipeline/aircraft/table.ts';
import { flightRoute } from '../../pipeline/flights/flight-routes.ts';
import type { FlightCounts } from '../../pipeline/flights/partition-flights.ts';
import { PlanFiler } from '../../pipeline/simulate/flight-plans.ts';
import { FLIGHT_ROUTE, FLIGHT_VEHICLE } from '../../pipeline/simulate/flights/classes.ts';
import { createTraffic, type Traffic } from '../../pipeline/simulate/traffic.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { type Truth, truthOf } from '../proof/observer/flown.ts';
import { HandFlights, stateOf } from '../support/flights.ts';
import { NOW_MS } from '../support/full-state.ts';
import { handReference } from '../support/hand-reference.ts';

const STEP_MS = 15_000;
const AIRCRAFT = 60;

interface Watch {
  readonly table: LiveTable;
  readonly flights: HandFlights;
  readonly counts: FlightCounts;
  readonly observed: { readonly plan: FlightPlan; readonly timeMs: number; readonly truth: Truth | undefined }[];
  /** Routes that were shown, and the correct ones among them. */
  shown: number;
  right: number;
  contradicted: number;
}

interface Step {
  readonly timeMs: number;
  readonly plans: readonly FlightPlan[];
  readonly truths: ReadonlyMap<number, Truth>;
}

const MINUTES = 90;
let traffic: Traffic;
/** The same aircraft do this in all tests. */
const steps: Step[] = [];

beforeAll(() => {
  traffic = createTraffic({ aircraft: AIRCRAFT, seed: 5, startUs: NOW_MS * 1000 });
  const filer = new PlanFiler(traffic);
  for (let timeMs = NOW_MS + STEP_MS; timeMs <= NOW_MS + MINUTES * 60_000; timeMs += STEP_MS) {
    const plans = filer.step(timeMs * 1000);
    const flying = traffic.fleet.flatMap(({ aircraftClass }, i) => (aircraftClass.flight === FLIGHT_VEHICLE ? [] : [i]));
    steps.push({ timeMs, plans, truths: new Map(flying.map((i) => [i, truthOf(traffic, i, timeMs * 1000)])) });
  }
});

/** `file` changes the plans; without it none is filed. */
function fly(file?: (plan: FlightPlan) => FlightPlan): Watch {
  const reference = handReference();
  const flights = new HandFlights(reference);
  const { book } = flights;
  const observed: Watch['observed'][number][] = [];
  const known = new Map<string, Truth>();
  const table = new LiveTable(reference);
  const watch: Watch = { table, flights, counts: flights.core.counts, observed, shown: 0, right: 0, contradicted: 0 };
  for (const { timeMs, plans, truths } of steps) {
    if (file !== undefined) for (const plan of plans) book.put(file(plan));
    const states: AircraftState[] = [];
    const before = flights.changes.length;
    for (const [i, truth] of truths) {
      known.set(truth.flight, truth);
      states.push(stateOf(i, truth, timeMs));
    }
    flights.tick(table, states, timeMs);
    for (const { topic, value, timeMs } of flights.changes.slice(before))
      if (topic === 'flightplans') observed.push({ plan: value as FlightPlan, timeMs, truth: known.get((value as FlightPlan).callsign) });
    count(watch, traffic, truths);
  }
  return watch;
}

function count(watch: Watch, { fleet }: Traffic, truths: ReadonlyMap<number, Truth>): void {
  for (const [i, truth] of truths) {
    if (fleet[i]!.aircraftClass.flight !== FLIGHT_ROUTE) continue;
    const row = watch.table.rowOf((0x48_0000 + i).toString(16));
    const route = row < 0 ? null : flightRoute(watch.table.routes[row]!);
    if (route === null) continue;
    if (route.isPlausible) watch.shown += 1;
    else watch.contradicted += 1;
    const isRight = (field: { code: string } | null, code: string): boolean => field === null || field.code === code;
    if (route.isPlausible && isRight(route.origin, truth.origin) && isRight(route.destination, truth.destination)) watch.right += 1;
  }
}

describe('simulated flights', () => {
  test('with correct plans show their routes all the way, without corrections', () => {
    const { shown, right, contradicted, observed, counts } = fly((plan) => plan);
    expect(shown).toBeGreaterThan(10_000);
    expect(right / shown).toBeGreaterThan(0.99);
    expect(contradicted / shown).toBeLessThan(0.005);
    expect(counts.takeoffs).toBeGreaterThan(20);
    expect(counts.landings).toBeGreaterThan(20);
    // Only sightseeing flights, which file no plan.
    for (const { plan, truth } of observed) expect([plan.callsign, truth!.origin]).toEqual([plan.callsign, truth!.destination]);
  });

  test('without plans show their observed take-off and landing', () => {
    const { observed, counts } = fly();
    // A sightseeing flight may take off again before its landing is forgotten.
    expect(observed.length).toBeLessThanOrEqual(counts.takeoffs + counts.landings);
    expect(observed.length).toBeGreaterThan(40);
    for (const { plan, truth } of observed) {
      expect(plan.source).toBe('observed');
      if (plan.originIcao !== '') expect(plan.originIcao).toBe(truth!.origin);
      if (plan.destinationIcao !== '') expect(plan.destinationIcao).toBe(truth!.destination);
    }
  });

  test('with plans of other flights do not show them: observations correct them', () => {
    const wrong = (plan: FlightPlan): FlightPlan => ({ ...plan, originIcao: 'SBGR', destinationIcao: 'SCEL' });
    const { shown, right, observed, counts, contradicted } = fly(wrong);
    expect(contradicted).toBeGreaterThan(5000);
    // Private aircraft keep their call sign: they show as arrived until they take off again.
    expect(right / shown).toBeGreaterThan(0.95);
    expect(observed.length).toBeGreaterThan(40);
    expect(counts.implausible.detour + counts.implausible.ground).toBeGreaterThan(50);
  });
});
