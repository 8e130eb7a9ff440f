// Undoing a message whose position turned out not to be believed. Only what is written before the position is checked is kept: at most
// one frame is in hand at a time, so one place for it serves all.
import type { Aircraft } from './aircraft.ts';
import {
  B_DIRTY,
  B_KIND,
  B_VERSION_ADSB,
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

const WORDS = [W_SEEN, W_MESSAGES, W_KIND_TIME] as const;
/** The three versions lie side by side. */
const BYTES = [B_DIRTY, B_KIND, B_VERSION_ADSB, B_VERSION_ADSB + 1, B_VERSION_ADSB + 2] as const;
const SURFACE_FIELDS = [F_AIR_GROUND, F_GROUND_SPEED, F_TRACK, F_MAG_HEADING, F_TRUE_HEADING] as const;

const keptWords = new Int32Array(WORDS.length + 2 * SURFACE_FIELDS.length);
const keptBytes = new Uint8Array(BYTES.length + SURFACE_FIELDS.length);

/** Keeps what `undo` puts back; `surface` also what a surface position tells of motion and air/ground state. */
export function keep(aircraft: Aircraft, surface: boolean): void {
  const { words, bytes, at, byte } = aircraft;
  keptWords[0] = words[at + W_SEEN]!;
  keptWords[1] = words[at + W_MESSAGES]!;
  keptWords[2] = words[at + W_KIND_TIME]!;
  for (let i = 0; i < BYTES.length; i += 1) keptBytes[i] = bytes[byte + BYTES[i]!]!;
  if (!surface) return;
  for (let i = 0; i < SURFACE_FIELDS.length; i += 1) {
    const field = SURFACE_FIELDS[i]!;
    keptWords[WORDS.length + 2 * i] = words[at + VALUES + 2 * field]!;
    keptWords[WORDS.length + 2 * i + 1] = words[at + TIMES + 2 * field]!;
    keptBytes[BYTES.length + i] = bytes[byte + SOURCES + field]!;
  }
}

/** Puts back what `keep` kept of this aircraft just before. */
export function undo(aircraft: Aircraft, surface: boolean): void {
  const { words, bytes, at, byte } = aircraft;
  for (let i = 0; i < WORDS.length; i += 1) words[at + WORDS[i]!] = keptWords[i]!;
  for (let i = 0; i < BYTES.length; i += 1) bytes[byte + BYTES[i]!] = keptBytes[i]!;
  if (!surface) return;
  for (let i = 0; i < SURFACE_FIELDS.length; i += 1) {
    const field = SURFACE_FIELDS[i]!;
    words[at + VALUES + 2 * field] = keptWords[WORDS.length + 2 * i]!;
    words[at + TIMES + 2 * field] = keptWords[WORDS.length + 2 * i + 1]!;
    bytes[byte + SOURCES + field] = keptBytes[BYTES.length + i]!;
  }
}
