// How long an aircraft is kept after its last message.

import { fieldSource, SOURCE_NONE } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { F_RELIABLE, NON_ICAO, W_KEY, W_SEEN } from './layout.ts';

/** For an aircraft that never had a position. */
const FORGET_UNPLACED_MS = 300_000;
const FORGET_NON_ICAO_MS = 1_800_000;
export const FORGET_MS = 3_600_000;

/** True when the aircraft is due for removal. */
export function isForgotten(aircraft: Aircraft): boolean {
  return aircraft.now - aircraft.words[aircraft.at + W_SEEN]! > memoryMs(aircraft);
}

/** How long it is kept after its last confirmed message. */
export function memoryMs(aircraft: Aircraft): number {
  if (fieldSource(aircraft, F_RELIABLE) === SOURCE_NONE) return FORGET_UNPLACED_MS;
  return (aircraft.words[aircraft.at + W_KEY]! & NON_ICAO) === 0 ? FORGET_MS : FORGET_NON_ICAO_MS;
}
