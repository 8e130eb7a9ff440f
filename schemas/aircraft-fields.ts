// The one table of an aircraft's fields. The Avro state, the fold's state writer, the view's columns, the JSON of the API, its contract and the
// fields that `verify` compares are derived from it. schemas/README.md says how to add one.
//
// The order of the rows is the order of members in the JSON object and in the contract. `number` is the position in the Avro state: it is fixed
// for ever, and a new field takes the next one. Meanings follow the interface specification.

/** Kinds of source, best first; a state's `source` is an index into this list. The names are those of the readsb view. */
export const sourceKinds = [
  'adsb_icao',
  'adsb_icao_nt',
  'adsr_icao',
  'tisb_icao',
  'adsc',
  'mlat',
  'other',
  'mode_s',
  'adsb_other',
  'adsr_other',
  'tisb_trackfile',
  'tisb_other',
  'mode_ac',
  'unknown',
] as const;

/** Emergency/priority status codes 0 to 7, DO-260B §2.2.3.2.7.8.1. */
export const emergencyNames = ['none', 'general', 'lifeguard', 'minfuel', 'nordo', 'unlawful', 'downed', 'reserved'] as const;

/** Bit n of `navModes` stands for name n. */
export const navModeNames = ['autopilot', 'vnav', 'althold', 'approach', 'lnav', 'tcas'] as const;

/** Values of `silType`. */
export const silTypeNames = ['unknown', 'perhour', 'persample'] as const;

/** A value disappears this long after its last update, unless its row says otherwise. */
export const KEPT_S = 60;

export interface AircraftField {
  /** Position in the Avro state; absent when the field is not in the state. */
  readonly number?: number;
  /** Our name: of the field in the Avro state and of the view's column, with its unit at the end. */
  readonly name?: string;
  /** Name in `/v2`, from the interface specification; absent when not shown. */
  readonly member?: string;
  /** Name in readsb's aircraft.json, if different; null when readsb has none. */
  readonly readsb?: string | null;
  /** Names in older programs. */
  readonly older?: readonly string[];
  /** Name in the `mlat` and `tisb` lists. */
  readonly listed?: string;
  /** Avro type in the state. */
  readonly type?: 'int' | 'long' | 'boolean' | 'string' | 'AcasAdvisory';
  /** The integer in the state is the value times 10^decimals. */
  readonly decimals?: 1 | 2 | 3 | 6;
  readonly unit?: string;
  /** Least and greatest value. */
  readonly range?: readonly [least: number | null, greatest: number | null];
  /** The integer is 0 or 1. */
  readonly isFlag?: true;
  /** The integer is an index into these names. */
  readonly names?: readonly string[];
  /** Bit n of the integer stands for name n. */
  readonly bits?: readonly string[];
  /** Always present; any other field is absent (null in the state) while it is unknown or expired. */
  readonly always?: true;
  /** The value in the fold that determines source, time and validity; its own if not given. */
  readonly group?: string;
  /** Seconds until the value disappears after its last update, if not KEPT_S; null: it does not expire. */
  readonly keptS?: number | null;
  /** Its origin if not messages: reference data, or the query of one response. */
  readonly from?: 'reference' | 'query';
  /** Tolerance for another program's value when `verify` compares; 0 if not given. */
  readonly near?: number;
  /** The same for old programs, which print integers; some add a half and truncate, so that a western track is up to 1.5° too large. */
  readonly nearCoarse?: number;
  /** One sentence, without unit, scale and absence, which have their own columns. */
  readonly about: string;
}

