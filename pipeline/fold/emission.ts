// When an aircraft's state is written: after every message, and when an emitted value expires without one.
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

/** True when the state at this tick (`aircraft.now`) may differ from the last emitted one. */
export function hasChanged(aircraft: Aircraft): boolean {
  if (aircraft.bytes[aircraft.byte + B_DIRTY] === 1) return true;
  const { words, at, now } = aircraft;
  if (words[at + W_EXPIRY] === NEVER) {
    // Computed here, because most aircraft send again before it matters. Nothing changed since the last emission, so its time gives the same.
    aircraft.now = words[at + W_EMITTED]!;
    words[at + W_EXPIRY] = nextExpiry(aircraft);
    aircraft.now = now;
  }
  return now > words[at + W_EXPIRY]!;
}

/** Removes aircraft that are due, and returns their names and those of displaced aircraft. All others that changed go into `states` and count as emitted. */
export function takeChanged(table: AircraftTable, aircraft: Aircraft, states: TickStates): string[] {
  const { displaced } = table.newcomers;
  // A displaced aircraft that is back is emitted as new.
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

function markEmitted(aircraft: Aircraft): void {
  aircraft.bytes[aircraft.byte + B_DIRTY] = 0;
  aircraft.words[aircraft.at + W_EMITTED] = aircraft.now;
  aircraft.words[aircraft.at + W_EXPIRY] = NEVER;
}

/** When the first value that is valid at `aircraft.now` expires, or the aircraft itself. */
function nextExpiry(aircraft: Aircraft): number {
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
