// Decides if a source may write a value: sources by rank, the 15 s after which a lower one may replace it, and how long values live.
import { ABSENT } from '../decode/message.ts';
import type { Aircraft } from './aircraft.ts';
import { F_AIR_GROUND, F_CALLSIGN, SOURCES, TIMES, VALUES } from './layout.ts';

/** Sources, lowest first. A field keeps the source of its value. */
export const SOURCE_NONE = 0;
/** Computed from other fields. */
export const SOURCE_INDIRECT = 1;
export const SOURCE_MLAT = 4;
/** Replies whose address is only a parity remainder. */
export const SOURCE_MODE_S = 5;
export const SOURCE_ADSC = 6;
/** All-call replies: the address is in the frame and under parity. */
export const SOURCE_MODE_S_CHECKED = 7;
export const SOURCE_TISB = 8;
export const SOURCE_ADSR = 9;
export const SOURCE_ADSB = 10;

/** A value older than this may be replaced by a lower source; it stays visible. */
export const STALE_MS = 15_000;
export const EXPIRE_MS = 60_000;
/** Call sign and air/ground state. */
const EXPIRE_LONG_MS = 180_000;
/** While a position is this fresh, other data count only from corroborating receivers: feeders differ in delay, and mixing them makes values jump. */
export const GUARD_POSITION_MS = 2200;
/** The guard does not apply to values older than this. */
export const GUARD_VALUE_MS = 5000;

/** True when the frame may write a value of this field. The frame's source must not be SOURCE_NONE. */
export function wouldAccept(aircraft: Aircraft, field: number): boolean {
  const { now } = aircraft;
  const updated = aircraft.words[aircraft.at + TIMES + 2 * field]!;
  if (now < updated) return false;
  if (aircraft.source < aircraft.bytes[aircraft.byte + SOURCES + field]! && now < updated + STALE_MS) return false;
  return !(aircraft.guarded && now - updated < GUARD_VALUE_MS);
}

/** Gives the field the frame's source and time, if the frame may write it. The caller then writes the value. */
export function accept(aircraft: Aircraft, field: number): boolean {
  if (!wouldAccept(aircraft, field)) return false;
  takeOver(aircraft, field);
  return true;
}

/** Does the same as `accept`, when the caller already knows that the frame may write the field. */
export function takeOver(aircraft: Aircraft, field: number): void {
  aircraft.bytes[aircraft.byte + SOURCES + field] = aircraft.source;
  aircraft.words[aircraft.at + TIMES + 2 * field] = aircraft.now;
}

/** Writes a value, unless it is ABSENT or the frame may not write the field. True when written. Repeats the rule of `wouldAccept` inline: most of the fold's time is here. */
export function put(aircraft: Aircraft, field: number, value: number): boolean {
  if (value === ABSENT) return false;
  const { words, bytes, now, source } = aircraft;
  const timeAt = aircraft.at + TIMES + 2 * field;
  const sourceAt = aircraft.byte + SOURCES + field;
  const updated = words[timeAt]!;
  if (now < updated) return false;
  if (source < bytes[sourceAt]! && now < updated + STALE_MS) return false;
  if (aircraft.guarded && now - updated < GUARD_VALUE_MS) return false;
  bytes[sourceAt] = source;
  words[timeAt] = now;
  words[timeAt - 1] = value;
  return true;
}

/** The value of a field, whatever its age. */
export function fieldValue(aircraft: Aircraft, field: number): number {
  return aircraft.words[aircraft.at + VALUES + 2 * field]!;
}

export function fieldTime(aircraft: Aircraft, field: number): number {
  return aircraft.words[aircraft.at + TIMES + 2 * field]!;
}

export function fieldSource(aircraft: Aircraft, field: number): number {
  return aircraft.bytes[aircraft.byte + SOURCES + field]!;
}

/** Age of a value, ms; never below 0. Very large when the field has no value. */
export function fieldAge(aircraft: Aircraft, field: number): number {
  return Math.max(aircraft.now - fieldTime(aircraft, field), 0);
}

/** Lifetime of a value of this field. */
export function lifetimeOf(field: number): number {
  return field === F_CALLSIGN || field === F_AIR_GROUND ? EXPIRE_LONG_MS : EXPIRE_MS;
}

/** The field has a value within its lifetime. */
export function isValid(aircraft: Aircraft, field: number): boolean {
  return fieldSource(aircraft, field) !== SOURCE_NONE && aircraft.now - fieldTime(aircraft, field) <= lifetimeOf(field);
}

/** Removes a value at once. */
export function drop(aircraft: Aircraft, field: number): void {
  aircraft.bytes[aircraft.byte + SOURCES + field] = SOURCE_NONE;
}
