// Flights that a test defines, with hand-made reference data: plans, a state per flight, ticks; through the flights stage and its readers without a log
// between, into a live table, a read model or the API.

import type { AircraftFacts } from '../../pipeline/aircraft/facts.ts';
import type { LiveTable } from '../../pipeline/aircraft/table.ts';
import { FlightAirports } from '../../pipeline/flights/airports.ts';
import { FlightTable } from '../../pipeline/flights/follower.ts';
import { type FlightChange, PartitionFlights } from '../../pipeline/flights/partition-flights.ts';
import { PlanBook } from '../../pipeline/flights/plan-book.ts';
import { SampleReader } from '../../pipeline/flights/sample-reader.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import type { QueryApiOptions } from '../../query-api/http/app.ts';
import { flightsOf } from '../../query-api/queries/flights.ts';
import { MapFiles } from '../../query-api/queries/maps/map-files.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import type { Flight } from '../../schemas/avro/flight.ts';
import type { FlightPlan } from '../../schemas/avro/flight-plan.ts';
import type { Truth } from '../proof/observer/flown.ts';
import { bareState, NOW_MS } from './full-state.ts';
import { handReference } from './hand-reference.ts';
import { createApiOver, createTestView, type TestApi, testModel } from './live-view.ts';

const stateType = avroType(aircraftStateSchema);

/** Reads states without the head that records have. */
export const bareCodec = { bodyStart: () => 0, decode: (value: Uint8Array) => stateType.fromBuffer(Buffer.from(value)) as AircraftState };

export class HandFlights {
  readonly book = new PlanBook();
  readonly airports: FlightAirports;
  readonly core: PartitionFlights;
  readonly table: FlightTable;
  /** All changes, in order. */
  readonly changes: FlightChange[] = [];
  private readonly reader = new SampleReader(bareCodec);
  private readonly states = new Map<string, AircraftState>();
  private offset = 0;

  constructor(reference: Reference) {
    this.airports = new FlightAirports(reference);
    this.core = new PartitionFlights({ book: this.book, airports: this.airports, reference });
    this.table = new FlightTable(this.airports, reference);
  }

  /** A tick: these states, the last states of all other aircraft again, and the routes into the table. */
  tick(live: LiveTable, states: readonly AircraftState[], timeMs: number): void {
    for (const state of states) {
      live.applyState(state);
      this.states.set(state.hex, state);
    }
    for (const state of this.states.values()) this.apply({ ...state, tickMs: timeMs });
    this.table.setRoutes(live);
  }

  apply(state: AircraftState): void {
    if (!this.reader.read(stateType.toBuffer(state), (key) => this.core.flightText(key))) throw new Error(`no state: ${state.hex}`);
    this.core.apply(this.reader.sample, this.offset);
    this.offset += 1;
    for (const change of this.core.changes) if (change.topic === 'flights') this.table.put(change.key, change.value, 0);
    this.changes.push(...this.core.changes);
    this.core.changes = [];
  }

  /** Plans that were observed. */
  observed(): FlightPlan[] {
    return this.changes.flatMap(({ topic, value }) => (topic === 'flightplans' ? [value as FlightPlan] : []));
  }

  /** The newest record of an aircraft. */
  flight(hex: string): Flight | null {
    return (this.changes.findLast(({ topic, key }) => topic === 'flights' && key === hex)?.value ?? null) as Flight | null;
  }
}

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

export const NOW = NOW_MS / 1000;
export const meta = (total: number) => ({ now: NOW, ctime: NOW + 0.3, ptime: NOW + 0.3, total });
export const AMS = {
  ...{ icao: 'EHAM', iata: 'AMS', name: 'Amsterdam Schiphol', country: 'NL' },
  ...{ lat: 52.3086, lon: 4.7639, elevation_ft: -11, type: 'large_airport' },
};
export const VIE = {
  ...{ icao: 'LOWW', iata: 'VIE', name: 'Vienna', country: 'AT' },
  ...{ lat: 48.1103, lon: 16.5697, elevation_ft: 600, type: 'large_airport' },
};

export const callsigns = (flights: unknown): string[] => (flights as { flight: string }[]).map(({ flight }) => flight.trim());

/** Responses of an API as status and body. */
export const asker =
  ({ app }: FlightApi) =>
  async (url: string): Promise<{ status: number; body: Record<string, unknown> }> => {
    const response = await app.inject(url);
    return { status: response.statusCode, body: response.json() };
  };

/** Six flights and a vehicle in a model, or in an API over it. */
export function withSixFlights<Model extends FlightModel>(flights: Model): Model {
  for (const [callsign, from, to] of [
    ['KLM1885', 'EHAM', 'LOWW'],
    ['KLM27N', 'EHAM', 'LOWW'],
    ['DLH4AB', 'LOWW', 'EHAM'],
    ['DLH99', 'EHAM', 'LOWW'],
    ['KLM1', 'EHAM', 'EGLL'],
  ] as const)
    flights.book.put(planOf(callsign, from, to));
  flights.tick(SIX_FLIGHTS);
  return flights;
}

/** Their states. */
export const SIX_FLIGHTS = [
  flightState(0, 'KLM1885', [50.3, 10.5], { trackCentideg: 12_000, squawk: '1234', emergency: 0 }),
  flightState(1, 'KLM27N', [52.31, 4.77], { onGround: true, altitudeBaroFt: null, groundSpeedDeciKt: 150, baroRateFpm: null }),
  flightState(2, 'DLH4AB', [51, 8], { trackCentideg: 30_000, baroRateFpm: -1500, altitudeBaroFt: 20_000 }),
  // Far from its route.
  flightState(3, 'DLH99', [38, -5], { squawk: '7700' }),
  flightState(4, 'KLM1', [52, 2], { baroRateFpm: 1500, altitudeBaroFt: 15_000 }),
  // A vehicle.
  flightState(5, 'OPS1', [52.31, 4.76], { category: 'C2', onGround: true, altitudeBaroFt: null }),
  // Without operator and position.
  flightState(6, 'PHABC', [0, 0], { positionMs: null, positionValid: false, latitudeMicrodeg: null, longitudeMicrodeg: null }),
];

/** The state of a simulated flight as a perfect fold would give it; `number` is that of the aircraft in the fleet. */
export const stateOf = (number: number, truth: Truth, timeMs: number): AircraftState =>
  flightState(number, truth.flight, [truth.latDeg, truth.lonDeg], {
    ...{ tickMs: timeMs, seenMs: timeMs, positionMs: timeMs, messages: 100, onGround: truth.onGround },
    altitudeBaroFt: truth.onGround ? null : Math.round(truth.altitudeFt / 25) * 25,
    groundSpeedDeciKt: Math.round(truth.groundSpeedKt * 10),
    trackCentideg: Math.round(truth.trackDeg * 100) % 36_000,
    baroRateFpm: Math.round(truth.rateFpm / 64) * 64,
  });
