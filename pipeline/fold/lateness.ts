// Lateness of each receiver. An airborne position of a moving aircraft changes with every transmission, so the same frame from two receivers
// is one transmission. Their times differ by clocks and network delays; the cause does not matter. Frames are dated back by the difference, so
// that values, pairs and duplicates have the time of the transmission.
//
// The earliest receiver is right: networks only delay, so a correction dates frames back, never into the future.
// A receiver that is later than another one in a run of comparisons, by more than usual network differences, is dated back by their minimum.
// A receiver that was dated back and is earlier than all others for a run is no longer late. The longer a receiver agreed with the others,
// the longer the run must be.
import { limits } from '../../schemas/limits/index.ts';
import { LATENESS_WORDS, R_DISAGREEMENTS, type ReceiverTable } from './receivers.ts';

// Words of a receiver's row.
export const LATE_MS = 0;
/** Bound on how much later than others 19 of 20 of its frames are dated. */
const SPREAD_MS = 1;
/** Number of agreements, up to TRUST_MAX. */
const TRUST = 8;
/** The receiver that it may be later than; the minimum difference, comparisons in the run, disagreeing comparisons with others meanwhile. */
const SUSPECT = 2;
const LATER_MS = 3;
const LATER_COUNT = 4;
const LATER_MISSES = 5;
/** Minimum by which it was earlier than others, and comparisons in that run. */
const EARLIER_MS = 6;
const EARLIER_COUNT = 7;

/** Receivers that differ by no more agree. Half of the duplicate window: the other half is for jitter. */
export const AGREEMENT_MS = 200;
/** Length of a run for a receiver that never agreed, and what agreement adds. */
export const ROW_MIN = 4;
const TRUST_MAX = 12;
/** Comparisons with others after which the receiver that it was later than is dropped: it is gone. */
const MISSES_MAX = 64;
/** Steps of 19 to 1 up and down, so that the bound is exceeded once in twenty times. */
const SPREAD_UP_MS = 38;
const SPREAD_DOWN_MS = 2;

/** Learns from one transmission: receiver `second` has it `differenceMs` later than `first`, both as dated now. */
export function compareReceivers(receivers: ReceiverTable, first: number, second: number, differenceMs: number): void {
  if (first === 0 || second === 0) return;
  const words = receivers.lateness;
  const firstSpreadMs = words[first * LATENESS_WORDS + SPREAD_MS]!;
  const secondSpreadMs = words[second * LATENESS_WORDS + SPREAD_MS]!;
  // A receiver whose times spread cannot measure the spread of a steadier one.
  if (secondSpreadMs <= Math.max(AGREEMENT_MS, firstSpreadMs)) spread(words, first * LATENESS_WORDS, -differenceMs);
  if (firstSpreadMs <= Math.max(AGREEMENT_MS, secondSpreadMs)) spread(words, second * LATENESS_WORDS, differenceMs);
  const byMs = Math.abs(differenceMs);
  if (byMs <= AGREEMENT_MS) {
    agree(words, first * LATENESS_WORDS, second);
    agree(words, second * LATENESS_WORDS, first);
    return;
  }
  const later = differenceMs > 0 ? second : first;
  const earlier = differenceMs > 0 ? first : second;
  const laterAt = later * LATENESS_WORDS;
  const earlierAt = earlier * LATENESS_WORDS;
  if (words[earlierAt + SUSPECT] === later) words[earlierAt + SUSPECT] = 0;
  words[laterAt + EARLIER_COUNT] = 0;
  // The receiver that was dated back is checked first: otherwise all others would follow it back.
  if (hasHurried(words, earlierAt, byMs)) {
    if (words[laterAt + SUSPECT] === earlier) words[laterAt + SUSPECT] = 0;
  } else {
    suspect(receivers, later, earlier, byMs);
  }
}

function spread(words: Int32Array, at: number, laterMs: number): void {
  const spreadMs = words[at + SPREAD_MS]!;
  words[at + SPREAD_MS] = laterMs > spreadMs ? spreadMs + SPREAD_UP_MS : Math.max(0, spreadMs - SPREAD_DOWN_MS);
}

function agree(words: Int32Array, at: number, other: number): void {
  if (words[at + TRUST]! < TRUST_MAX) words[at + TRUST]! += 1;
  words[at + EARLIER_COUNT] = 0;
  if (words[at + SUSPECT] === other) words[at + SUSPECT] = 0;
}

/** A receiver that was dated back is earlier than another one: true when that completes a run, and its lateness falls. */
function hasHurried(words: Int32Array, at: number, byMs: number): boolean {
  const lateMs = words[at + LATE_MS]!;
  if (lateMs === 0) return false;
  const count = words[at + EARLIER_COUNT]! + 1;
  const leastMs = count === 1 ? byMs : Math.min(byMs, words[at + EARLIER_MS]!);
  words[at + EARLIER_COUNT] = count;
  words[at + EARLIER_MS] = leastMs;
  if (count < ROW_MIN + words[at + TRUST]!) return false;
  settle(words, at, Math.max(0, lateMs - leastMs));
  return true;
}

/** A receiver is later than `other`. One receiver is compared at a time, and only that one ends the run, because others may be equally late. */
function suspect(receivers: ReceiverTable, number: number, other: number, byMs: number): void {
  const words = receivers.lateness;
  const at = number * LATENESS_WORDS;
  if (words[at + SUSPECT] !== 0 && words[at + SUSPECT] !== other) {
    words[at + LATER_MISSES]! += 1;
    if (words[at + LATER_MISSES]! < MISSES_MAX) return;
    words[at + SUSPECT] = 0;
  }
  const first = words[at + SUSPECT] === 0;
  const count = first ? 1 : words[at + LATER_COUNT]! + 1;
  const leastMs = first ? byMs : Math.min(byMs, words[at + LATER_MS]!);
  words[at + SUSPECT] = other;
  words[at + LATER_COUNT] = count;
  words[at + LATER_MS] = leastMs;
  words[at + LATER_MISSES] = 0;
  if (count < ROW_MIN + words[at + TRUST]!) return;
  const lateMs = words[at + LATE_MS]! + leastMs;
  if (lateMs <= limits.receiverLatenessMsMax) {
    settle(words, at, lateMs);
  } else {
    receivers.count(number, R_DISAGREEMENTS);
    words[at + SUSPECT] = 0;
  }
}

function settle(words: Int32Array, at: number, lateMs: number): void {
  words[at + LATE_MS] = lateMs;
  words[at + TRUST] = 0;
  words[at + SUSPECT] = 0;
  words[at + EARLIER_COUNT] = 0;
}
