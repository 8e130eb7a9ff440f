// Status of a flight: the values of `status`, of which several may apply; one is shown.

import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { emergencyReasons } from './emergencies.ts';

export const statuses = ['airborne', 'ground', 'climbing', 'level', 'descending', 'emergency'] as const;
export type Status = (typeof statuses)[number];

/** Slower changes of altitude count as level flight. */
const LEVEL_FPM = 250;

/** All values that apply to an aircraft; none when neither altitude nor air/ground state is known. */
export function statusesOf(listing: Listing, i: number): Status[] {
  const shown: Status[] = emergencyReasons(listing, i).length > 0 ? ['emergency'] : [];
  const { onGround, altitudeBaroFt } = listing.columns;
  if (onGround[i] === 1) return [...shown, 'ground'];
  if (onGround[i] === ABSENT && altitudeBaroFt[i] === ABSENT) return shown;
  const rateFpm = rateOf(listing, i);
  if (rateFpm !== ABSENT) shown.push(rateFpm > LEVEL_FPM ? 'climbing' : rateFpm < -LEVEL_FPM ? 'descending' : 'level');
  return [...shown, 'airborne'];
}

/** In the air, as far as known. */
export function isAirborne({ columns }: Listing, i: number): boolean {
  return columns.onGround[i] === 0 || (columns.onGround[i] === ABSENT && columns.altitudeBaroFt[i] !== ABSENT);
}

/** Barometric rate, otherwise geometric; ABSENT when neither is known. */
export function rateOf({ columns }: Listing, i: number): number {
  const baroRateFpm = columns.baroRateFpm[i]!;
  return baroRateFpm === ABSENT ? columns.geomRateFpm[i]! : baroRateFpm;
}
