// Whose word counts: sources in order of trust, the 15 s after which a lesser source may take over, and how long values stay.
import { ABSENT } from '../decode/message.ts';
import type { Aircraft } from './aircraft.ts';
import { F_AIR_GROUND, F_CALLSIGN, SOURCES, TIMES, VALUES } from './layout.ts';

/** Sources, worst first. A field keeps the one its value came from. */
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

/** A value older than this may be replaced by a lesser source; it stays visible. */
export const STALE_MS = 15_000;
export const EXPIRE_MS = 60_000;
/** Call sign and air/ground state. */
export const EXPIRE_LONG_MS = 180_000;
/** While a position is this fresh, other data come only from receivers that gave positions: feeders differ in delay, and mixing them jitters. */
export const GUARD_POSITION_MS = 2200;
/** The guard does not hold for values older than this. */
export const GUARD_VALUE_MS = 5000;

/** Would a value of this field from this frame be taken? The frame's source is not SOURCE_NONE. */
export function wouldAccept(aircraft: Aircraft, field: number): boolean {
  const { now } = aircraft;
  const updated = aircraft.words[aircraft.at + TIMES + 2 * field]!;
  if (now < updated) return false;
  if (aircraft.source < aircraft.bytes[aircraft.byte + SOURCES + field]! && now < updated + STALE_MS) return false;
  return !(aircraft.guarded && now - updated < GUARD_VALUE_MS);
}

/** Takes the field over for this frame, when it may: its source and time are then the frame's. The value is the caller's to write. */
export function accept(aircraft: Aircraft, field: number): boolean {
  if (!wouldAccept(aircraft, field)) return false;
  takeOver(aircraft, field);
  return true;
}

/** As `accept`, where it is known already that the frame may. */
export function takeOver(aircraft: Aircraft, field: number): void {
  aircraft.bytes[aircraft.byte + SOURCES + field] = aircraft.source;
  aircraft.words[aircraft.at + TIMES + 2 * field] = aircraft.now;
}

/** Offers a value; ABSENT is nothing to offer. True when it was taken. The rule of `wouldAccept`, spelt out: most of the fold's time is here. */
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

/** Age of a value, ms; never below 0. Great when there never was one. */
export function fieldAge(aircraft: Aircraft, field: number): number {
  return Math.max(aircraft.now - fieldTime(aircraft, field), 0);
}

/** How long a value of this field stays. */
export function lifetimeOf(field: number): number {
  return field === F_CALLSIGN || field === F_AIR_GROUND ? EXPIRE_LONG_MS : EXPIRE_MS;
}

/** The field has a value that has not expired. */
export function isValid(aircraft: Aircraft, field: number): boolean {
  return fieldSource(aircraft, field) !== SOURCE_NONE && aircraft.now - fieldTime(aircraft, field) <= lifetimeOf(field);
}

/** Takes a value away at once. */
export function drop(aircraft: Aircraft, field: number): void {
  aircraft.bytes[aircraft.byte + SOURCES + field] = SOURCE_NONE;
}