// biome-ignore format: a table
export const aircraftFields = [
  { number: 0, name: 'hex', member: 'hex', type: 'string', always: true,
    about: 'ICAO 24-bit address as 6 lower-case hex digits, with `~` in front of an address that is not an ICAO one.' },
  { number: 1, name: 'tickMs', type: 'long', unit: 'ms since the Unix epoch', always: true, about: 'The tick this state was taken at.' },
  { member: 'type', about: 'Kind of source of the position; absent where none of the four applies.' },
  { number: 2, name: 'source', member: 'source', readsb: 'type', type: 'int', names: sourceKinds, always: true,
    about: "Kind of source of the position, in full, under readsb's names." },
  { number: 15, name: 'onGround', member: 'on_ground', readsb: null, type: 'boolean', group: 'airGround', keptS: 180,
    about: 'Whether the aircraft is on the ground.' },
  { number: 16, name: 'flight', member: 'flight', listed: 'callsign', type: 'string', group: 'callSign', keptS: 180,
    about: 'Call sign, padded with spaces to 8 characters.' },
  { member: 'r', from: 'reference', about: 'Registration, from reference data.' },
  { member: 't', from: 'reference', about: 'ICAO type designator, from reference data.' },
  { member: 'desc', from: 'reference', about: 'Manufacturer and model, from reference data.' },
  { member: 'ownOp', from: 'reference', about: 'Owner or operator, from reference data.' },
  { member: 'year', from: 'reference', about: 'Year of build, from reference data.' },
  { member: 'dbFlags', from: 'reference', range: [1, 15],
    about: 'Sum of 1 (military), 2 (interesting), 4 (PIA) and 8 (LADD), from reference data; absent when 0.' },
  { member: 'route_origin', readsb: null, from: 'reference',
    about: 'IATA code of the airport of departure; absent unless the route fits position and direction.' },
  { member: 'route_dest', readsb: null, from: 'reference',
    about: 'IATA code of the destination airport; absent unless the route fits position and direction.' },
  { number: 20, name: 'altitudeBaroFt', member: 'alt_baro', older: ['altitude'], listed: 'altitude', type: 'int', unit: 'ft', group: 'altitudeBaro',
    about: 'Pressure altitude at 1013.25 hPa, or the word `ground`; may be negative.' },
  { number: 21, name: 'altitudeGeomFt', member: 'alt_geom', listed: 'alt_geom', type: 'int', unit: 'ft', group: 'altitudeGeom',
    about: 'Altitude above the WGS 84 ellipsoid.' },
  { number: 22, name: 'groundSpeedDeciKt', member: 'gs', older: ['speed'], listed: 'gs', type: 'int', decimals: 1, unit: 'kt', range: [0, null],
    group: 'groundSpeed', near: 0.15, nearCoarse: 1, about: 'Ground speed.' },
  { number: 23, name: 'iasKt', member: 'ias', listed: 'ias', type: 'int', unit: 'kt', range: [0, null], group: 'ias', about: 'Indicated airspeed.' },
  { number: 24, name: 'tasKt', member: 'tas', listed: 'tas', type: 'int', unit: 'kt', range: [0, null], group: 'tas', about: 'True airspeed.' },
  { number: 25, name: 'machMilli', member: 'mach', listed: 'mach', type: 'int', decimals: 3, range: [0, null], group: 'mach', near: 0.0006,
    about: 'Mach number.' },
  { number: 49, name: 'windDirectionDeg', member: 'wd', type: 'int', unit: 'degrees', range: [0, 360], near: 3,
    about: 'Direction the wind blows from, true, calculated from speeds, track and heading.' },
  { number: 50, name: 'windSpeedKt', member: 'ws', type: 'int', unit: 'kt', range: [0, 250], near: 3,
    about: 'Wind speed, calculated from speeds, track and heading.' },
  { number: 51, name: 'oatC', member: 'oat', type: 'int', unit: '°C', near: 1,
    about: 'Outside air temperature, calculated from true airspeed and Mach number.' },
  { number: 52, name: 'tatC', member: 'tat', type: 'int', unit: '°C', near: 1,
    about: 'Total air temperature, calculated from true airspeed and Mach number.' },
  { number: 26, name: 'trackCentideg', member: 'track', listed: 'track', type: 'int', decimals: 2, unit: 'degrees', range: [0, 360], group: 'track',
    near: 0.06, nearCoarse: 1.5, about: 'Track over ground, true.' },
  { number: 27, name: 'calcTrackDeg', member: 'calc_track', type: 'int', unit: 'degrees', range: [0, 360], group: 'position', near: 1,
    about: 'Track between the last positions, true; only in flight and without `track`.' },
  { number: 28, name: 'trackRateCentidegPerS', member: 'track_rate', listed: 'track_rate', type: 'int', decimals: 2, unit: 'degrees/s',
    range: [-10, 10], group: 'trackRate', near: 0.011, about: 'Rate of turn; positive is to the right.' },
  { number: 29, name: 'rollCentideg', member: 'roll', listed: 'roll', type: 'int', decimals: 2, unit: 'degrees', range: [-40, 40], group: 'roll',
    near: 0.06, about: 'Roll angle; negative is left wing down.' },
  { number: 30, name: 'magHeadingCentideg', member: 'mag_heading', listed: 'mag_heading', type: 'int', decimals: 2, unit: 'degrees',
    range: [0, 360], group: 'magHeading', near: 0.06, about: 'Magnetic heading.' },
  { number: 31, name: 'trueHeadingCentideg', member: 'true_heading', listed: 'true_heading', type: 'int', decimals: 2, unit: 'degrees',
    range: [0, 360], group: 'trueHeading', near: 1, about: 'True heading; in flight calculated from the magnetic heading.' },
  { number: 32, name: 'baroRateFpm', member: 'baro_rate', listed: 'baro_rate', type: 'int', unit: 'ft/min', group: 'baroRate',
    about: 'Vertical rate of the pressure altitude.' },
  { number: 33, name: 'geomRateFpm', member: 'geom_rate', listed: 'geom_rate', type: 'int', unit: 'ft/min', group: 'geomRate',
    about: 'Vertical rate of the geometric altitude.' },
  { number: 18, name: 'squawk', member: 'squawk', listed: 'squawk', type: 'string', group: 'squawk',
    about: 'Transponder code, four octal digits.' },
  { number: 19, name: 'emergency', member: 'emergency', listed: 'emergency', type: 'int', names: emergencyNames, group: 'emergency',
    about: 'Emergency status that the aircraft sends; it does not follow from the squawk.' },
  { number: 17, name: 'category', member: 'category', type: 'string', keptS: null, about: 'Emitter category.' },
  { number: 34, name: 'navQnhDeciHpa', member: 'nav_qnh', listed: 'nav_qnh', type: 'int', decimals: 1, unit: 'hPa', group: 'navQnh', near: 0.11,
    about: 'Altimeter setting.' },
  { number: 35, name: 'navAltitudeMcpFt', member: 'nav_altitude_mcp', listed: 'nav_altitude_mcp', type: 'int', unit: 'ft', group: 'navAltitudeMcp',
    about: 'Altitude selected at the mode control panel or flight control unit.' },
  { number: 36, name: 'navAltitudeFmsFt', member: 'nav_altitude_fms', listed: 'nav_altitude_fms', type: 'int', unit: 'ft', group: 'navAltitudeFms',
    about: 'Altitude selected by the flight management system.' },
  { number: 37, name: 'navHeadingCentideg', member: 'nav_heading', listed: 'nav_heading', type: 'int', decimals: 2, unit: 'degrees',
    range: [0, 360], group: 'navHeading', near: 0.06, about: 'Selected heading; mostly magnetic, the message does not say.' },
  { number: 38, name: 'navModes', member: 'nav_modes', listed: 'nav_modes', type: 'int', bits: navModeNames, group: 'navModes',
    about: 'Autopilot modes that are engaged; empty when none is.' },
  { number: 7, name: 'positionValid', type: 'boolean', always: true, group: 'position', about: 'Whether the position is younger than 60 s.' },
  { number: 8, name: 'latitudeMicrodeg', member: 'lat', listed: 'lat', type: 'int', decimals: 6, unit: 'degrees', range: [-90, 90], group: 'position',
    about: 'Latitude of the position, WGS 84; absent without a valid position.' },
  { number: 9, name: 'longitudeMicrodeg', member: 'lon', listed: 'lon', type: 'int', decimals: 6, unit: 'degrees', range: [-180, 180],
    group: 'position', about: 'Longitude of the position, WGS 84; absent without a valid position.' },
  { number: 10, name: 'nic', member: 'nic', listed: 'nic', type: 'int', range: [0, 11], group: 'position',
    about: 'Navigation integrity category of the position.' },
  { number: 11, name: 'rcM', member: 'rc', listed: 'rc', type: 'int', unit: 'm', range: [0, null], group: 'position', near: 1.5,
    about: 'Radius of containment of the position; 0 is unknown.' },
  { number: 6, name: 'positionMs', member: 'seen_pos', type: 'long', unit: 's', range: [0, null], group: 'position',
    about: 'Age of the position at `now`, 3 decimals.' },
  { member: 'lastPosition', keptS: 1_209_600, about: 'The last position, while there is no valid one.' },
  { number: 12, name: 'gpsOkMs', member: 'gpsOkBefore', type: 'long', unit: 'Unix s', keptS: 900,
    about: 'Time of the last position with good accuracy, while satellite navigation is lost.' },
  { number: 13, name: 'gpsOkLatitudeMicrodeg', member: 'gpsOkLat', type: 'int', decimals: 6, unit: 'degrees', range: [-90, 90], keptS: 900,
    about: 'Latitude of that position.' },
  { number: 14, name: 'gpsOkLongitudeMicrodeg', member: 'gpsOkLon', type: 'int', decimals: 6, unit: 'degrees', range: [-180, 180], keptS: 900,
    about: 'Longitude of that position.' },
  { number: 39, name: 'version', member: 'version', type: 'int', range: [0, 7], keptS: null, about: 'ADS-B version; absent while the aircraft sends no ADS-B.' },
  { number: 40, name: 'nicBaro', member: 'nic_baro', listed: 'nic_baro', type: 'int', isFlag: true, group: 'nicBaro',
    about: 'NIC supplement for pressure altitude; 1 when the altitude is cross-checked.' },
  { number: 41, name: 'nacP', member: 'nac_p', listed: 'nac_p', type: 'int', range: [0, 15], group: 'nacP',
    about: 'Navigation accuracy category of the position.' },
  { number: 42, name: 'nacV', member: 'nac_v', listed: 'nac_v', type: 'int', range: [0, 7], group: 'nacV',
    about: 'Navigation accuracy category of the velocity.' },
  { number: 43, name: 'sil', member: 'sil', listed: 'sil', type: 'int', range: [0, 3], group: 'sil', about: 'Source integrity level.' },
  { number: 44, name: 'silType', member: 'sil_type', listed: 'sil_type', type: 'int', names: silTypeNames, group: 'sil',
    about: 'Whether `sil` counts per flight hour or per sample.' },
  { number: 45, name: 'gva', member: 'gva', listed: 'gva', type: 'int', range: [0, 3], group: 'gva', about: 'Geometric vertical accuracy.' },
  { number: 46, name: 'sda', member: 'sda', listed: 'sda', type: 'int', range: [0, 3], group: 'sda', about: 'System design assurance.' },
  { number: 47, name: 'alert', member: 'alert', type: 'int', isFlag: true, group: 'alert',
    about: 'Flight status alert: the transponder code was changed lately or is an emergency code.' },
  { number: 48, name: 'spi', member: 'spi', type: 'int', isFlag: true, group: 'spi', about: 'Special position identification: the pilot pressed ident.' },
  { number: 53, name: 'acasRa', member: 'acas_ra', type: 'AcasAdvisory', keptS: 15, about: 'The last collision avoidance (ACAS) advisory.' },
  { number: 54, name: 'mlatFields', member: 'mlat', type: 'long', always: true, about: 'Members whose value comes from multilateration.' },
  { number: 55, name: 'tisbFields', member: 'tisb', type: 'long', always: true, about: 'Members whose value comes from TIS-B.' },
  { number: 4, name: 'messages', member: 'messages', type: 'int', range: [1, null], always: true,
    about: 'Messages of this aircraft that took effect; a transmission counts once, however many receivers heard it, where readsb counts each.' },
  { number: 3, name: 'seenMs', member: 'seen', type: 'long', unit: 's', range: [0, null], always: true,
    about: 'Age of the last message at `now`, 1 decimal.' },
  { number: 5, name: 'rssiDeciDbfs', member: 'rssi', type: 'int', decimals: 1, unit: 'dBFS', range: [null, 0], always: true,
    about: 'Mean signal level of the last messages; −49.5 is none.' },
  { member: 'dst', from: 'query', unit: 'nm', range: [0, null], about: 'Distance from the position of the query, 3 decimals; only in responses to such a query.' },
  { member: 'dir', from: 'query', unit: 'degrees', range: [0, 360],
    about: 'Direction from the position of the query, true, 1 decimal; only in responses to such a query.' },
  { member: 'emergency_reasons', readsb: null, from: 'query', about: 'Rules that made this an emergency; only in /v2/emergencies.' },
] as const satisfies readonly AircraftField[];

