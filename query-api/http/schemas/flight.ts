// Flights, airports, operators and counts as JSON schemas: the blocks FLT, APT, OPR and CNT of decisions G6. Unknown members are absent.

import { emergencyNames } from '../../../schemas/avro/aircraft-state.ts';
import { flightPlanSources } from '../../../schemas/avro/flight-plan.ts';
import { statuses } from '../../queries/flight-status.ts';
import { amount, flag, listOf, long, number, object, type Properties, part, reference, text } from './build.ts';
import { metaProperties } from './envelope.ts';

const codes = {
  icao: text('ICAO code'),
  iata: text('IATA code'),
  name: text('name in words'),
};

const airportProperties = {
  ...codes,
  local: text('code of the national authority'),
  city: text('city that it serves'),
  country: text('ISO 3166-1 alpha-2'),
  lat: number('degrees WGS 84', { minimum: -90, maximum: 90 }),
  lon: number('degrees WGS 84', { minimum: -180, maximum: 180 }),
  elevation_ft: number('ft above mean sea level'),
  type: text('kind of airport', {
    enum: ['large_airport', 'medium_airport', 'small_airport', 'heliport', 'seaplane_base', 'balloonport', 'closed'],
  }),
};

export const airportSchema = {
  $id: 'Airport',
  ...part('One airport. Codes that it does not have are absent.', airportProperties, ['name', 'lat', 'lon']),
};

/** With more members. */
export const airportWith = (more: Properties) =>
  part('one airport', { ...airportProperties, ...more }, ['name', 'lat', 'lon', ...Object.keys(more)]);

const airportCodesSchema = { $id: 'AirportCodes', ...part('Codes and name of an airport.', codes, ['name']) };

const operatorProperties = {
  ...codes,
  icao: text('ICAO code; always'),
  callsign: text('name on the radio'),
  country: text('ISO 3166-1 alpha-2'),
};

const operatorSchema = {
  $id: 'Operator',
  ...part('One operator. Without reference data it has only the code.', operatorProperties, ['icao']),
};

export const operatorWith = (more: Properties) => part('one operator', { ...operatorProperties, ...more }, ['icao', ...Object.keys(more)]);

export const typeProperties = {
  t: text('ICAO type designator; always'),
  desc: text('manufacturer and model'),
};

const counts = (most: string, code: string, codeAbout: object, name: string, order: string) =>
  listOf(
    object({ [code]: codeAbout, name: text(name), count: amount('number of flights or aircraft') }, [code, 'count']),
    `${most}; the greatest count first, equal ones by ${order}`,
  );
export const operatorCounts = (most: string) => counts(most, 'code', text('ICAO code'), 'name in words', 'code');
export const typeCounts = (most: string) => counts(most, 't', typeProperties.t, 'manufacturer and model', 'designator');

const flightProperties = {
  hex: text('ICAO 24-bit address, 6 lower-case hex digits; `~` before them for a non-ICAO address; always', {
    pattern: '^~?[0-9a-f]{6}$',
  }),
  flight: text('call sign, padded to 8 characters', { maxLength: 8 }),
  r: text('registration, from reference data'),
  t: text('ICAO type designator, from reference data'),
  operator: text('ICAO code of the operator: the three letters before the number of the call sign'),
  status: text('what the flight does; an emergency stands before all else', { enum: [...statuses] }),
  origin: reference('AirportCodes'),
  destination: reference('AirportCodes'),
  route_source: text('who says so: a flight plan, a schedule, or what was observed of take-off and landing', {
    enum: [...flightPlanSources],
  }),
  route_plausible: flag('false: there is a route, but position or direction contradict it, and it is not shown; absent without a route'),
  departed_at: long('take-off of this flight, Unix s; absent when not observed'),
  landed_at: long('landing of this flight, Unix s; absent when not observed, and from 20 minutes after it'),
  lat: number('degrees WGS 84; absent without a valid position', { minimum: -90, maximum: 90 }),
  lon: number('degrees WGS 84; absent without a valid position', { minimum: -180, maximum: 180 }),
  alt_baro: {
    oneOf: [{ type: 'integer' }, { type: 'string', enum: ['ground'] }],
    description: 'pressure altitude, ft at 1013.25 hPa, or the word ground',
  },
  gs: number('ground speed, kt', { minimum: 0 }),
  track: number('track over ground, degrees true', { minimum: 0, maximum: 360 }),
  baro_rate: number('barometric rate, ft/min'),
  squawk: text('transponder code, four octal digits', { pattern: '^[0-7]{4}$' }),
  emergency: text('declared emergency', { enum: [...emergencyNames] }),
  seen: number('s between the last message and `now`; always', { minimum: 0 }),
  seen_pos: number('s between the last position and `now`', { minimum: 0 }),
  distance_from_origin_nm: number('great circle, nm', { minimum: 0 }),
  distance_to_destination_nm: number('great circle, nm', { minimum: 0 }),
  progress_percent: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'distance flown, in percent of distance flown plus distance to go',
  },
  eta: long('arrival at the present ground speed along the great circle, Unix s; absent on the ground and without a destination'),
};

export const flightSchema = {
  $id: 'Flight',
  ...part('One live flight. Members that are unknown or expired are absent, never null. Members may be added.', flightProperties, [
    'hex',
    'seen',
  ]),
};

/** With the whole block of both airports. */
export const wholeFlightSchema = part(
  'the flight',
  { ...flightProperties, origin: reference('Airport'), destination: reference('Airport') },
  flightSchema.required,
);

/** Names that `fields=` may have. */
export const flightMembers: readonly string[] = Object.keys(flightProperties);

export const flightSchemas: readonly object[] = [airportSchema, airportCodesSchema, operatorSchema, flightSchema];

/** A response with the block META. */
export const metaOf = (properties: Properties, required: readonly string[] = Object.keys(properties)) =>
  object({ ...metaProperties, ...properties }, ['now', 'ctime', 'ptime', 'total', ...required]);
