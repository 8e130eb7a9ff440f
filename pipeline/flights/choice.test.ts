// Choice of the route: the best source that fits, the flown leg of a schedule, a holding is no contradiction, none when none fits.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFlightApi, type FlightApi, flightState, planOf } from '../../test/support/flights.ts';
import { NOW_MS } from '../../test/support/full-state.ts';

let api: FlightApi;
beforeEach(async () => {
  api = await createFlightApi();
  return () => api.app.close();
});
afterEach(() => expect(api.observed().filter(({ source }) => source !== 'observed')).toEqual([]));

const MINUTE_MS = 60_000;
const EASTBOUND = { trackCentideg: 12_000 };
const WESTBOUND = { trackCentideg: 30_000 };

/** Origin, destination and source of the flight after some minutes at a position. */
async function seen(minutes: number, position: readonly [number, number], change: object = {}): Promise<unknown[]> {
  const timeMs = NOW_MS + minutes * MINUTE_MS;
  api.tick([flightState(1, 'KLM7', position, { seenMs: timeMs, positionMs: timeMs, ...change })], timeMs);
  const flight = (await api.app.inject('/v2/flight/KLM7')).json<{ flight: Record<string, { iata?: string } | string | boolean> }>().flight;
  const iata = (end: string): unknown => (flight[end] as { iata?: string } | undefined)?.iata ?? null;
  return [iata('origin'), iata('destination'), flight['route_source'] ?? null, flight['route_plausible'] ?? null];
}

test('observations come before plans, plans before schedules', async () => {
  api.reference.routes.set('KLM7', ['EHAM', 'LHBP']);
  expect(await seen(0, [50.3, 10.5])).toEqual(['AMS', 'BUD', 'schedule', true]);
  api.book.put(planOf('KLM7', 'EHAM', 'LOWW'));
  expect(await seen(1, [50.2, 10.7])).toEqual(['AMS', 'VIE', 'plan', true]);
  api.book.put({ ...planOf('KLM7', 'EHAM', 'LKPR'), source: 'observed' });
  expect(await seen(2, [50.1, 10.9])).toEqual(['AMS', 'PRG', 'observed', true]);
});

test('a better source that does not fit gives way to one that does', async () => {
  api.reference.routes.set('KLM7', ['EHAM', 'LOWW']);
  api.book.put(planOf('KLM7', 'EGLL', 'LFPG'));
  expect(await seen(0, [50.3, 10.5])).toEqual(['AMS', 'VIE', 'schedule', true]);
});

test('of a schedule with stops the flown leg is shown', async () => {
  api.reference.routes.set('KLM7', ['EHAM', 'LOWW', 'LGAV']);
  expect(await seen(0, [50.3, 10.5], EASTBOUND)).toEqual(['AMS', 'VIE', 'schedule', true]);
  expect(await seen(90, [43, 20.5], EASTBOUND)).toEqual(['VIE', 'ATH', 'schedule', true]);
});

test('the direction distinguishes a leg from the way back', async () => {
  api.reference.routes.set('KLM7', ['EHAM', 'LOWW', 'EHAM']);
  expect(await seen(0, [50.3, 10.5], WESTBOUND)).toEqual(['VIE', 'AMS', 'schedule', true]);
});

test('an accepted route outlasts a holding, but not more', async () => {
  api.book.put(planOf('KLM7', 'EHAM', 'LOWW'));
  expect(await seen(0, [50.3, 10.5], EASTBOUND)).toEqual(['AMS', 'VIE', 'plan', true]);
  expect(await seen(1, [50.3, 10.5], WESTBOUND)).toEqual(['AMS', 'VIE', 'plan', true]);
  expect(await seen(3, [50.3, 10.5], WESTBOUND)).toEqual(['AMS', 'VIE', 'plan', true]);
  expect(await seen(5, [50.3, 10.4], WESTBOUND)).toEqual([null, null, 'plan', false]);
  expect(await seen(6, [50.3, 10.5], EASTBOUND)).toEqual(['AMS', 'VIE', 'plan', true]);
});

test('a plan is valid from its begin to its end', async () => {
  api.book.put({ ...planOf('KLM7', 'EHAM', 'LOWW'), validFromMs: NOW_MS + MINUTE_MS, validToMs: NOW_MS + 3 * MINUTE_MS });
  expect(await seen(0, [50.3, 10.5])).toEqual([null, null, null, null]);
  expect(await seen(2, [50.3, 10.5])).toEqual(['AMS', 'VIE', 'plan', true]);
  expect(await seen(4, [50.3, 10.5])).toEqual([null, null, null, null]);
});

test('without a position no route is checked; with a new one it is', async () => {
  api.book.put(planOf('KLM7', 'EHAM', 'LOWW'));
  const nowhere = { positionMs: null, positionValid: false, latitudeMicrodeg: null, longitudeMicrodeg: null };
  expect(await seen(0, [0, 0], nowhere)).toEqual([null, null, null, null]);
  expect(await seen(1, [50.3, 10.5])).toEqual(['AMS', 'VIE', 'plan', true]);
});

test('a take-off elsewhere and a landing elsewhere are written as plans', async () => {
  api.book.put(planOf('KLM7', 'EHAM', 'LOWW'));
  const ground = { onGround: true, altitudeBaroFt: null, groundSpeedDeciKt: 200 };
  expect(await seen(0, [51.957, 4.44], ground)).toEqual([null, null, 'plan', false]);
  expect(await seen(1, [51.97, 4.5], { altitudeBaroFt: 2000, groundSpeedDeciKt: 1600 })).toEqual(['RTM', null, 'observed', true]);
  expect(await seen(4, [51.6, 5.2], { altitudeBaroFt: 8000 })).toEqual(['RTM', null, 'observed', true]);
  await seen(30, [51.46, 5.3], { altitudeBaroFt: 1000, groundSpeedDeciKt: 1400 });
  await seen(31, [51.46, 5.3], { altitudeBaroFt: 1000, groundSpeedDeciKt: 1400 });
  await seen(32, [51.45, 5.37], ground);
  expect(api.observed().map(({ originIcao, destinationIcao }) => [originIcao, destinationIcao])).toEqual([
    ['EHRD', ''],
    ['EHRD', 'EHEH'],
  ]);
  for (const { validFromMs, validToMs } of api.observed()) expect([validFromMs % MINUTE_MS, validToMs % MINUTE_MS]).toEqual([0, 0]);
});
