// Comm-B register 3,0: ACAS resolution advisory, the report of advisory.ts. ICAO Annex 10 vol. IV §4.3.8.4.2.2.
//
//   MB bit  1-8    0x30
//           9-15   ARA   16-22 not used, 0
//          23-26   RAC   complements: not both of 23 and 24; 25 and 26 concern turns, which no ACAS requests
//          27 RAT   28 MTE
//          29-30   TTI   threat type: 0 none, 1 address, 2 altitude, range and bearing, 3 not assigned
//          31-56   TID   threat identity: zeros for type 0; type 1 an address, then two zeros

import { evidence, IMPOSSIBLE, NUMBER_EVIDENCE } from './evidence.ts';

const NUMBER = 0x30;
const RESERVED = 0x7f << 6;
const BOTH_WAYS = 3 << 4;
const TURNS = 3 << 2;
const RESERVED_CLEAR = evidence(0.98, 1, 128);
const RESERVED_SET = evidence(0.02, 127, 128);
const NO_THREAT = evidence(0.6, 1, 1 << 28);
const THREAT_ADDRESS = evidence(0.35, 1 << 24, 1 << 28);
const THREAT_POSITION = evidence(0.05, 1 << 26, 1 << 28);

/** Evidence that MB is register 3,0. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreAdvisory(high: number, low: number): number {
  if (high >> 20 !== NUMBER || (high & TURNS) !== 0 || (high & BOTH_WAYS) === BOTH_WAYS) return IMPOSSIBLE;
  const score = NUMBER_EVIDENCE + ((high & RESERVED) === 0 ? RESERVED_CLEAR : RESERVED_SET);
  switch (low >> 26) {
    case 0:
      return low === 0 ? score + NO_THREAT : IMPOSSIBLE;
    case 1:
      return (low & 3) === 0 ? score + THREAT_ADDRESS : IMPOSSIBLE;
    case 2:
      return score + THREAT_POSITION;
    default:
      return IMPOSSIBLE;
  }
}
