// Recently discarded implausible positions of an aircraft: avoids counting one twice, and counts the receivers that report the same one.
import type { Aircraft } from './aircraft.ts';
import {
  B_DISCARDED_NEXT,
  DISCARDED_POSITIONS,
  H_DISCARDED_RECEIVERS,
  H_DISCARDED_REPEATS,
  X_DISCARDED,
  X_DISCARDED_TIME,
  X_DISCARDED_TIMES,
} from './layout.ts';

const REPEAT_MS = 4000;
const RATE_MS = 300;
/** Bits per counter: how many other receivers repeated each discarded position. */
const REPEAT_BITS = 4;
const REPEATS_MAX = (1 << REPEAT_BITS) - 1;

/** True when a recently discarded position was the same, or came from the same receiver just before: it is already counted. */
export function wasDiscarded(aircraft: Aircraft, cprLat: number, cprLon: number): boolean {
  const { words, halves, at, now } = aircraft;
  if (now - words[at + X_DISCARDED_TIME]! >= REPEAT_MS) return false;
  const word = cprWord(cprLat, cprLon);
  for (let i = 0; i < DISCARDED_POSITIONS; i += 1) {
    const age = now - words[at + X_DISCARDED_TIMES + i]!;
    if (age < REPEAT_MS && words[at + X_DISCARDED + i] === word) return true;
    if (age < RATE_MS && halves[2 * at + H_DISCARDED_RECEIVERS + i] === aircraft.receiver) return true;
  }
  return false;
}

/** Stores a discarded position over the oldest one. */
export function rememberDiscarded(aircraft: Aircraft, cprLat: number, cprLon: number): void {
  const { words, halves, bytes, at, now } = aircraft;
  const nextAt = aircraft.byte + B_DISCARDED_NEXT;
  const next = bytes[nextAt]! & (DISCARDED_POSITIONS - 1);
  words[at + X_DISCARDED_TIME] = now;
  words[at + X_DISCARDED + next] = cprWord(cprLat, cprLon);
  words[at + X_DISCARDED_TIMES + next] = now;
  halves[2 * at + H_DISCARDED_RECEIVERS + next] = aircraft.receiver;
  halves[2 * at + H_DISCARDED_REPEATS]! &= ~(REPEATS_MAX << (next * REPEAT_BITS));
  bytes[nextAt] = next + 1;
}

/** Counts this frame's receiver among those that reported a recently discarded position. Returns their number; 0 when no such position is stored. */
export function countDiscardedRepeat(aircraft: Aircraft, cprLat: number, cprLon: number): number {
  const { words, halves, at, now } = aircraft;
  if (now - words[at + X_DISCARDED_TIME]! >= REPEAT_MS) return 0;
  const word = cprWord(cprLat, cprLon);
  for (let i = 0; i < DISCARDED_POSITIONS; i += 1) {
    if (words[at + X_DISCARDED + i] !== word || now - words[at + X_DISCARDED_TIMES + i]! >= REPEAT_MS) continue;
    const shift = i * REPEAT_BITS;
    const repeats = (halves[2 * at + H_DISCARDED_REPEATS]! >> shift) & REPEATS_MAX;
    if (repeats < REPEATS_MAX) halves[2 * at + H_DISCARDED_REPEATS]! += 1 << shift;
    return repeats + 2;
  }
  return 0;
}

/** Both 17-bit fields in one word; positions with equal words are a quarter of a zone or more apart. */
function cprWord(cprLat: number, cprLon: number): number {
  return (cprLat << 15) ^ cprLon;
}
