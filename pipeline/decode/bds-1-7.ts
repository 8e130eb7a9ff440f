// Comm-B register 1,7: the registers that the transponder serves. ICAO Doc 9871 table A-2-23.
//
//   MB bit  1 0,5   2 0,6   3 0,7   4 0,8   5 0,9   6 0,A   7 2,0   8 2,1   9 4,0  10 4,1  11 4,2  12 4,3  13 4,4  14 4,5
//          15 4,8  16 5,0  17 5,1  18 5,2  19 5,3  20 5,4  21 5,5  22 5,6  23 5,F  24 6,0  25 E,1  26 E,2  27 F,1
//          28-56   reserved, 0
//
// Registers come in families: 0,5 to 0,9 belong to the extended squitter; 5,0 with 6,0 (and mostly 4,0) to enhanced surveillance.

import { evidence, IMPOSSIBLE } from './evidence.ts';
import type { CommB } from './message.ts';

/** Register of each bit, first bit first. */
export const SERVED_REGISTERS = [
  ...['0,5', '0,6', '0,7', '0,8', '0,9', '0,A', '2,0', '2,1', '4,0', '4,1', '4,2', '4,3', '4,4', '4,5'],
  ...['4,8', '5,0', '5,1', '5,2', '5,3', '5,4', '5,5', '5,6', '5,F', '6,0', 'E,1', 'E,2', 'F,1'],
] as const;

const SQUITTER = 0x1f << 23;
const IDENTIFICATION = 1 << 21;
const INTENTION = 1 << 19;
const TURN = 1 << 12;
const SPEED = 1 << 4;
/** 4,1 to 4,8, 5,1, 5,2, 5,4 to 5,6, E,1, E,2, F,1. */
const RARE = (0x3f << 13) | (3 << 10) | (7 << 6) | (7 << 1);
const RESERVED_EVIDENCE = evidence(1, 1, 1 << 29);

const SQUITTER_ALL = evidence(0.85, 1, 32);
const SQUITTER_NONE = evidence(0.1, 1, 32);
const SQUITTER_SOME = evidence(0.05, 30, 32);
const ENHANCED_ALL = evidence(0.78, 1, 8);
const ENHANCED_NONE = evidence(0.07, 1, 8);
const ENHANCED_WITHOUT_INTENTION = evidence(0.1, 1, 8);
const ENHANCED_SOME = evidence(0.05, 5, 8);
const IDENTIFIED = evidence(0.97, 1, 2);
const NOT_IDENTIFIED = evidence(0.03, 1, 2);
const RARE_BITS = 14;
const RARE_SET = evidence(0.05, 1, 2);
const RARE_CLEAR = evidence(0.95, 1, 2);
/** Some transponders claim every register that they could serve. */
const RARE_ANY = evidence(0.02, 1, 1);

/** Evidence that MB is register 1,7. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreServed(high: number, low: number): number {
  if (low !== 0 || (high & 1) !== 0) return IMPOSSIBLE;
  let score = RESERVED_EVIDENCE + (high & IDENTIFICATION ? IDENTIFIED : NOT_IDENTIFIED);
  const squitter = high & SQUITTER;
  if (squitter === SQUITTER) score += SQUITTER_ALL;
  else score += squitter === 0 ? SQUITTER_NONE : SQUITTER_SOME;
  const enhanced = high & (INTENTION | TURN | SPEED);
  if (enhanced === (INTENTION | TURN | SPEED)) score += ENHANCED_ALL;
  else if (enhanced === 0) score += ENHANCED_NONE;
  else score += enhanced === (TURN | SPEED) ? ENHANCED_WITHOUT_INTENTION : ENHANCED_SOME;
  const rare = bitsSet(high & RARE);
  return score + Math.max(RARE_ANY, rare * RARE_SET + (RARE_BITS - rare) * RARE_CLEAR);
}

export function decodeServed(high: number, out: CommB): void {
  out.served = high >> 1;
}

function bitsSet(bits: number): number {
  let count = 0;
  for (let remaining = bits; remaining !== 0; remaining &= remaining - 1) count += 1;
  return count;
}
