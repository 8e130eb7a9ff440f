// The daily files: names, columns and manifest. What a column means comes from the field table; names and units are those of the Python library `traffic`.
import { type AircraftField, aircraftFields, type MemberName, sourceKinds } from './aircraft-fields.ts';

/** Raised when a column changes its meaning or goes away. A new column does not raise it. */
export const DAILY_SCHEMA_VERSION = 1;

interface DailyColumn {
  readonly name: string;
  /** DuckDB's type. */
  readonly type: 'TIMESTAMP' | 'VARCHAR' | 'DOUBLE' | 'FLOAT' | 'BOOLEAN' | 'UTINYINT' | 'UINTEGER';
  /** Expression over the rows that `exporters/daily/day-sql.ts` joins: positions `p`, or flights `f` and their aircraft `a`. */
  readonly sql: string;
  readonly unit?: string;
  readonly about: string;
}

/** A column with the meaning of a field; its value is that of the position, unscaled. */
function field(name: string, member: MemberName, type: DailyColumn['type'], own: Partial<DailyColumn> = {}): DailyColumn {
  const row = (aircraftFields as readonly AircraftField[]).find((other) => other.member === member)!;
  const sql = `p.${row.name}${row.decimals === undefined ? '' : ` / 1e${row.decimals}`}`;
  return { name, type, sql, about: row.about, ...(row.unit === undefined ? {} : { unit: row.unit }), ...own };
}

const SOURCE_NAME = `CASE p.source ${sourceKinds.map((name, number) => `WHEN ${number} THEN '${name}'`).join(' ')} END`;
const OF_FLIGHT = 'Null where no flight that covers the row had ended when the file was made.';

/** Columns of the file of positions, in their order. */
export const positionColumns: readonly DailyColumn[] = [
  {
    name: 'timestamp',
    type: 'TIMESTAMP',
    sql: 'make_timestamp(p.timeUs)',
    unit: 'UTC, microseconds',
    about: 'Time of the message that gave the position.',
  },
  field('icao24', 'hex', 'VARCHAR'),
  {
    name: 'callsign',
    type: 'VARCHAR',
    sql: 'p.callsign',
    about:
      'Call sign as last received, without blanks; while none was received, that of the flight if it had ended when the file was made.',
  },
  field('latitude', 'lat', 'DOUBLE', { about: 'Latitude, WGS 84.' }),
  field('longitude', 'lon', 'DOUBLE', { about: 'Longitude, WGS 84.' }),
  field('altitude', 'alt_baro', 'FLOAT', {
    about: 'Pressure altitude at 1013.25 hPa; may be negative. Null on the ground.',
  }),
  field('geoaltitude', 'alt_geom', 'FLOAT'),
  field('groundspeed', 'gs', 'FLOAT'),
  field('track', 'track', 'FLOAT'),
  field('vertical_rate', 'baro_rate', 'FLOAT'),
  field('onground', 'on_ground', 'BOOLEAN'),
  field('squawk', 'squawk', 'VARCHAR', { sql: 'p.squawkText' }),
  field('source', 'source', 'VARCHAR', { sql: SOURCE_NAME }),
  field('nic', 'nic', 'UTINYINT'),
  field('rc', 'rc', 'UINTEGER'),
  field('rssi', 'rssi', 'FLOAT', { about: 'Mean signal level of the last messages; null below four of them.' }),
  field('registration', 'r', 'VARCHAR', { sql: 'p.registration' }),
  field('typecode', 't', 'VARCHAR', { sql: 'p.typecode' }),
  { name: 'origin', type: 'VARCHAR', sql: 'p.origin', about: `Airport of departure: ICAO code, else IATA or local code. ${OF_FLIGHT}` },
  {
    name: 'destination',
    type: 'VARCHAR',
    sql: 'p.destination',
    about: `Airport of destination: ICAO code, else IATA or local code. ${OF_FLIGHT}`,
  },
];

const time = (name: string, member: string, about: string): DailyColumn => ({
  name,
  type: 'TIMESTAMP',
  sql: `make_timestamp(f.${member}Ms * 1000)`,
  unit: 'UTC',
  about,
});
const text = (name: string, about: string): DailyColumn => ({ name, type: 'VARCHAR', sql: `f.${name}`, about });
const AIRPORT = 'ICAO code, else IATA or local code';
const MOVEMENT = 'How it was observed';

