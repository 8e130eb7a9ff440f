// Composition of groups of flights: how many are in the air and on the ground, and their types and operators.

import { present } from '../../pipeline/flights/airports.ts';
import { compareText, countBy } from './counts.ts';
import type { FlightIndex } from './flight-index.ts';
import { isAirborne } from './flight-status.ts';
import type { ReadModel } from './read-model.ts';

type WithReference = Pick<ReadModel, 'reference'>;

/** Flights in the air, and on the ground; for some neither is known. */
export function airAndGround({ listing }: FlightIndex, indices: readonly number[]): { airborne: number; ground: number } {
  let airborne = 0;
  let ground = 0;
  for (const i of indices) {
    if (listing.columns.onGround[i] === 1) ground += 1;
    else if (isAirborne(listing, i)) airborne += 1;
  }
  return { airborne, ground };
}

/** CNT of types. */
export function typesOf({ reference }: WithReference, { listing }: FlightIndex, indices: readonly number[], most?: number) {
  const counts = countBy(indices, (i) => listing.textOf('typeDesignator', i)).slice(0, most);
  return counts.map(({ code, count }) => present({ t: code, name: reference.type(code)?.description, count }));
}

/** CNT of operators. */
export function operatorsOf({ reference }: WithReference, { listing }: FlightIndex, indices: readonly number[], most?: number) {
  const counts = countBy(indices, (i) => listing.textOf('operator', i)).slice(0, most);
  return counts.map(({ code, count }) => present({ code, name: reference.operator(code)?.name, count }));
}

/** Call signs without blanks, sorted, each once. */
export function callsignsOf({ listing }: FlightIndex, indices: readonly number[]): string[] {
  const callsigns = indices.map((i) => listing.flights[i]?.trimEnd() ?? '').filter((callsign) => callsign !== '');
  return [...new Set(callsigns)].sort(compareText);
}
