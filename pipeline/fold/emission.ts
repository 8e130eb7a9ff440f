// When an aircraft's state is told again: after every message, and when a value that was told expires without one.
import { EXPIRE_MS, fieldTime, isValid, lifetimeOf } from './accept.ts';
import { ADVISORY_MS } from './advisory.ts';
import type { Aircraft } from './aircraft.ts';
import type { AircraftTable } from './aircraft-table.ts';
import { gpsTurnsAfter } from './gps.ts';
import {
  B_DIRTY,
  FIELD_COUNT,
  NEVER,
  W_EMITTED,
  W_EXPIRY,
  W_KEY,
  W_SEEN,
  X_ADVISORY_TIME,
  X_TEMPERATURE_TIME,
  X_WIND_TIME,
} from './layout.ts';
import { isForgotten, memoryMs } from './life-cycle.ts';
import { hexOf } from './state.ts';
import type { TickStates } from './tick-states.ts';

/** The state at this tick (`aircraft.now`) may differ from the one told last. */
export function hasChanged(aircraft: Aircraft): boolean {
  if (aircraft.bytes[aircraft.byte + B_DIRTY] === 1) return true;
  const { words, at, now } = aircraft;
  if (words[at + W_EXPIRY] === NEVER) {
    // Only now, as most aircraft send before it matters. Nothing came since the last emission, so its time gives the same.
    aircraft.now = words[at + W_EMITTED]!;
    words[at + W_EXPIRY] = nextExpiry(aircraft);
    aircraft.now = now;
  }
  return now > words[at + W_EXPIRY]!;
}

/** Forgets aircraft whose time has come, and gives their names and those of aircraft that gave way; all others that changed are `states` to tell, and count as told. */
export function takeChanged(table: AircraftTable, aircraft: Aircraft, states: TickStates): string[] {
  const { displaced } = table.newcomers;
  // One that came again is told anew.
  const gone = [...new Set(displaced)].filter((key) => table.find(key) < 0).map(hexOf);
  displaced.length = 0;
  for (let slot = 0; slot < table.highWater; slot += 1) {
    if (!table.isLive(slot)) continue;
    aircraft.turnTo(table, slot);
    if (!hasChanged(aircraft)) continue;
    if (isForgotten(aircraft)) {
      gone.push(hexOf(aircraft.words[aircraft.at + W_KEY]!));
      table.remove(slot);
      continue;
    }
    markEmitted(aircraft);
    states.add(slot);
  }
  return gone;
}

export function markEmitted(aircraft: Aircraft): void {
  aircraft.bytes[aircraft.byte + B_DIRTY] = 0;
  aircraft.words[aircraft.at + W_EMITTED] = aircraft.now;
  aircraft.words[aircraft.at + W_EXPIRY] = NEVER;
}

/** When the first of the values that are valid at `aircraft.now` expires, or the aircraft itself. */
export function nextExpiry(aircraft: Aircraft): number {
  const { words, at, now } = aircraft;
  let next = words[at + W_SEEN]! + memoryMs(aircraft);
  for (let field = 0; field < FIELD_COUNT; field += 1) {
    if (isValid(aircraft, field)) next = Math.min(next, fieldTime(aircraft, field) + lifetimeOf(field));
  }
  next = Math.min(next, gpsTurnsAfter(aircraft, next));
  const windEnd = words[at + X_WIND_TIME]! + EXPIRE_MS;
  if (windEnd >= now) next = Math.min(next, windEnd);
  const advisoryEnd = words[at + X_ADVISORY_TIME]! + ADVISORY_MS;
  if (advisoryEnd >= now) next = Math.min(next, advisoryEnd);
  const temperatureEnd = words[at + X_TEMPERATURE_TIME]! + EXPIRE_MS;
  return temperatureEnd >= now ? Math.min(next, temperatureEnd) : next;
}
