// Comm-B register 1,0: data link capability. ICAO Doc 9871 table A-2-16.
//
//   MB bit  1-8    0x10
//           9      continued in register 1,1
//          10-14   reserved, 0
//          15      overlay command capability
//          16      ACAS
//          17-23   version of the Mode S subnetwork
//          24-36   transponder capabilities; 33 identification, 34 squitters, 35 surveillance identifiers
//          37-40   ACAS
//          41-56   data terminal equipment, all zeros on nearly every aircraft

import { evidence, evidenceOfCodes, IMPOSSIBLE, NUMBER_ALONE_EVIDENCE, NUMBER_EVIDENCE } from './evidence.ts';
import type { CommB } from './message.ts';

const NUMBER = 0x10;
const RESERVED = 0x1f << 14;
const EQUIPMENT = 0xffff;

const RESERVED_EVIDENCE = evidence(1, 1, 32);
/** Versions above 5 do not exist yet. */
const VERSION = evidenceOfCodes(128, [
  [0, 5, 0.98],
  [6, 127, 0.02],
]);
const NO_EQUIPMENT = evidence(0.9, 1, 0x10000);
const SOME_EQUIPMENT = evidence(0.1, 0xffff, 0x10000);

/** Evidence that MB is register 1,0. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreDataLink(high: number, low: number): number {
  if (high >> 20 !== NUMBER || (high & RESERVED) !== 0) return IMPOSSIBLE;
  if (high === NUMBER << 20 && low === 0) return NUMBER_ALONE_EVIDENCE;
  return NUMBER_EVIDENCE + RESERVED_EVIDENCE + VERSION[(high >> 5) & 0x7f]! + ((low & EQUIPMENT) === 0 ? NO_EQUIPMENT : SOME_EQUIPMENT);
}

export function decodeDataLink(high: number, out: CommB): void {
  out.dataLinkVersion = (high >> 5) & 0x7f;
}
