// Parameters that several routes share, as JSON schemas.
import { limits } from '../../../schemas/limits.ts';
import { hexForm, type TextForm } from '../../queries/text-forms.ts';

export const latitude = {
  type: 'number',
  minimum: -90,
  maximum: 90,
  description: 'degrees WGS 84, decimal point',
  examples: [52.31],
} as const;
export const longitude = {
  type: 'number',
  minimum: -180,
  maximum: 180,
  description: 'degrees WGS 84, decimal point',
  examples: [4.76],
} as const;

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
