// The aircraft record as a JSON schema: one property per member, with unit, range and when it is absent. Meanings: decisions part 2.
// No member is ever null; whatever has no "always" here is absent when it is unknown or expired (60 s unless stated).
import { emergencyNames, fieldNames, navModeNames, sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import type { Members } from '../../queries/objects.ts';

const number = (description: string, range: object = {}) => ({ type: 'number', description, ...range });
const integer = (description: string, range: object = {}) => ({ type: 'integer', description, ...range });
const string = (description: string, range: object = {}) => ({ type: 'string', description, ...range });
const degrees = { minimum: 0, maximum: 360 };
const flag = (description: string) => integer(description, { enum: [0, 1] });

const place = {
  lat: number('degrees WGS 84, 6 decimals; absent without a valid position', { minimum: -90, maximum: 90 }),
  lon: number('degrees WGS 84, 6 decimals; absent without a valid position', { minimum: -180, maximum: 180 }),
  nic: integer('navigation integrity category of the position', { minimum: 0, maximum: 11 }),
  rc: integer('containment radius, m; 0 is unknown', { minimum: 0 }),
  seen_pos: number('s between the last position and `now`, 3 decimals', { minimum: 0 }),
};

const identity = {
  hex: string('ICAO 24-bit address, 6 lower-case hex digits; `~` before them for a non-ICAO address; always', {
    pattern: '^~?[0-9a-f]{6}$',
  }),
  type: string('kind of source; absent where none of the four applies', { enum: ['adsb_icao', 'adsr', 'tisb', 'mlat'] }),
  source: string('kind of source in full; always', { enum: [...sourceKinds] }),
  on_ground: { type: 'boolean', description: 'air/ground state; kept for 180 s' },
  flight: string('call sign, padded to 8 characters; kept for 180 s', { maxLength: 8 }),
  r: string('registration, from reference data'),
  t: string('ICAO type designator, from reference data'),
  desc: string('manufacturer and model, from reference data'),
  ownOp: string('owner or operator, from reference data'),
  year: string('year of build, from reference data'),
  dbFlags: integer('sum of 1 military, 2 interesting, 4 PIA, 8 LADD; absent when 0', { minimum: 1, maximum: 15 }),
  route_origin: string('IATA code of the airport it comes from; absent unless the route fits position and direction'),
  route_dest: string('IATA code of the airport it goes to; absent unless the route fits position and direction'),
};

const motion = {
  alt_baro: {
    oneOf: [{ type: 'integer' }, { type: 'string', enum: ['ground'] }],
    description: 'pressure altitude, ft at 1013.25 hPa, or the word ground',
  },
  alt_geom: integer('altitude above the WGS 84 ellipsoid, ft'),
  gs: number('ground speed, kt', { minimum: 0 }),
  ias: integer('indicated airspeed, kt', { minimum: 0 }),
  tas: integer('true airspeed, kt', { minimum: 0 }),
  mach: number('Mach number', { minimum: 0 }),
  wd: integer('direction that the wind blows from, degrees true', degrees),
  ws: integer('wind speed, kt', { minimum: 0, maximum: 250 }),
  oat: number('outside air temperature, °C'),
  tat: number('total air temperature, °C'),
  track: number('track over ground, degrees true', degrees),
  calc_track: number('track from positions, degrees true; only without `track`', degrees),
  track_rate: number('rate of turn, degrees/s', { minimum: -10, maximum: 10 }),
  roll: number('degrees, negative is left', { minimum: -40, maximum: 40 }),
  mag_heading: number('magnetic heading, degrees', degrees),
  true_heading: number('true heading, degrees', degrees),
  baro_rate: integer('barometric vertical rate, ft/min'),
  geom_rate: integer('geometric vertical rate, ft/min'),
};

const status = {
  squawk: string('transponder code, four octal digits', { pattern: '^[0-7]{4}$' }),
  emergency: string('emergency status that the aircraft sends; not derived from the squawk', { enum: [...emergencyNames] }),
  category: string('emitter category', { pattern: '^([AB][1-7]|C[1-3])$' }),
  nav_qnh: number('altimeter setting, hPa'),
  nav_altitude_mcp: integer('altitude selected at MCP or FCU, ft'),
  nav_altitude_fms: integer('altitude selected by the FMS, ft'),
  nav_heading: number('selected heading, degrees', degrees),
  nav_modes: { type: 'array', description: 'modes engaged; empty: none is', items: { type: 'string', enum: [...navModeNames] } },
};

const quality = {
  ...place,
  lastPosition: {
    type: 'object',
    description: 'the last position, where the valid one is gone',
    required: ['lat', 'lon', 'nic', 'rc', 'seen_pos'],
    properties: place,
  },
  gpsOkBefore: number('while satellite navigation is lost: when it was still good, Unix s'),
  gpsOkLat: number('where it was still good, degrees', { minimum: -90, maximum: 90 }),
  gpsOkLon: number('where it was still good, degrees', { minimum: -180, maximum: 180 }),
  version: integer('ADS-B version', { minimum: 0, maximum: 7 }),
  nic_baro: flag('NIC supplement for barometric altitude'),
  nac_p: integer('navigation accuracy category, position', { minimum: 0, maximum: 15 }),
  nac_v: integer('navigation accuracy category, velocity', { minimum: 0, maximum: 7 }),
  sil: integer('source integrity level', { minimum: 0, maximum: 3 }),
  sil_type: string('what `sil` counts by', { enum: ['perhour', 'persample'] }),
  gva: integer('geometric vertical accuracy', { minimum: 0, maximum: 3 }),
  sda: integer('system design assurance', { minimum: 0, maximum: 3 }),
  alert: flag('the transponder code was changed'),
  spi: flag('special position identification'),
  acas_ra: { type: 'object', description: 'collision avoidance advisory; for 15 s', additionalProperties: true },
  mlat: { type: 'array', description: 'members that come from multilateration; always', items: { type: 'string', enum: [...fieldNames] } },
  tisb: { type: 'array', description: 'members that come from TIS-B; always', items: { type: 'string', enum: [...fieldNames] } },
  messages: integer(
    'messages of this aircraft that took effect; always. A transmission counts once, however many receivers heard it: duplicates of other receivers are left out, which readsb counts',
    { minimum: 1 },
  ),
  seen: number('s between the last message and `now`, 1 decimal; always', { minimum: 0 }),
  rssi: number('mean signal level, dBFS; −49.5 is none; always', { maximum: 0 }),
};

/** Members of answers about a place, and of /v2/emergencies. */
const perQuery = {
  dst: number('distance from the asked place, nm, 3 decimals; only in answers about a place', { minimum: 0 }),
  dir: number('direction from the asked place, degrees true, 1 decimal; only in answers about a place', degrees),
  emergency_reasons: {
    type: 'array',
    description: 'rules that made this an emergency; only in /v2/emergencies',
    items: { type: 'string' },
    minItems: 1,
  },
};

export const aircraftSchema = {
  $id: 'Aircraft',
  type: 'object',
  description: 'One aircraft. Members that are unknown or expired are absent, never null. Members may be added.',
  required: ['hex', 'source', 'mlat', 'tisb', 'messages', 'seen', 'rssi'],
  properties: { ...identity, ...motion, ...status, ...quality, ...perQuery },
  // lat, lon, nic, rc and seen_pos appear together or not at all.
  dependentRequired: Object.fromEntries(Object.keys(place).map((name) => [name, Object.keys(place).filter((other) => other !== name)])),
  additionalProperties: false,
} as const;

/** The record as readsb and the aggregators have it: `type` has every kind of source, categories and `sil_type` too. */
export const readsbAircraftSchema = {
  $id: 'ReadsbAircraft',
  type: 'object',
  description: 'One aircraft under the names and values of readsb.',
  required: ['hex', 'type', 'mlat', 'tisb', 'messages', 'seen', 'rssi'],
  properties: {
    ...identity,
    ...motion,
    ...status,
    ...quality,
    ...perQuery,
    type: string('kind of source; always', { enum: [...sourceKinds] }),
    category: string('emitter category', { pattern: '^[A-D][0-7]$' }),
    sil_type: string('what `sil` counts by', { enum: ['unknown', 'perhour', 'persample'] }),
  },
  additionalProperties: false,
} as const;

/** Names that `fields=` may have. */
export const aircraftMembers: Members = { of: 'aircraft', names: Object.keys(aircraftSchema.properties) };
