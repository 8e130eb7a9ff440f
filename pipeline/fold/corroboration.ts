// Corroborating receivers: those that recently gave an aircraft's positions, or duplicates of them. While the position is fresh, other
// receivers are restricted: their data may be late, damaged or invented, and the aircraft would jump between two positions.
import { fieldSource, fieldTime, fieldValue, GUARD_POSITION_MS, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  CORROBORATING_RECEIVERS,
  F_CPR_EVEN,
  F_CPR_ODD,
  F_RELIABLE,
  H_CORROBORATING,
  H_OUTVOTED,
  X_CORROBORATING_TIMES,
  X_EVEN_LONGITUDE,
  X_ODD_LONGITUDE,
  X_OUTVOTED_TIME,
  X_POSITION_RECEIVER,
} from './layout.ts';

/** How long a receiver stays a corroborating one. */
export const CORROBORATING_MS = 6000;
/** How long the positions of an outvoted receiver are refused: the others need some seconds to become reliable. */
const OUTVOTED_MS = 60_000;
/** A duplicate dated further from the first shows that the receiver's times are unreliable. */
const PROMPT_MS = 400;

/** The frame's receiver gave a position, or a duplicate of one. Replaces the receiver whose last one is oldest. */
export function addCorroborating(aircraft: Aircraft): void {
  const { words, halves, at, receiver } = aircraft;
  const times = at + X_CORROBORATING_TIMES;
  let entry = 0;
  for (let i = 0; i < CORROBORATING_RECEIVERS; i += 1) {
    if (halves[2 * at + H_CORROBORATING + i] === receiver) {
      entry = i;
      break;
    }
    if (words[times + i]! < words[times + entry]!) entry = i;
  }
  halves[2 * at + H_CORROBORATING + entry] = receiver;
  words[times + entry] = aircraft.now;
}

/** The frame's receiver is a corroborating one. */
function isCorroborating(aircraft: Aircraft): boolean {
  const { words, halves, at, now, receiver } = aircraft;
  if (words[at + X_POSITION_RECEIVER] === receiver) return true;
  for (let i = 0; i < CORROBORATING_RECEIVERS; i += 1)
    if (halves[2 * at + H_CORROBORATING + i] === receiver && now - words[at + X_CORROBORATING_TIMES + i]! <= CORROBORATING_MS) return true;
  return false;
}

export function countCorroborating({ words, at, now }: Aircraft): number {
  let count = 0;
  for (let i = 0; i < CORROBORATING_RECEIVERS; i += 1) if (now - words[at + X_CORROBORATING_TIMES + i]! <= CORROBORATING_MS) count += 1;
  return count;
}

/** While positions are fresh, other data count only from corroborating receivers. */
export function isGuarded(aircraft: Aircraft): boolean {
  if (aircraft.now - fieldTime(aircraft, F_RELIABLE) >= GUARD_POSITION_MS) return false;
  return fieldSource(aircraft, F_RELIABLE) >= SOURCE_TISB && !isCorroborating(aircraft);
}

/** The frame is a prompt duplicate of the aircraft's last even or odd position message. */
export function isPromptDuplicate(aircraft: Aircraft, odd: boolean, cprLat: number, cprLon: number): boolean {
  const field = odd ? F_CPR_ODD : F_CPR_EVEN;
  if (fieldValue(aircraft, field) !== cprLat || aircraft.words[aircraft.at + (odd ? X_ODD_LONGITUDE : X_EVEN_LONGITUDE)] !== cprLon)
    return false;
  return Math.abs(aircraft.now - fieldTime(aircraft, field)) < PROMPT_MS;
}

/** Refuses the receiver of the last position for a while: more receivers gave another position. */
export function outvote({ words, halves, at, now }: Aircraft): void {
  halves[2 * at + H_OUTVOTED] = words[at + X_POSITION_RECEIVER]!;
  words[at + X_OUTVOTED_TIME] = now;
}

export function isOutvoted({ words, halves, at, now, receiver }: Aircraft): boolean {
  return now - words[at + X_OUTVOTED_TIME]! < OUTVOTED_MS && halves[2 * at + H_OUTVOTED] === receiver;
}
