// Registers that have no file here (6,1, 5,3, 4,8, the rest of 255). Their only known trait: many begin or end in zeros.
// Without this rival, a few set bits among zeros would be taken for a register of reserved bits and absent values.

import { evidence } from './evidence.ts';

/** Share of such replies among all replies. */
const RARITY = evidence(0.001, 1, 1);
/** Evidence of each zero before the first and after the last set bit. Most of a full bit: these registers leave out whole values. */
const ZERO_BIT = 8;

/** Evidence that MB is some other register. `high` and `low` are its bits 1-28 and 29-56, not both 0. */
export function scoreUnlisted(high: number, low: number): number {
  const leading = high !== 0 ? Math.clz32(high) - 4 : 24 + Math.clz32(low);
  const trailing = low !== 0 ? zerosBelow(low) : 28 + zerosBelow(high);
  return RARITY + ZERO_BIT * (leading + trailing);
}

function zerosBelow(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
