// Duplicates: the same transmission heard by several receivers. Only the first one is folded; later ones are counted, and their signal is used.
// Aircraft repeat themselves, so equal bytes prove nothing: a duplicate comes from another receiver, with about the same time.
import { ABSENT, KIND_AIRBORNE_POSITION, type Message } from '../decode/message.ts';
import { fieldValue, isValid } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { compareReceivers } from './lateness.ts';
import {
  B_RECENT_OTHER_NEXT,
  B_RECENT_POSITION_NEXT,
  F_GROUND_SPEED,
  H_RECENT_KEPT,
  RECENT_FRAMES,
  RECENT_OTHERS,
  RECENT_POSITIONS,
  X_RECENT,
  X_RECENT_TAGS,
} from './layout.ts';
import type { ReceiverTable } from './receivers.ts';

/** Shorter than the shortest interval between equal transmissions (velocity and surface position: 0.4 s), longer than usual differences between feeders. */
export const DUPLICATE_MS = 400;
/** Airborne positions mostly change with every transmission. */
export const POSITION_DUPLICATE_MS = 2000;
/** Airborne positions of a moving aircraft always change: an equal one is a duplicate, however late. Longer than the lateness of receivers. */
export const UNIQUE_DUPLICATE_MS = 8000;
/** A frame dated before the same one from another receiver is a duplicate: the aircraft's later messages already include its content. */
const LATE_DUPLICATE_MS = 8000;
/** An equal half of a pair comes at least a second later; in that time an aircraft of 50 kt moves 26 m: five steps of CPR. */
const MOVING_DECI_KT = 500;

// A frame is stored in two words: 28 bits of its fingerprint above the high 4 of its receiver; the low 12 above 20 of its time.
// The time is as received, so that a lateness learnt later applies to it.
const PRINT_MASK = ~15;
/** The first 8 bits of the fingerprint are stored separately: its tag. */
const TAG_SHIFT = 24;
const RECEIVER_BITS = 12;
const TIME_BITS = 20;
/** Times are stored modulo this many ms, 17 minutes: far longer than any comparison. The time base moves in such steps. */
export const RECENT_TIME_SPAN_MS = 1 << TIME_BITS;
const TIME_MASK = RECENT_TIME_SPAN_MS - 1;

/** 32 bits that differ between different frames of one aircraft; the parity field alone has 24. */
export function fingerprint(bytes: Uint8Array, at: number, byteLength: number): number {
  const end = at + byteLength;
  const parity = (bytes[end - 3]! << 16) | (bytes[end - 2]! << 8) | bytes[end - 1]!;
  const middle = byteLength === 7 ? 0 : (bytes[at + 5]! << 24) | (bytes[at + 6]! << 16) | (bytes[at + 8]! << 8) | bytes[at + 9]!;
  return Math.imul(parity, 0x9e37_79b1) ^ middle ^ (bytes[at]! << 5);
}

/**
 * True when another receiver sent the same frame with about the same time. Where that proves one transmission, both receivers' lateness is
 * updated. A new frame is stored over the oldest one of its ring, or over an equal one.
 * Two different frames of an aircraft within seconds have equal 28 bits once in a hundred million.
 */
export function isDuplicate(
  aircraft: Aircraft,
  message: Message,
  print: number,
  multilaterated: boolean,
  receivers: ReceiverTable,
): boolean {
  const entry = find(aircraft, message, print);
  if (entry < 0) {
    rememberFrame(aircraft, message, print, receivers.lateMs(aircraft.receiver));
    return false;
  }
  const { words, receiver } = aircraft;
  const receiverAndTime = words[entry + RECENT_FRAMES]!;
  const first = ((words[entry]! & ~PRINT_MASK) << RECEIVER_BITS) | (receiverAndTime >>> TIME_BITS);
  const laterMs = sinceMs(receiverAndTime, aircraft.now + receivers.lateMs(first));
  if (first !== receiver && laterMs > -LATE_DUPLICATE_MS) {
    const unique = isUnique(aircraft, message, multilaterated);
    if (laterMs < duplicateWindowMs(message, unique, receivers.spreadMs(receiver))) {
      if (unique) compareReceivers(receivers, first, receiver, laterMs);
      return true;
    }
  }
  if (laterMs > 0) write(words, renew(aircraft, entry), print, receiver, aircraft.now + receivers.lateMs(receiver));
  return false;
}

/** Stores a frame that is not stored yet. `lateMs`: lateness of its receiver. */
export function rememberFrame(aircraft: Aircraft, message: Message, print: number, lateMs: number): void {
  const { words, bytes, at, byte } = aircraft;
  const i = message.kind === KIND_AIRBORNE_POSITION ? nextPosition(aircraft) : RECENT_POSITIONS + nextOther(aircraft);
  bytes[byte + 4 * X_RECENT_TAGS + i] = print >>> TAG_SHIFT;
  write(words, at + X_RECENT + i, print, aircraft.receiver, aircraft.now + lateMs);
}

