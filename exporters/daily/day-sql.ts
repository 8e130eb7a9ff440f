// The statements that turn the rows of a day into files. The order of rows is total, so that the same rows give the same bytes, whatever order they come in.
import { type DailyKind, dailyColumns } from '../../schemas/daily-file.ts';
import { limits } from '../../schemas/limits/index.ts';
import { sqlText } from './duck.ts';

const HOUR_US = 3_600_000_000;
/** A state is of the end of its second: the first position of a flight may be that much older. */
const TICK_MS = 1000;

/** Names of the columns of strings that the sort carries as numbers. */
const AIRPORT_TEXTS = ['origin', 'destination'] as const;
const FLIGHT_TEXTS = ['callsign', ...AIRPORT_TEXTS] as const;
/** `hex` has the order of addresses: lower-case digits, and `~` behind them all. */
const AIRCRAFT_TEXTS = ['hex', 'registration', 'typecode'] as const;

/**
 * Tables for the join, after `aircraftFacts (icao24, hex, registration, typecode)` is filled with all aircraft. Strings become enumerations: in the sort
 * they are numbers, and addresses and squawks become text once each, not once a row. A flight is listed once for each hour, so that rows find it by equality. Where flights of one aircraft overlap, the later one has the rows: a row has one flight at most.
 */
export function joinStatements(): string[] {
  const enumeration = (name: string, ...tables: readonly string[]): string =>
    `CREATE TYPE ${name}Names AS ENUM (SELECT DISTINCT ${name} FROM (${tables.map((table) => `SELECT ${name} FROM ${table}`).join(' UNION ALL ')}) WHERE ${name} IS NOT NULL ORDER BY 1)`;
  const typed = (names: readonly string[]): string => names.map((name) => `${name}::${name}Names AS ${name}`).join(', ');
  return [
    enumeration('callsign', 'dayPositions', 'dayFlights'),
    ...AIRPORT_TEXTS.map((name) => enumeration(name, 'dayFlights')),
    ...AIRCRAFT_TEXTS.map((name) => enumeration(name, 'aircraftFacts')),
    `CREATE TABLE squawksOfRows AS SELECT squawk, printf('%04d', squawk) AS squawkText FROM (SELECT DISTINCT squawk FROM dayPositions WHERE squawk IS NOT NULL)`,
    enumeration('squawkText', 'squawksOfRows'),
    'ALTER TABLE squawksOfRows ALTER squawkText TYPE squawkTextNames',
    `CREATE TABLE aircraftOfRows AS SELECT icao24, ${typed(AIRCRAFT_TEXTS)} FROM aircraftFacts`,
    `CREATE TABLE flightSpans AS SELECT icao24, ${typed(FLIGHT_TEXTS)}, (firstSeenMs - ${TICK_MS}) * 1000 AS fromUs,
      least(lastSeenMs * 1000 + 999, lead((firstSeenMs - ${TICK_MS}) * 1000) OVER (PARTITION BY icao24 ORDER BY firstSeenMs, partition, recordOffset) - 1) AS toUs FROM dayFlights`,
    `CREATE TABLE flightHours AS SELECT * REPLACE (hour::INTEGER AS hour) FROM (SELECT *, unnest(range(fromUs // ${HOUR_US}, toUs // ${HOUR_US} + 1)) AS hour FROM flightSpans WHERE toUs >= fromUs)`,
  ];
}

/** Writes the positions of the day to `path`. */
export function positionsCopy(path: string, metadata: Readonly<Record<string, string>>): string {
  // The call sign that the aircraft sent comes before that of its flight.
  const callSign = 'd.* EXCLUDE (icao24, squawk) REPLACE (coalesce(d.callsign::callsignNames, h.callsign) AS callsign)';
  const joined = `SELECT ${[callSign, 's.squawkText', ...AIRPORT_TEXTS.map((name) => `h.${name}`), ...AIRCRAFT_TEXTS.map((name) => `r.${name}`)].join(', ')}
    FROM dayPositions d
    JOIN aircraftOfRows r ON r.icao24 = d.icao24
    LEFT JOIN squawksOfRows s ON s.squawk = d.squawk
    LEFT JOIN flightHours h ON h.icao24 = d.icao24 AND h.hour = (d.timeUs // ${HOUR_US})::INTEGER AND d.timeUs >= h.fromUs AND d.timeUs <= h.toUs`;
  // Outside of the sort, so that it moves narrow rows.
  const select = `SELECT ${selectList('positions')} FROM (SELECT * FROM (${joined}) ORDER BY hex, timeUs, partition, frameOffset, frameIndex) p`;
  return copy(select, path, metadata);
}

/** Writes the flights that ended on the day to `path`. */
export function flightsCopy(path: string, startMs: number, endMs: number, metadata: Readonly<Record<string, string>>): string {
  const select = `SELECT ${selectList('flights')} FROM (SELECT * FROM dayFlights WHERE endedMs >= ${startMs} AND endedMs < ${endMs} ORDER BY icao24, firstSeenMs, partition, recordOffset) f
    JOIN aircraftFacts a ON a.icao24 = f.icao24 ORDER BY f.icao24, f.firstSeenMs, f.partition, f.recordOffset`;
  return copy(select, path, metadata);
}

function selectList(kind: DailyKind): string {
  return dailyColumns[kind].map((column) => `(${column.sql})::${column.type} AS "${column.name}"`).join(', ');
}

function copy(select: string, path: string, metadata: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(metadata).map(([key, value]) => `${key}: ${sqlText(value)}`);
  const options = [
    'FORMAT parquet',
    'COMPRESSION zstd',
    'PARQUET_VERSION v2',
    `ROW_GROUP_SIZE ${limits.exportRowGroupRows}`,
    `KV_METADATA {${pairs.join(', ')}}`,
  ];
  return `COPY (${select}) TO ${sqlText(path)} (${options.join(', ')})`;
}
