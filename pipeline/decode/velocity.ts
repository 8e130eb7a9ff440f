// Airborne velocity, TC 19 subtypes 1-4 (BDS 0,9). DO-260B §2.2.3.2.6.
//
//   ME bit  1-5   TC 19
//           6-8   subtype: 1 ground speed, 2 the same × 4 (supersonic), 3 airspeed, 4 the same × 4
//           9     intent change; in TIS-B and ADS-R the ICAO/Mode A flag
//          10     not used
//          11-13  NACv
//          36     source of the vertical rate: 0 geometric, 1 barometric
//          37     its sign: 1 down
//          38-46  n: 0 no information, else (n − 1) * 64 ft/min
//          47-48  not used
//          49     1 when the geometric altitude is below the barometric
//          50-56  n: 0 no information, else difference (n − 1) * 25 ft
//   subtypes 1, 2                                    subtypes 3, 4
//          14     1 west                             14     1 when the heading is valid
//          15-24  n: 0 none, else n − 1 kt           15-24  heading, LSB 360/1024°
//          25     1 south                            25     0 indicated, 1 true airspeed
//          26-35  n: 0 none, else n − 1 kt           26-35  n: 0 none, else n − 1 kt
//
// TIS-B (DO-260B §2.2.17.3.4, Doc 9871 tables B-3-4a, b) has speeds, headings and rates in the same bits. The bits around them differ:
//           9     ICAO/Mode A flag
//          10-13  NACp
//          36     1: the difference of altitudes is given as above; 0: bits 48-50 are NACv, 51-52 SIL. The rate is always barometric

import { directionCentideg } from '../geo/direction.ts';
import { ABSENT, type Velocity } from './message.ts';

/** `me` is the offset of the ME field; `subtype` is 1 to 4. */
export function decodeVelocity(bytes: Uint8Array, me: number, subtype: number, out: Velocity): void {
  decodeMotion(bytes, me, subtype, out);
  out.nacV = (bytes[me + 1]! >> 3) & 7;
  out.nacP = ABSENT;
  out.sil = ABSENT;
  const rate = verticalRate(bytes, me);
  const barometric = (bytes[me + 4]! & 0x10) !== 0;
  out.baroRateFpm = barometric ? rate : ABSENT;
  out.geomRateFpm = barometric ? ABSENT : rate;
  out.geomDeltaFt = altitudeDifference(bytes, me);
}

/** The same for TIS-B. */
export function decodeVelocityTisb(bytes: Uint8Array, me: number, subtype: number, out: Velocity): void {
  decodeMotion(bytes, me, subtype, out);
  out.nacP = (bytes[me + 1]! >> 3) & 0xf;
  out.baroRateFpm = verticalRate(bytes, me);
  out.geomRateFpm = ABSENT;
  const hasDifference = (bytes[me + 4]! & 0x10) !== 0;
  const b6 = bytes[me + 6]!;
  out.geomDeltaFt = hasDifference ? altitudeDifference(bytes, me) : ABSENT;
  out.nacV = hasDifference ? ABSENT : ((bytes[me + 5]! & 1) << 2) | (b6 >> 6);
  out.sil = hasDifference ? ABSENT : (b6 >> 4) & 3;
}

function decodeMotion(bytes: Uint8Array, me: number, subtype: number, out: Velocity): void {
  if (subtype <= 2) decodeGroundSpeed(bytes, me, subtype === 2 ? 4 : 1, out);
  else decodeAirspeed(bytes, me, subtype === 4 ? 4 : 1, out);
}

function verticalRate(bytes: Uint8Array, me: number): number {
  const b4 = bytes[me + 4]!;
  const steps = ((b4 & 7) << 6) | (bytes[me + 5]! >> 2);
  if (steps === 0) return ABSENT;
  return b4 & 8 ? (1 - steps) * 64 : (steps - 1) * 64;
}

function altitudeDifference(bytes: Uint8Array, me: number): number {
  const b6 = bytes[me + 6]!;
  const steps = b6 & 0x7f;
  if (steps === 0) return ABSENT;
  return b6 & 0x80 ? (1 - steps) * 25 : (steps - 1) * 25;
}

function decodeGroundSpeed(bytes: Uint8Array, me: number, factor: number, out: Velocity): void {
  const b1 = bytes[me + 1]!;
  const b3 = bytes[me + 3]!;
  const east = ((b1 & 3) << 8) | bytes[me + 2]!;
  const north = ((b3 & 0x7f) << 3) | (bytes[me + 4]! >> 5);
  out.headingCentideg = ABSENT;
  out.iasKt = ABSENT;
  out.tasKt = ABSENT;
  if (east === 0 || north === 0) {
    out.groundSpeedDeciKt = ABSENT;
    out.trackCentideg = ABSENT;
    return;
  }
  const eastKt = (b1 & 4 ? 1 - east : east - 1) * factor;
  const northKt = (b3 & 0x80 ? 1 - north : north - 1) * factor;
  out.groundSpeedDeciKt = (10 * Math.sqrt(eastKt * eastKt + northKt * northKt) + 0.5) | 0;
  // Zero speed has no direction.
  out.trackCentideg = eastKt === 0 && northKt === 0 ? ABSENT : directionCentideg(eastKt, northKt);
}

function decodeAirspeed(bytes: Uint8Array, me: number, factor: number, out: Velocity): void {
  const b1 = bytes[me + 1]!;
  const b3 = bytes[me + 3]!;
  const speed = ((b3 & 0x7f) << 3) | (bytes[me + 4]! >> 5);
  const speedKt = speed === 0 ? ABSENT : (speed - 1) * factor;
  const isTrue = (b3 & 0x80) !== 0;
  out.groundSpeedDeciKt = ABSENT;
  out.trackCentideg = ABSENT;
  out.headingCentideg = b1 & 4 ? ((((b1 & 3) << 8) | bytes[me + 2]!) * 35.15625 + 0.5) | 0 : ABSENT;
  out.iasKt = isTrue ? ABSENT : speedKt;
  out.tasKt = isTrue ? speedKt : ABSENT;
}
