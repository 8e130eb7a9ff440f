// Positions of an aircraft that were discarded as implausible lately: what was counted once is not counted again, and who else gave them.
import type { Aircraft } from './aircraft.ts';
import {
  B_DISCARDED_NEXT,
  DISCARDED_PLACES,
  H_DISCARDED_COPIES,
  H_DISCARDED_RECEIVERS,
  X_DISCARDED,
  X_DISCARDED_TIME,
  X_DISCARDED_TIMES,
} from './layout.ts';

const REPEAT_MS = 4000;
const RATE_MS = 300;
/** Copies of each discarded position are counted in so many bits. */
const COPY_BITS = 4;
const COPIES_MAX = (1 << COPY_BITS) - 1;

/** One of the last discarded positions was the same, or of the same receiver and just before: its doubt is counted already. */
export function wasDiscarded(aircraft: Aircraft, cprLat: number, cprLon: number): boolean {
  const { words, halves, at, now } = aircraft;
  if (now - words[at + X_DISCARDED_TIME]! >= REPEAT_MS) return false;
  const place = discardedPlace(cprLat, cprLon);
  for (let i = 0; i < DISCARDED_PLACES; i += 1) {
    const age = now - words[at + X_DISCARDED_TIMES + i]!;
    if (age < REPEAT_MS && words[at + X_DISCARDED + i] === place) return true;
    if (age < RATE_MS && halves[2 * at + H_DISCARDED_RECEIVERS + i] === aircraft.receiver) return true;
  }
  return false;
}

/** Remembers a discarded position in place of the oldest. */
export function rememberDiscarded(aircraft: Aircraft, cprLat: number, cprLon: number): void {
  const { words, halves, bytes, at, now } = aircraft;
  const nextAt = aircraft.byte + B_DISCARDED_NEXT;
  const next = bytes[nextAt]! & (DISCARDED_PLACES - 1);
  words[at + X_DISCARDED_TIME] = now;
  words[at + X_DISCARDED + next] = discardedPlace(cprLat, cprLon);
  words[at + X_DISCARDED_TIMES + next] = now;
  halves[2 * at + H_DISCARDED_RECEIVERS + next] = aircraft.receiver;
  halves[2 * at + H_DISCARDED_COPIES]! &= ~(COPIES_MAX << (next * COPY_BITS));
  bytes[nextAt] = next + 1;
}

/** Counts the receiver of the frame at hand among those that gave a position that was discarded lately; how many they are, 0 when it was not. */
export function countDiscardedCopy(aircraft: Aircraft, cprLat: number, cprLon: number): number {
  const { words, halves, at, now } = aircraft;
  if (now - words[at + X_DISCARDED_TIME]! >= REPEAT_MS) return 0;
  const place = discardedPlace(cprLat, cprLon);
  for (let i = 0; i < DISCARDED_PLACES; i += 1) {
    if (words[at + X_DISCARDED + i] !== place || now - words[at + X_DISCARDED_TIMES + i]! >= REPEAT_MS) continue;
    const shift = i * COPY_BITS;
    const copies = (halves[2 * at + H_DISCARDED_COPIES]! >> shift) & COPIES_MAX;
    if (copies < COPIES_MAX) halves[2 * at + H_DISCARDED_COPIES]! += 1 << shift;
    return copies + 2;
  }
  return 0;
}

/** Both 17-bit fields in one word; places of one word lie a quarter of a zone or more apart. */
function discardedPlace(cprLat: number, cprLon: number): number {
  return (cprLat << 15) ^ cprLon;
}
