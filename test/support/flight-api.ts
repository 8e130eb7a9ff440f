// The API over flights that a test defines: plans, one state per flight, ticks; with hand-made reference data.

import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import type { QueryApiOptions } from '../../query-api/http/app.ts';
import { flightsOf } from '../../query-api/queries/flights.ts';
import { MapFiles } from '../../query-api/queries/maps/map-files.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import { bareState, NOW_MS } from './full-state.ts';
import { HandFlights } from './hand-flights.ts';
import { handReference } from './hand-reference.ts';
import { createApiOver, createTestView, type TestApi, testModel } from './live-view.ts';

export type FlightModel = Awaited<ReturnType<typeof createFlightModel>>;
export type FlightApi = FlightModel & TestApi;

/** A read model without HTTP. */
export async function createFlightModel(facts?: (key: number) => AircraftFacts | null) {
  const reference = handReference(facts);
  const flights = new HandFlights(reference);
  const maps = new MapFiles();
  const view = await createTestView(0, reference);
  const read = flightsOf(
    flights.airports,
    (key) => flights.table.flights.get(key),
    () => flights.table.records(),
  );
  return {
    model: testModel(view, { reference, maps, flights: read }),
    ...{ view, reference, book: flights.book, maps },
    /** Plans that were observed. */
    observed: () => flights.observed(),
    /** Applies states and builds the snapshot of a tick. */
    tick(states: readonly AircraftState[], timeMs = NOW_MS): void {
      flights.tick(view.table, states, timeMs);
      view.clockMs = timeMs + 300;
      view.tick(timeMs);
    },
  };
}

export async function createFlightApi(
  facts?: (key: number) => AircraftFacts | null,
  parts: Partial<QueryApiOptions & ReadModel> = {},
): Promise<FlightApi> {
  const flights = await createFlightModel(facts);
  return { ...flights, ...(await createApiOver(flights.view, { ...flights.model, ...parts })) };
}

/** A plan for the hours around the time of tests. */
export function planOf(callsign: string, originIcao: string, destinationIcao: string): FlightPlan {
  return { callsign, originIcao, destinationIcao, source: 'plan', validFromMs: NOW_MS - 3_600_000, validToMs: NOW_MS + 36_000_000 };
}

/** A flight in cruise at these coordinates; `change` overrides fields. */
export function flightState(
  number: number,
  flight: string,
  [latDeg, lonDeg]: readonly [number, number],
  change: Partial<AircraftState> = {},
): AircraftState {
  return bareState((0x48_0000 + number).toString(16), {
    source: 0,
    positionMs: NOW_MS,
    positionValid: true,
    latitudeMicrodeg: Math.round(latDeg * 1e6),
    longitudeMicrodeg: Math.round(lonDeg * 1e6),
    nic: 8,
    rcM: 186,
    onGround: false,
    flight: flight.padEnd(8),
    category: 'A3',
    altitudeBaroFt: 36_000,
    groundSpeedDeciKt: 4500,
    baroRateFpm: 0,
    ...change,
  });
}