function nextPosition({ bytes, byte }: Aircraft): number {
  const next = bytes[byte + B_RECENT_POSITION_NEXT]!;
  bytes[byte + B_RECENT_POSITION_NEXT] = (next + 1) % RECENT_POSITIONS;
  return next;
}

/** The oldest entry, except those that were repeated since the ring last came by. */
function nextOther({ bytes, halves, at, byte }: Aircraft): number {
  const keptAt = 2 * at + H_RECENT_KEPT;
  let keptBits = halves[keptAt]!;
  let next = bytes[byte + B_RECENT_OTHER_NEXT]!;
  while ((keptBits & (1 << next)) !== 0) {
    keptBits ^= 1 << next;
    next = (next + 1) % RECENT_OTHERS;
  }
  halves[keptAt] = keptBits;
  bytes[byte + B_RECENT_OTHER_NEXT] = (next + 1) % RECENT_OTHERS;
  return next;
}

/**
 * A repeated frame is kept as long as a new one. Other frames keep their entry when the ring comes by; a position swaps with the oldest one,
 * because most are never repeated. Returns its entry.
 */
function renew(aircraft: Aircraft, entry: number): number {
  const { words, bytes, halves, at, byte } = aircraft;
  const i = entry - at - X_RECENT;
  if (i >= RECENT_POSITIONS) {
    halves[2 * at + H_RECENT_KEPT]! |= 1 << (i - RECENT_POSITIONS);
    return entry;
  }
  const next = nextPosition(aircraft);
  const newest = at + X_RECENT + next;
  words[entry] = words[newest]!;
  words[entry + RECENT_FRAMES] = words[newest + RECENT_FRAMES]!;
  const tags = byte + 4 * X_RECENT_TAGS;
  const tag = bytes[tags + i]!;
  bytes[tags + i] = bytes[tags + next]!;
  bytes[tags + next] = tag;
  return newest;
}

function write(words: Int32Array, entry: number, print: number, receiver: number, receivedMs: number): void {
  words[entry] = (print & PRINT_MASK) | (receiver >> RECEIVER_BITS);
  words[entry + RECENT_FRAMES] = (receiver << TIME_BITS) | (receivedMs & TIME_MASK);
}

/** Word of the entry with this fingerprint, −1 when there is none. */
function find({ words, at }: Aircraft, message: Message, print: number): number {
  const position = message.kind === KIND_AIRBORNE_POSITION;
  if (!mayHold(words, at + X_RECENT_TAGS, print, position)) return -1;
  const from = at + X_RECENT + (position ? 0 : RECENT_POSITIONS);
  const end = from + (position ? RECENT_POSITIONS : RECENT_OTHERS);
  for (let entry = from; entry < end; entry += 1) if (((words[entry]! ^ print) & PRINT_MASK) === 0) return entry;
  return -1;
}

/** False when no entry of the ring can have this fingerprint: compares four tags together, because most frames are no duplicates. */
function mayHold(words: Int32Array, tags: number, print: number, position: boolean): boolean {
  const wanted = Math.imul(print >>> TAG_SHIFT, 0x0101_0101);
  const from = position ? tags : tags + 2;
  let found = zeroByte(words[from]! ^ wanted) | zeroByte(words[from + 1]! ^ wanted);
  if (!position) found |= zeroByte(words[from + 2]! ^ wanted) | zeroByte(words[from + 3]! ^ wanted);
  return found !== 0;
}

/** Differs from 0 when one of the four bytes is 0. */
function zeroByte(word: number): number {
  return (word - 0x0101_0101) & ~word & 0x8080_8080;
}

/** Ms from the time of an entry to another time, −524,288 to 524,287. */
function sinceMs(receiverAndTime: number, ms: number): number {
  return ((ms - receiverAndTime) << (32 - TIME_BITS)) >> (32 - TIME_BITS);
}

/** The aircraft sends this frame only once: an airborne position of its own, while it moves. */
function isUnique(aircraft: Aircraft, message: Message, multilaterated: boolean): boolean {
  if (message.kind !== KIND_AIRBORNE_POSITION || message.df !== 17 || multilaterated || message.position.cprLat === ABSENT) return false;
  return isValid(aircraft, F_GROUND_SPEED) && fieldValue(aircraft, F_GROUND_SPEED) >= MOVING_DECI_KT;
}

/** How much later than the first a duplicate of this message may be dated; the times of its receiver spread by `spreadMs`. */
function duplicateWindowMs(message: Message, unique: boolean, spreadMs: number): number {
  if (unique) return UNIQUE_DUPLICATE_MS;
  return Math.max(spreadMs, message.kind === KIND_AIRBORNE_POSITION ? POSITION_DUPLICATE_MS : DUPLICATE_MS);
}
