// Which receivers gave an aircraft's positions lately, or copies of them: its witnesses. While its position is fresh, what others say is
// taken with care: they may be late, damaged or made up, and the aircraft would be here and there in turn.
import { fieldSource, fieldTime, fieldValue, GUARD_POSITION_MS, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  F_CPR_EVEN,
  F_CPR_ODD,
  F_RELIABLE,
  H_OUTVOTED,
  H_WITNESSES,
  WITNESSES,
  X_EVEN_LONGITUDE,
  X_ODD_LONGITUDE,
  X_OUTVOTED_TIME,
  X_POSITION_RECEIVER,
  X_WITNESS_TIMES,
} from './layout.ts';

/** How long a receiver is a witness. */
export const WITNESS_MS = 6000;
/** How long the positions of a receiver that was outvoted are refused: the others need some seconds to be believed. */
export const OUTVOTED_MS = 60_000;
/** A copy that is dated further from the first shows that the receiver's times are not to be relied on. */
const PROMPT_MS = 400;

/** The frame's receiver gave a position, or a copy of one. In place of the one that did so longest ago. */
export function addWitness(aircraft: Aircraft): void {
  const { words, halves, at, receiver } = aircraft;
  const times = at + X_WITNESS_TIMES;
  let entry = 0;
  for (let i = 0; i < WITNESSES; i += 1) {
    if (halves[2 * at + H_WITNESSES + i] === receiver) {
      entry = i;
      break;
    }
    if (words[times + i]! < words[times + entry]!) entry = i;
  }
  halves[2 * at + H_WITNESSES + entry] = receiver;
  words[times + entry] = aircraft.now;
}

/** The frame's receiver is a witness. */
export function isWitness(aircraft: Aircraft): boolean {
  const { words, halves, at, now, receiver } = aircraft;
  if (words[at + X_POSITION_RECEIVER] === receiver) return true;
  for (let i = 0; i < WITNESSES; i += 1)
    if (halves[2 * at + H_WITNESSES + i] === receiver && now - words[at + X_WITNESS_TIMES + i]! <= WITNESS_MS) return true;
  return false;
}

export function countWitnesses({ words, at, now }: Aircraft): number {
  let count = 0;
  for (let i = 0; i < WITNESSES; i += 1) if (now - words[at + X_WITNESS_TIMES + i]! <= WITNESS_MS) count += 1;
  return count;
}

/** While positions are fresh, other data count only from witnesses. */
export function isGuarded(aircraft: Aircraft): boolean {
  if (aircraft.now - fieldTime(aircraft, F_RELIABLE) >= GUARD_POSITION_MS) return false;
  return fieldSource(aircraft, F_RELIABLE) >= SOURCE_TISB && !isWitness(aircraft);
}

/** The frame is a prompt copy of one that gave the aircraft's last even or odd position. */
export function isPromptCopy(aircraft: Aircraft, odd: boolean, cprLat: number, cprLon: number): boolean {
  const field = odd ? F_CPR_ODD : F_CPR_EVEN;
  if (fieldValue(aircraft, field) !== cprLat || aircraft.words[aircraft.at + (odd ? X_ODD_LONGITUDE : X_EVEN_LONGITUDE)] !== cprLon)
    return false;
  return Math.abs(aircraft.now - fieldTime(aircraft, field)) < PROMPT_MS;
}

/** The receiver that gave the last position is not believed for a while: more others gave another one. */
export function outvote({ words, halves, at, now }: Aircraft): void {
  halves[2 * at + H_OUTVOTED] = words[at + X_POSITION_RECEIVER]!;
  words[at + X_OUTVOTED_TIME] = now;
}

export function isOutvoted({ words, halves, at, now, receiver }: Aircraft): boolean {
  return now - words[at + X_OUTVOTED_TIME]! < OUTVOTED_MS && halves[2 * at + H_OUTVOTED] === receiver;
}
