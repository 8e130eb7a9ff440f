// Flights that ended, from the store: of an aircraft, the take-offs and landings of an airport, and its flights under way at a moment.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError } from '../errors.ts';
import { currentFlightsAt, type FlightAt } from '../moment-flights.ts';
import type { ReadModel } from '../read-model.ts';
import type { Span } from './span.ts';

const DAY_MS = 86_400_000;
/** A flight that took off in the span ends at most this much later. */
const LONGEST_FLIGHT_MS = 3 * DAY_MS;

/** Times in Unix s; null where unknown. */
type StoredFlight = Readonly<
  { end: string; callsign: string | null } & Record<'key' | 'first_seen' | 'last_seen', number> &
    Record<'takeoff' | 'landing', number | null> &
    Record<
      'origin' | 'destination' | `${'origin' | 'destination'}_source` | `${'takeoff' | 'landing'}_${'airport' | 'source'}`,
      string | null
    >
>;

/** One ended flight; unknown members are absent. */
export type PastFlight = Readonly<Record<string, string | number>>;

const secondsOf = (column: string): string => `round(toUnixTimestamp64Milli(${column}) / 1000, 1)`;
const FLIGHT = `icao24 AS key, callsign, ${secondsOf('firstSeen')} AS first_seen, ${secondsOf('lastSeen')} AS last_seen, end, origin,
originSource AS origin_source, destination, destinationSource AS destination_source, ${secondsOf('f.takeoff')} AS takeoff,
takeoffAirport AS takeoff_airport, takeoffSource AS takeoff_source, ${secondsOf('f.landing')} AS landing,
landingAirport AS landing_airport, landingSource AS landing_source`;

const OF_AIRCRAFT = `SELECT ${FLIGHT} FROM flights AS f
WHERE icao24 = {key:UInt32} AND ended >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
  AND lastSeen >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND firstSeen <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')
ORDER BY firstSeen DESC, recordOffset DESC
LIMIT {rows:UInt32}`;

const movementOf = (
  kind: 'takeoff' | 'landing',
): string => `SELECT '${kind}' AS movement, ${secondsOf(`f.${kind}`)} AS time, ${FLIGHT} FROM flights AS f
WHERE f.${kind}Airport = {code:String} AND f.${kind} >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
  AND f.${kind} <= fromUnixTimestamp64Milli({to:Int64}, 'UTC')
  AND ended >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND ended <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')`;
const OF_AIRPORT = `SELECT * FROM (${movementOf('takeoff')} UNION ALL ${movementOf('landing')})
ORDER BY time DESC, key, movement
LIMIT {rows:UInt32}`;

/** A route that differs from the observed airports is that of a plan or schedule. */
const SOURCE = `if(originSource IN ('plan', 'schedule'), originSource, ifNull(destinationSource, originSource))`;
const msOf = (column: string): string => `toFloat64(toUnixTimestamp64Milli(${column}))`;
const UNDER_WAY = `SELECT icao24 AS key, callsign, origin, destination, ${SOURCE} AS source, ${msOf('takeoff')} AS takeoffMs, ${msOf('landing')} AS landedMs
FROM flights
WHERE (origin = {code:String} OR destination = {code:String}) AND firstSeen <= fromUnixTimestamp64Milli({at:Int64}, 'UTC')
  AND ended > fromUnixTimestamp64Milli({at:Int64}, 'UTC') AND ended <= fromUnixTimestamp64Milli({end:Int64}, 'UTC')
LIMIT {rows:UInt32}`;

export interface PastFlights {
  readonly flights: readonly PastFlight[];
  /** More than the limit match. */
  readonly isTruncated: boolean;
}

type HistoryModel = Pick<ReadModel, 'history'>;

/** The ended flights of an aircraft that were heard in the span, the newest first. Errors: those of the store. */
export function flightsOfAircraft(model: HistoryModel, key: number, { fromMs, toMs }: Span, limit: number): Promise<PastFlights> {
  return pastFlights(model, OF_AIRCRAFT, { key, from: fromMs, to: toMs }, limit);
}

/** Observed take-offs and landings at an airport in the span, the newest first. `code` as in the records of flights. Errors: those of the store. */
export function movementsOfAirport(model: HistoryModel, code: string, { fromMs, toMs }: Span, limit: number): Promise<PastFlights> {
  return pastFlights(model, OF_AIRPORT, { code, from: fromMs, to: toMs, end: toMs + LONGEST_FLIGHT_MS }, limit);
}

async function pastFlights({ history }: HistoryModel, sql: string, about: object, limit: number): Promise<PastFlights> {
  const parameters = { ...about, rows: limit + 1 };
  const rows = await history.query((client, signal) => client.rows<StoredFlight>(sql, parameters, { signal, settings: ONE_THREAD }));
  return { flights: rows.slice(0, limit).map(flightObject), isTruncated: rows.length > limit };
}

/**
 * The flights that were under way at a moment and begin or end at an airport: those that have ended, and those that still are.
 * Errors: those of the store; `api.history_too_large`.
 */
export async function flightsUnderWay(
  { history, flights }: Pick<ReadModel, 'history' | 'flights'>,
  code: string,
  atMs: number,
): Promise<FlightAt[]> {
  const rowsMax = limits.pastBoardFlightsMax;
  const parameters = { code, at: atMs, end: atMs + LONGEST_FLIGHT_MS, rows: rowsMax + 1 };
  const ended = await history.query((client, signal) => client.rows<EndedRow>(UNDER_WAY, parameters, { signal, settings: ONE_THREAD }));
  if (ended.length > rowsMax) throw new QueryError('api.history_too_large', { detail: `the airport had more than ${rowsMax} flights` });
  return [...ended.map((flight) => ({ ...flight, groundMs: null, movedMs: null })), ...currentFlightsAt(flights.current(), code, atMs)];
}

type EndedRow = Omit<FlightAt, 'groundMs' | 'movedMs'>;

const ONE_THREAD = { max_threads: 1 } as const;

function flightObject({ key, callsign, ...members }: StoredFlight): PastFlight {
  const named = { hex: keyHex(key), flight: callsign, ...members };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null)) as PastFlight;
}
