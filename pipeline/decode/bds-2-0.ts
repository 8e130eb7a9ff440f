// Comm-B register 2,0: aircraft identification. ICAO Doc 9871 table A-2-32; characters as in Annex 10 vol. IV table 3-9.
//
//   MB bit  1-8   0x20
//           9-56  8 characters of 6 bits: 1-26 A-Z, 32 space, 48-57 digits; some transponders fill with 0, or send nothing else

import { evidenceOfCodes, IMPOSSIBLE, NUMBER_ALONE_EVIDENCE, NUMBER_EVIDENCE } from './evidence.ts';
import { characterOf } from './identification.ts';
import type { CommB } from './message.ts';

const NUMBER = 0x20;
const CHARACTER = evidenceOfCodes(64, [
  [1, 26, 0.45],
  [48, 57, 0.38],
  [32, 32, 0.16],
  [0, 0, 0.01],
]);

/** Evidence that MB is register 2,0. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreIdentification(high: number, low: number): number {
  if (high >> 20 !== NUMBER) return IMPOSSIBLE;
  if (high === NUMBER << 20 && low === 0) return NUMBER_ALONE_EVIDENCE;
  let score = NUMBER_EVIDENCE;
  for (let index = 0; index < 8; index += 1) score += CHARACTER[codeAt(high, low, index)]!;
  return Math.max(IMPOSSIBLE, score);
}

/** A filler of 0 makes the call sign invalid; it is then not reported. */
export function decodeIdentity(high: number, low: number, out: CommB): void {
  out.flightValid = true;
  for (let index = 0; index < 8; index += 1) {
    const code = codeAt(high, low, index);
    out.flight[index] = characterOf(code);
    if (code === 0) out.flightValid = false;
  }
}

/** Code of character `index`. The fourth character spans `high` and `low`. */
function codeAt(high: number, low: number, index: number): number {
  if (index < 3) return (high >> (14 - 6 * index)) & 0x3f;
  return index === 3 ? ((high & 3) << 4) | (low >> 24) : (low >> (42 - 6 * index)) & 0x3f;
}
