// How late each receiver is. An airborne position of a moving aircraft changes with every transmission, so the same frame from two receivers
// is one transmission, and their times differ by what lies between their clocks and the delays of their networks. Which of both it is does
// not matter: frames are dated back by it, and values, pairs and copies then meet at the time of the transmission.
//
// The earliest receiver is right: networks delay and never hurry, so a correction only ever dates frames back, never into the future.
// A receiver that is later than another one in a row of comparisons, by more than networks usually differ, is dated back by the least of
// them. One that was dated back and is now earlier than all others, in a row, is late no more. The longer a receiver agreed with the others,
// the longer the row has to be.
import { limits } from '../../schemas/limits.ts';
import { LATENESS_WORDS, R_DISAGREEMENTS, type ReceiverTable } from './receivers.ts';

// Words of a receiver's row.
export const LATE_MS = 0;
/** By how much 19 of 20 of its frames are dated later than others date them, at most. */
const SPREAD_MS = 1;
/** How often it agreed, up to TRUST_MAX. */
const TRUST = 8;
/** The receiver that it may be later than; by how much at least, how often in a row, how often others said so meanwhile. */
const SUSPECT = 2;
const LATER_MS = 3;
const LATER_COUNT = 4;
const LATER_MISSES = 5;
/** By how much at least it was earlier than others, how often in a row. */
const EARLIER_MS = 6;
const EARLIER_COUNT = 7;

/** Receivers that differ by no more agree. Half of the time within which the same frame is a copy: the other half is left for jitter. */
export const AGREEMENT_MS = 200;
/** Comparisons that make a row, of a receiver that never agreed, and what agreement adds. */
export const ROW_MIN = 4;
const TRUST_MAX = 12;
/** Comparisons with others after which the receiver that it was later than is asked no more: it has gone. */
const MISSES_MAX = 64;
/** Steps of 19 to 1 up and down, so that what they keep to is exceeded once in twenty times. */
const SPREAD_UP_MS = 38;
const SPREAD_DOWN_MS = 2;

/** Learns from one transmission: receiver `second` has it `differenceMs` later than `first`, both as they are dated now. */
export function compareReceivers(receivers: ReceiverTable, first: number, second: number, differenceMs: number): void {
  if (first === 0 || second === 0) return;
  const words = receivers.lateness;
  const firstSpreadMs = words[first * LATENESS_WORDS + SPREAD_MS]!;
  const secondSpreadMs = words[second * LATENESS_WORDS + SPREAD_MS]!;
  // One whose times spread says nothing about how those of a steadier one do.
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
  // The one that was dated back is asked first: else all others would follow it back.
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

/** A receiver that was dated back is earlier than another one: true when that ends a row, and it is dated back by less. */
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

/** A receiver is later than `other`: one is asked at a time, and only its own word ends the row, as others may be just as late. */
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