/** Columns of the file of flights: the flights that ended on the day, by address and beginning. */
const flightColumns: readonly DailyColumn[] = [
  field('icao24', 'hex', 'VARCHAR', { sql: 'a.hex' }),
  text('callsign', 'Call sign, without blanks.'),
  time('firstseen', 'firstSeen', 'First second of the flight in which the aircraft was heard.'),
  time('lastseen', 'lastSeen', 'Last message of the aircraft before the end.'),
  time('airborne', 'airborne', 'First second in the air.'),
  text('origin', `Airport of departure: ${AIRPORT}.`),
  { ...text('origin_source', 'Where that comes from: observed, plan or schedule.'), sql: 'f.originSource' },
  text('destination', `Airport of destination: ${AIRPORT}.`),
  { ...text('destination_source', 'Where that comes from: observed, plan or schedule.'), sql: 'f.destinationSource' },
  time('takeoff', 'takeoff', 'Observed take-off.'),
  { ...text('takeoff_airport', `Airport of the observed take-off: ${AIRPORT}.`), sql: 'f.takeoffAirport' },
  { ...text('takeoff_source', `${MOVEMENT}: transition or appearance.`), sql: 'f.takeoffSource' },
  time('landing', 'landing', 'Observed landing.'),
  { ...text('landing_airport', `Airport of the observed landing: ${AIRPORT}.`), sql: 'f.landingAirport' },
  { ...text('landing_source', `${MOVEMENT}: transition or silence.`), sql: 'f.landingSource' },
  time('ended', 'ended', 'When the flight was seen to be over.'),
  { name: 'end', type: 'VARCHAR', sql: 'f."end"', about: 'Why it ended: departed, renamed, parked or gone.' },
  field('registration', 'r', 'VARCHAR', { sql: 'a.registration' }),
  field('typecode', 't', 'VARCHAR', { sql: 'a.typecode' }),
];

export const dailyKinds = ['positions', 'flights'] as const;
export type DailyKind = (typeof dailyKinds)[number];
export const dailyColumns: Readonly<Record<DailyKind, readonly DailyColumn[]>> = { positions: positionColumns, flights: flightColumns };

export interface DailyFile {
  readonly name: string;
  readonly kind: DailyKind;
  readonly rows: number;
  readonly bytes: number;
  /** Digest of the whole file, lower-case hex. */
  readonly sha256: string;
}

/** Records of a partition that the files were made from: `next` is the offset after the last one. */
export interface OffsetRange {
  readonly partition: number;
  readonly first: number;
  readonly next: number;
}

/** `manifest-YYYY-MM-DD.json`: written last, so a day with a manifest is whole. */
export interface DailyManifest {
  readonly version: typeof DAILY_SCHEMA_VERSION;
  readonly day: string;
  /** SPDX identifier. */
  readonly licence: string;
  /** Name of the source; may be empty. */
  readonly attribution: string;
  readonly files: readonly DailyFile[];
  /** Frames (record offsets of `adsb.frames.v1`) of the first and last position of each partition. Empty for a day without positions. */
  readonly frames: readonly OffsetRange[];
  /** Records of `adsb.flights.ended.v1` that were read for call signs and airports. */
  readonly flightsEnded: readonly OffsetRange[];
  /** Digest of the registrations and types of all aircraft in the file: a rebuild with the same reference data gives the same bytes. */
  readonly referenceSha256: string;
  /** Program that wrote the Parquet: another version may give other bytes for the same rows. */
  readonly writer: string;
}

export const parquetName = (kind: DailyKind, day: string): string => `${kind}-${day}.parquet`;
export const manifestName = (day: string): string => `manifest-${day}.json`;
export const previewName = (day: string): string => `preview-${day}.svg`;
/** Every name in the folder of published files. */
export const publishedName =
  /^(?:(?:positions|flights)-\d{4}-\d\d-\d\d\.parquet|manifest-\d{4}-\d\d-\d\d\.json|preview-\d{4}-\d\d-\d\d\.svg)$/;
