// Surface position, TC 5-8 (BDS 0,6). DO-260B §2.2.3.2.4; movement: table 2-17; version 0: DO-260 §2.2.3.2.4.2.
//
//   ME bit  1-5   TC
//           6-12  movement, below
//          13     1 when the track is valid
//          14-20  heading or ground track, LSB 360/128°, clockwise from true (or magnetic: TC 31) north
//          21     T: UTC-synchronised; in TIS-B and ADS-R the ICAO/Mode A flag
//          22     CPR format: 0 even, 1 odd
//          23-39  CPR latitude
//          40-56  CPR longitude
//
//   movement   kt (version 1, 2)             step
//     0        no information
//     1        stopped
//     2        0 … 0.125
//     3-8      0.125 … 1                     0.1458
//     9-12     1 … 2                         0.25
//    13-38     2 … 15                        0.5
//    39-93     15 … 70                       1
//    94-108    70 … 100                      2
//   109-123    100 … 175                     5
//   124        175 and more: given as 180
//   125-127    reserved
//
// The result is the middle of the step. Version 0 differs only in 2-8: 0.125 … 1 kt in steps of 0.125.

import { ABSENT, type Position } from './message.ts';

const DECI_KT = new Int32Array(128);
const DECI_KT_V0 = new Int32Array(128);
for (let movement = 0; movement < 128; movement += 1) {
  DECI_KT[movement] = movement === 2 ? 1 : middleDeciKt(movement, 3, 0.875 / 6);
  DECI_KT_V0[movement] = middleDeciKt(movement, 2, 0.125);
}

/** `me` is the offset of the ME field; `checkImf` is true for TIS-B and ADS-R. */
export function decodeSurfacePosition(bytes: Uint8Array, me: number, checkImf: boolean, out: Position): void {
  const b0 = bytes[me]!;
  const b1 = bytes[me + 1]!;
  const b2 = bytes[me + 2]!;
  const b3 = bytes[me + 3]!;
  const b4 = bytes[me + 4]!;
  const movement = ((b0 & 7) << 4) | (b1 >> 4);
  out.movement = movement;
  out.groundSpeedDeciKt = DECI_KT[movement]!;
  out.groundSpeedV0DeciKt = DECI_KT_V0[movement]!;
  out.trackCentideg = b1 & 8 ? ((((b1 & 7) << 4) | (b2 >> 4)) * 281.25 + 0.5) | 0 : ABSENT;
  out.imf = checkImf ? (b2 >> 3) & 1 : ABSENT;
  out.odd = (b2 & 4) !== 0;
  out.cprLat = ((b2 & 3) << 15) | (b3 << 7) | (b4 >> 1);
  out.cprLon = ((b4 & 1) << 16) | (bytes[me + 5]! << 8) | bytes[me + 6]!;
  out.altitudeBaroFt = ABSENT;
  out.altitudeGeomFt = ABSENT;
  out.surveillanceStatus = ABSENT;
  out.nicB = ABSENT;
}

/** Middle of a step in tenths of a knot, halves to even. Steps from `slowest` to 8 are `slowStepKt` wide and begin at 0.125 kt. */
function middleDeciKt(movement: number, slowest: number, slowStepKt: number): number {
  if (movement === 0 || movement > 124) return ABSENT;
  if (movement === 124) return 1800;
  const middle = (from: number, startKt: number, stepKt: number) => toEven(10 * (startKt + (movement - from + 0.5) * stepKt));
  if (movement >= 109) return middle(109, 100, 5);
  if (movement >= 94) return middle(94, 70, 2);
  if (movement >= 39) return middle(39, 15, 1);
  if (movement >= 13) return middle(13, 2, 0.5);
  if (movement >= 9) return middle(9, 1, 0.25);
  return movement >= slowest ? middle(slowest, 0.125, slowStepKt) : 0;
}

function toEven(value: number): number {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.floor(value + 0.5);
  return whole + (whole % 2);
}
