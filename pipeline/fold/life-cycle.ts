// How long an aircraft is remembered after its last message.
import { fieldSource, SOURCE_NONE } from './accept.ts';
import { type AircraftTable, F_RELIABLE, NON_ICAO, STRIDE_WORDS, W_KEY, W_SEEN } from './layout.ts';

/** It never had a position. */
export const FORGET_UNPLACED_MS = 300_000;
export const FORGET_NON_ICAO_MS = 1_800_000;
export const FORGET_MS = 3_600_000;

/** Time to forget the aircraft. */
export function isForgotten(table: AircraftTable, slot: number, now: number): boolean {
  return now - table.words[slot * STRIDE_WORDS + W_SEEN]! > memoryMs(table, slot);
}

/** How long after its last confirmed message it is remembered. */
export function memoryMs(table: AircraftTable, slot: number): number {
  if (fieldSource(table, slot, F_RELIABLE) === SOURCE_NONE) return FORGET_UNPLACED_MS;
  return (table.words[slot * STRIDE_WORDS + W_KEY]! & NON_ICAO) === 0 ? FORGET_MS : FORGET_NON_ICAO_MS;
}
