// Parameters that several routes share, as JSON schemas.
import { limits } from '../../../schemas/limits/index.ts';
import { listQueryProperties } from '../../queries/list-filters.ts';
import { boxForm, circleForm } from '../../queries/readsb-query.ts';
import { anyList, hexForm, hexList, squawkList, type TextForm } from '../../queries/text-forms.ts';
import { text } from './build.ts';

const degrees = (most: number, example: number) => ({
  ...{ type: 'number', minimum: -most, maximum: most, description: 'degrees WGS 84, decimal point', examples: [example] },
});
export const latitude = degrees(90, 52.31);
export const longitude = degrees(180, 4.76);

/** Radius around a position; a larger one than the maximum is reduced to it, and `radius_nm` of the response has the result. */
export const aircraftRadius = {
  type: 'number',
  minimum: 0,
  examples: [100],
  description: `nautical miles; more than ${limits.aircraftRadiusNmMax} counts as ${limits.aircraftRadiusNmMax}. Aircraft at this distance are outside`,
} as const;

/** One aircraft in a path. */
export const oneHex = {
  ...hexForm,
  description: 'ICAO 24-bit address: 6 hex digits in either case, `~` before them for a non-ICAO address',
  examples: ['4840d6'],
} as const;

/** A list in a path. */
export const listInPath = (form: TextForm, description: string, example: string) => ({
  ...form,
  description: `${description}; up to ${limits.listItemsMax}, separated by commas`,
  examples: [example],
});

export const boxProperties = { min_lat: latitude, min_lon: longitude, max_lat: latitude, max_lon: longitude };
export type BoxQuery = { readonly [name in keyof typeof boxProperties]: number };

export const airportCode = (description: string, example: string) => ({
  type: 'string',
  minLength: 1,
  description: `${description}: ICAO, IATA or local code`,
  examples: [example],
});

const value = (form: TextForm, description: string, example: string) => ({ ...form, description, examples: [example] });
const list = (form: TextForm, description: string, example: string) => value(form, `${description}, separated by commas`, example);
const flag = (description: string) => text(`${description}; needs no value`, { examples: [''] });

/** Parameters of queries in the form of readsb. */
export const readsbQueryProperties = {
  all: flag('all aircraft, which is also the default'),
  all_with_pos: flag('all with a valid position'),
  box: value(boxForm, 'aircraft in a box: south, north, west, east in degrees', '51,53,3,7'),
  circle: value(circleForm, 'aircraft in a circle: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
  closest: value(circleForm, 'the nearest aircraft: latitude, longitude in degrees, radius in nm', '52.3,4.76,100'),
  find_hex: list(hexList, 'ICAO 24-bit addresses', '4840d6,4ca7b5'),
  hexlist: list(hexList, 'the same as find_hex', '4840d6,4ca7b5'),
  find_callsign: list(anyList, 'call signs', 'KLM1023'),
  find_reg: list(anyList, 'registrations', 'PH-BXA'),
  find_type: list(anyList, 'ICAO type designators', 'B738,A320'),
  find_squawk: list(squawkList, 'squawks of four octal digits', '7700'),
  filter_squawk: list(squawkList, 'only these squawks', '1000'),
  filter_type: list(anyList, 'only these ICAO type designators', 'B738,A320'),
  filter_callsign_exact: list(anyList, 'only these call signs', 'KLM1023,KLM1024'),
  filter_callsign_prefix: list(anyList, 'only call signs with one of these prefixes', 'KLM,DLH'),
  filter_mil: flag('only military aircraft; several filters by flag are combined with or'),
  filter_interesting: flag('only interesting aircraft'),
  filter_pia: flag('only aircraft with a privacy address'),
  filter_ladd: flag('only aircraft on the LADD list'),
  filter_with_pos: flag('only aircraft with a valid position'),
  above_alt_baro: { ...listQueryProperties.above_alt_baro, description: 'lowest barometric altitude, ft; on the ground counts as 0' },
  below_alt_baro: { ...listQueryProperties.below_alt_baro, description: 'highest barometric altitude, ft; on the ground counts as 0' },
  jv2: flag("the aggregators' envelope"),
  json: flag('JSON, which is also the default'),
  _: flag('ignored: maps add it with a number against caches'),
};
