// Undoes a message whose position is refused. Saves only what is written before the position is checked: at most one frame is in
// progress at a time, so one set of saved values is enough.
import type { Aircraft } from './aircraft.ts';
import {
  B_DIRTY,
  B_KIND,
  F_AIR_GROUND,
  F_GROUND_SPEED,
  F_MAG_HEADING,
  F_TRACK,
  F_TRUE_HEADING,
  SOURCES,
  TIMES,
  VALUES,
  W_KIND_TIME,
  W_MESSAGES,
  W_SEEN,
} from './layout.ts';

/** Words that every message writes. The kind and the three versions share one; the change flag shares its word with values that a position does not write. */
const W_KIND_AND_VERSIONS = B_KIND >> 2;
const W_DIRTY = B_DIRTY >> 2;
const HEARD_WORDS = 5;
const SURFACE_FIELDS = [F_AIR_GROUND, F_GROUND_SPEED, F_TRACK, F_MAG_HEADING, F_TRUE_HEADING] as const;

const keptWords = new Int32Array(HEARD_WORDS + 2 * SURFACE_FIELDS.length);
const keptSources = new Uint8Array(SURFACE_FIELDS.length);

/** Saves what `undo` restores; with `surface` also the motion and air/ground state that a surface position writes. */
export function keep(aircraft: Aircraft, surface: boolean): void {
  const { words, bytes, at, byte } = aircraft;
  keptWords[0] = words[at + W_SEEN]!;
  keptWords[1] = words[at + W_MESSAGES]!;
  keptWords[2] = words[at + W_KIND_TIME]!;
  keptWords[3] = words[at + W_KIND_AND_VERSIONS]!;
  keptWords[4] = words[at + W_DIRTY]!;
  if (!surface) return;
  for (let i = 0; i < SURFACE_FIELDS.length; i += 1) {
    const field = SURFACE_FIELDS[i]!;
    keptWords[HEARD_WORDS + 2 * i] = words[at + VALUES + 2 * field]!;
    keptWords[HEARD_WORDS + 2 * i + 1] = words[at + TIMES + 2 * field]!;
    keptSources[i] = bytes[byte + SOURCES + field]!;
  }
}

/** Restores what `keep` saved of this aircraft just before. */
export function undo(aircraft: Aircraft, surface: boolean): void {
  const { words, bytes, at, byte } = aircraft;
  words[at + W_SEEN] = keptWords[0]!;
  words[at + W_MESSAGES] = keptWords[1]!;
  words[at + W_KIND_TIME] = keptWords[2]!;
  words[at + W_KIND_AND_VERSIONS] = keptWords[3]!;
  words[at + W_DIRTY] = keptWords[4]!;
  if (!surface) return;
  for (let i = 0; i < SURFACE_FIELDS.length; i += 1) {
    const field = SURFACE_FIELDS[i]!;
    words[at + VALUES + 2 * field] = keptWords[HEARD_WORDS + 2 * i]!;
    words[at + TIMES + 2 * field] = keptWords[HEARD_WORDS + 2 * i + 1]!;
    bytes[byte + SOURCES + field] = keptSources[i]!;
  }
}
