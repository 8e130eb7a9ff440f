// How long an aircraft is remembered after its last message.

import { fieldSource, SOURCE_NONE } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { F_RELIABLE, NON_ICAO, W_KEY, W_SEEN } from './layout.ts';

/** It never had a position. */
export const FORGET_UNPLACED_MS = 300_000;
export const FORGET_NON_ICAO_MS = 1_800_000;
export const FORGET_MS = 3_600_000;

/** Time to forget the aircraft. */
export function isForgotten(aircraft: Aircraft): boolean {
  return aircraft.now - aircraft.words[aircraft.at + W_SEEN]! > memoryMs(aircraft);
}

/** How long after its last confirmed message it is remembered. */
export function memoryMs(aircraft: Aircraft): number {
  if (fieldSource(aircraft, F_RELIABLE) === SOURCE_NONE) return FORGET_UNPLACED_MS;
  return (aircraft.words[aircraft.at + W_KEY]! & NON_ICAO) === 0 ? FORGET_MS : FORGET_NON_ICAO_MS;
}
