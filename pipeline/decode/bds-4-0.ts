// Comm-B register 4,0: selected vertical intention. ICAO Doc 9871 table A-2-64.
//
//   MB bit   status  value
//    1-13    1       altitude selected on the control panel (MCP/FCU), 16 ft
//   14-26    14      altitude selected by the flight management system, 16 ft
//   27-39    27      barometric pressure setting, 800 hPa + 0.1 hPa
//   40-47            reserved, 0
//   48-51    48      modes: 49 VNAV, 50 altitude hold, 51 approach
//   52-53            reserved, 0
//   54-56    54      source of the target altitude: 0 unknown, 1 aircraft altitude, 2 panel, 3 FMS
//
// Pilots select round altitudes; a value whose status bit is 0 is all zeros.

import { evidence, evidenceOfCodes, evidenceOfField, evidenceOfKinds, IMPOSSIBLE } from './evidence.ts';
import { ABSENT, type CommB } from './message.ts';

const MCP_STATUS = 1 << 27;
const FMS_STATUS = 1 << 14;
const QNH_STATUS = 1 << 1;
const MODES_STATUS = 1 << 8;
/** In bits 29-56. */
const RESERVED = (0xff << 9) | (3 << 3);
const RESERVED_EVIDENCE = evidence(1, 1, 1 << 10);

const ALTITUDE_STEP_FT = 16;
const ALTITUDE_FT_MIN = 1000;
/** The highest certified ceilings are 51,000 ft. */
const ALTITUDE_FT_MAX = 52_000;
const QNH_DECI_HPA_MIN = 8000;

const VNAV = 2;
const ALTITUDE_HOLD = 4;
const APPROACH = 8;

const MCP = evidenceOfAltitude(0.97, 0.005);
/** Some systems send an altitude of a few feet when they have none. */
const FMS = evidenceOfAltitude(0.25, 0.1);
/** 1013.2 and 1013.3; 950 to 1050; 900 to 1100 hPa. */
const QNH = evidenceOfField(
  0.95,
  evidenceOfCodes(4096, [
    [2132, 2133, 0.6],
    [1500, 2500, 0.395],
    [1000, 3000, 0.005],
  ]),
);
const MODES = evidenceOfField(0.15, evidenceOfCodes(8, [[0, 7, 1]]));
const SOURCE = evidenceOfField(0.1, evidenceOfCodes(4, [[0, 3, 1]]));

/** Kinds: below 1,000 ft, whole thousands, whole hundreds, the rest. `low` is the share of the first. */
function evidenceOfAltitude(present: number, low: number): Int16Array {
  const shares = [low, 0.85 - low, 0.12, 0.03];
  return evidenceOfField(
    present,
    evidenceOfKinds(4096, shares, (code) => {
      const altitudeFt = code * ALTITUDE_STEP_FT;
      if (altitudeFt < ALTITUDE_FT_MIN - ALTITUDE_STEP_FT) return 0;
      if (altitudeFt > ALTITUDE_FT_MAX) return -1;
      if (isMultiple(altitudeFt, 1000)) return 1;
      return isMultiple(altitudeFt, 100) ? 2 : 3;
    }),
  );
}

/** Rounded to a step, up or down. */
function isMultiple(altitudeFt: number, ofFt: number): boolean {
  const remainder = altitudeFt % ofFt;
  return remainder < ALTITUDE_STEP_FT || remainder > ofFt - ALTITUDE_STEP_FT;
}

/** Evidence that MB is register 4,0. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreVerticalIntention(high: number, low: number): number {
  if ((low & RESERVED) !== 0 || (high & (MCP_STATUS | FMS_STATUS | QNH_STATUS)) === 0) return IMPOSSIBLE;
  const score =
    MCP[high >> 15]! + FMS[(high >> 2) & 0x1fff]! + QNH[((high & 3) << 11) | (low >> 17)]! + MODES[(low >> 5) & 0xf]! + SOURCE[low & 7]!;
  return score < IMPOSSIBLE / 2 ? IMPOSSIBLE : score + RESERVED_EVIDENCE;
}

export function decodeVerticalIntention(high: number, low: number, out: CommB): void {
  out.navAltitudeMcpFt = high & MCP_STATUS ? ALTITUDE_STEP_FT * ((high >> 15) & 0xfff) : ABSENT;
  out.navAltitudeFmsFt = high & FMS_STATUS ? ALTITUDE_STEP_FT * ((high >> 2) & 0xfff) : ABSENT;
  out.navQnhDeciHpa = high & QNH_STATUS ? QNH_DECI_HPA_MIN + (((high & 1) << 11) | (low >> 17)) : ABSENT;
  out.navModes = low & MODES_STATUS ? (low & 0x80 ? VNAV : 0) | (low & 0x40 ? ALTITUDE_HOLD : 0) | (low & 0x20 ? APPROACH : 0) : ABSENT;
}
