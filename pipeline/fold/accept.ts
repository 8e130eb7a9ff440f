// Whose word counts: sources in order of trust, the 15 s after which a lesser source may take over, and how long values stay.
import { ABSENT } from '../decode/message.ts';
import { type AircraftTable, F_AIR_GROUND, F_CALLSIGN, SOURCES, STRIDE_BYTES, STRIDE_WORDS, TIMES, VALUES, W_SEEN } from './layout.ts';

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

/** What the fold knows of the frame it works on. One object, overwritten for every frame. */
export class Reception {
  /** Event time of the frame, ms since the time base. */
  now = 0;
  source = SOURCE_NONE;
  /** Index into sourceKinds. */
  kind = 0;
  /** Number of the receiver in the fold's table; 0 is nobody. */
  receiver = 0;
  /** The frame's address is beyond doubt. */
  confirmed = false;
  /** Only values older than GUARD_VALUE_MS are open to this frame. */
  guarded = false;
  /** ADS-B version of the sender as far as known, for the frame's own family of sources; −1 for frames without one. */
  version = -1;
}

/** Would a value of this field from this frame be taken? */
export function wouldAccept(table: AircraftTable, slot: number, field: number, reception: Reception): boolean {
  const { source, now } = reception;
  const at = slot * STRIDE_WORDS;
  const updated = table.words[at + TIMES + 2 * field]!;
  if (source === SOURCE_NONE || now < updated) return false;
  // Not `now`: while nothing reliable is heard of an aircraft, lesser sources have to wait too.
  if (source < table.bytes[slot * STRIDE_BYTES + SOURCES + field]! && table.words[at + W_SEEN]! < updated + STALE_MS) return false;
  return !(reception.guarded && now - updated < GUARD_VALUE_MS);
}

/** Takes the field over for this frame, when it may: its source and time are then the frame's. The value is the caller's to write. */
export function accept(table: AircraftTable, slot: number, field: number, reception: Reception): boolean {
  if (!wouldAccept(table, slot, field, reception)) return false;
  table.bytes[slot * STRIDE_BYTES + SOURCES + field] = reception.source;
  table.words[slot * STRIDE_WORDS + TIMES + 2 * field] = reception.now;
  return true;
}

/** Offers a value; ABSENT is nothing to offer. True when it was taken. */
export function put(table: AircraftTable, slot: number, field: number, reception: Reception, value: number): boolean {
  if (value === ABSENT || !accept(table, slot, field, reception)) return false;
  table.words[slot * STRIDE_WORDS + VALUES + 2 * field] = value;
  return true;
}

/** The value of a field, whatever its age. */
export function fieldValue(table: AircraftTable, slot: number, field: number): number {
  return table.words[slot * STRIDE_WORDS + VALUES + 2 * field]!;
}

export function fieldTime(table: AircraftTable, slot: number, field: number): number {
  return table.words[slot * STRIDE_WORDS + TIMES + 2 * field]!;
}

export function fieldSource(table: AircraftTable, slot: number, field: number): number {
  return table.bytes[slot * STRIDE_BYTES + SOURCES + field]!;
}

/** Age of a value, ms; never below 0. Great when there never was one. */
export function fieldAge(table: AircraftTable, slot: number, field: number, now: number): number {
  return Math.max(now - fieldTime(table, slot, field), 0);
}

/** How long a value of this field stays. */
export function lifetimeOf(field: number): number {
  return field === F_CALLSIGN || field === F_AIR_GROUND ? EXPIRE_LONG_MS : EXPIRE_MS;
}

/** The field has a value that has not expired. */
export function isValid(table: AircraftTable, slot: number, field: number, now: number): boolean {
  return fieldSource(table, slot, field) !== SOURCE_NONE && now - fieldTime(table, slot, field) <= lifetimeOf(field);
}

/** Takes a value away at once. */
export function drop(table: AircraftTable, slot: number, field: number): void {
  table.bytes[slot * STRIDE_BYTES + SOURCES + field] = SOURCE_NONE;
}
