// Routes for the aircraft of the HTTP benchmark: each flies between two airports of the simulation.

import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { FlightRoutes } from '../../pipeline/flights/flight-routes.ts';
import { openReference } from '../../pipeline/reference/open-reference.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import { airports } from '../../pipeline/simulate/flights/airports.ts';
import { SnapshotBuilder } from '../../pipeline/view/snapshot.ts';
import { LiveTable } from '../../pipeline/view/table.ts';
import type { FlightBlock } from '../../query-api/queries/flight-block.ts';
import { type Flights, flightsOf } from '../../query-api/queries/flights.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';

export interface RoutedTable {
  readonly table: LiveTable;
  readonly reference: Reference;
  readonly flights: Flights;
}

/** A table of these aircraft, with routes for all or for none, and the shipped reference data. */
export async function routedTable(states: readonly AircraftState[], clock: () => number, areRouted: boolean): Promise<RoutedTable> {
  const { reference } = await openReference({ folder: null, clock });
  const flights = flightsOf(new FlightAirports(reference));
  const routes = new FlightRoutes();
  const table = new LiveTable(reference);
  const ends = airports.map(({ icao }) => flights.airports.byCode(icao)!);
  states.forEach((state, i) => {
    table.applyState(state);
    if (!areRouted) return;
    const origin = ends[i % ends.length]!;
    const destination = ends[(i * 7 + Math.floor(i / ends.length)) % ends.length]!;
    table.putRoute(table.rowOf(state.hex), routes.of({ origin, destination }, 'plan'));
  });
  return { table, reference, flights };
}

/** All flights as plain objects. */
export function flightBlocks({ table, flights }: RoutedTable, clock: () => number): FlightBlock[] {
  const index = flights.of(new SnapshotBuilder(table, clock, 'bench').build(clock(), 0));
  return index.flights.map((i) => index.block(i));
}
