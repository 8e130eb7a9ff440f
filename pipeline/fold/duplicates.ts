// The same transmission heard by several receivers. The first copy takes effect; of later ones only the signal does, and they are counted.
// Aircraft repeat themselves, so sameness alone proves nothing: a copy comes from another receiver, and is dated like the first one.
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

/** Shorter than the shortest interval at which an aircraft sends the same again (velocity and surface position: 0.4 s), longer than feeders usually differ. */
export const COPY_MS = 400;
/** Airborne positions mostly change with every transmission. */
export const POSITION_COPY_MS = 2000;
/** Airborne positions of a moving aircraft always do: however late, the same again is a copy. Longer than receivers may be late. */
export const UNIQUE_COPY_MS = 8000;
/** A frame dated before the same from another receiver is a copy of what the aircraft has said in between, or as good as one. */
const LATE_COPY_MS = 8000;
/** In the second after which the same half of a pair comes again, an aircraft of 50 kt has moved 26 m: five steps of CPR. */
const MOVING_DECI_KT = 500;

// What is remembered of a frame, in two words: 28 bits of its fingerprint over the high 4 of its receiver; the low 12 over 20 of its time.
// The time is as received, so that it follows when the receiver's lateness is learnt.
const PRINT_MASK = ~15;
/** The first 8 bits of the fingerprint, apart: its tag. */
const TAG_SHIFT = 24;
const RECEIVER_BITS = 12;
const TIME_BITS = 20;
/** Times are kept modulo this many ms, 17 minutes: far more than frames are compared over. The time base moves in such steps. */
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
 * True when another receiver gave the same frame, dated about the same. Where that proves one transmission, both learn how their times differ.
 * A frame that is no copy is remembered, in place of the oldest of its ring, or of the same that was said before.
 * Among 28 bits of all that an aircraft sends within seconds, a frame is taken for another one once in a hundred million.
 */
export function isCopy(aircraft: Aircraft, message: Message, print: number, multilaterated: boolean, receivers: ReceiverTable): boolean {
  const entry = find(aircraft, message, print);
  if (entry < 0) {
    rememberFrame(aircraft, message, print, receivers.lateMs(aircraft.receiver));
    return false;
  }
  const { words, receiver } = aircraft;
  const rest = words[entry + RECENT_FRAMES]!;
  const first = ((words[entry]! & ~PRINT_MASK) << RECEIVER_BITS) | (rest >>> TIME_BITS);
  const laterMs = sinceMs(rest, aircraft.now + receivers.lateMs(first));
  if (first !== receiver && laterMs > -LATE_COPY_MS) {
    const unique = isUnique(aircraft, message, multilaterated);
    if (laterMs < copyWindowMs(message, unique, receivers.spreadMs(receiver))) {
      if (unique) compareReceivers(receivers, first, receiver, laterMs);
      return true;
    }
  }
  if (laterMs > 0) write(words, renew(aircraft, entry), print, receiver, aircraft.now + receivers.lateMs(receiver));
  return false;
}

/** Remembers a frame that is not known yet. `lateMs`: of its receiver. */
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

/** The oldest, but for those that were said again since the ring last came by. */
function nextOther({ bytes, halves, at, byte }: Aircraft): number {
  const keptAt = 2 * at + H_RECENT_KEPT;
  let kept = halves[keptAt]!;
  let next = bytes[byte + B_RECENT_OTHER_NEXT]!;
  while ((kept & (1 << next)) !== 0) {
    kept ^= 1 << next;
    next = (next + 1) % RECENT_OTHERS;
  }
  halves[keptAt] = kept;
  bytes[byte + B_RECENT_OTHER_NEXT] = (next + 1) % RECENT_OTHERS;
  return next;
}

/**
 * What is said again is remembered as long as what is new. Others keep their entry when the ring comes by; a position changes places with the
 * oldest one, as most are never said again. Gives the entry that it has now.
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

/** False when no entry of the ring can have this fingerprint: four tags are looked at together, and most frames are no copy. */
function mayHold(words: Int32Array, tags: number, print: number, position: boolean): boolean {
  const wanted = Math.imul(print >>> TAG_SHIFT, 0x0101_0101);
  const from = position ? tags : tags + 2;
  let found = zeroByte(words[from]! ^ wanted) | zeroByte(words[from + 1]! ^ wanted);
  if (!position) found |= zeroByte(words[from + 2]! ^ wanted) | zeroByte(words[from + 3]! ^ wanted);
  return found !== 0;
}

/** Not 0 when one of the four bytes is 0. */
function zeroByte(word: number): number {
  return (word - 0x0101_0101) & ~word & 0x8080_8080;
}

/** Ms from the time of an entry to another time, −524,288 to 524,287. */
function sinceMs(rest: number, ms: number): number {
  return ((ms - rest) << (32 - TIME_BITS)) >> (32 - TIME_BITS);
}

/** The aircraft sends this frame once and never again: an airborne position of its own, and it moves. */
function isUnique(aircraft: Aircraft, message: Message, multilaterated: boolean): boolean {
  if (message.kind !== KIND_AIRBORNE_POSITION || message.df !== 17 || multilaterated || message.position.cprLat === ABSENT) return false;
  return isValid(aircraft, F_GROUND_SPEED) && fieldValue(aircraft, F_GROUND_SPEED) >= MOVING_DECI_KT;
}

/** How much later than the first a copy of this message may be dated, by a receiver whose frames spread by `spreadMs`. */
function copyWindowMs(message: Message, unique: boolean, spreadMs: number): number {
  if (unique) return UNIQUE_COPY_MS;
  return Math.max(spreadMs, message.kind === KIND_AIRBORNE_POSITION ? POSITION_COPY_MS : COPY_MS);
}