type Row = (typeof aircraftFields)[number];

/** Fields of the Avro state. */
export type StateField = Extract<Row, { readonly number: number }>;
/** Members of the aircraft object. */
export type MemberName = Extract<Row, { readonly member: string }>['member'];
/** Names of values in the fold. */
export type FieldGroup = Extract<Row, { readonly group: string }>['group'];
/** Names in the `mlat` and `tisb` lists. */
type ListedName = Extract<Row, { readonly listed: string }>['listed'];

const rows: readonly AircraftField[] = aircraftFields;

/** A row of the state, with any name. */
export type StateRow = AircraftField & Required<Pick<AircraftField, 'number' | 'name' | 'type'>>;
export type MemberRow = AircraftField & Required<Pick<AircraftField, 'member'>>;

const isStateRow = (row: AircraftField): row is StateRow => row.number !== undefined;
const isMemberRow = (row: AircraftField): row is MemberRow => row.member !== undefined;

/**
 * Fields of the state by number. The order is stable: a new field comes last. Other numberings (bits of a change, columns of a store,
 * fields of a message) can use it.
 */
export const stateFields: readonly StateRow[] = rows.filter(isStateRow).sort((a, b) => a.number - b.number);

/** Members of the aircraft object in their order. */
export const memberFields: readonly MemberRow[] = rows.filter(isMemberRow);

/** Names in the `mlat` and `tisb` lists, in their order; bit n of a field mask stands for name n. */
export const fieldNames = rows.flatMap(({ listed }) => listed ?? []) as readonly ListedName[];
