// Comm-B register 6,0: heading and speed. ICAO Doc 9871 table A-2-96.
//
//   MB bit   status  value                    LSB          sign
//    1-12    1       magnetic heading         90/512°      bit 2
//   13-23    13      indicated airspeed       1 kt
//   24-34    24      Mach number              2.048/512
//   35-45    35      barometric rate          32 ft/min    bit 36
//   46-56    46      inertial vertical rate   32 ft/min    bit 47
//
// Signed values are two's complement, and a value whose status bit is 0 is all zeros.
// Indicated airspeed and Mach number determine the pressure altitude; DF 20 carries it and the aircraft's state may have it. The two rates
// agree.

import { impactOfIas, impactOfMach, PRESSURE_ONE, pressureOfAltitude } from './air-data.ts';
import { distanceEvidence, evidence, evidenceOfCodes, evidenceOfDistance, evidenceOfField, IMPOSSIBLE, signed } from './evidence.ts';
import { ABSENT, type CommB } from './message.ts';

const HEADING_STATUS = 1 << 27;
const IAS_STATUS = 1 << 15;
const MACH_STATUS = 1 << 4;
const STATUS_HIGH = HEADING_STATUS | IAS_STATUS | MACH_STATUS;
/** In bits 29-56. */
const BARO_STATUS = 1 << 21;
const INERTIAL_STATUS = 1 << 10;
const STATUS_LOW = BARO_STATUS | INERTIAL_STATUS;
/** The same bound as in register 5,0. */
const VALUES_MIN = 3;

const RATE_STEP_FPM = 32;
const MACH_STEP_MILLI = 4;

/** All headings are equally likely. */
const HEADING_PRESENT = evidence(0.99, 1, 2);
const HEADING_ABSENT = evidence(0.01, 1, 4096);
/** 100 to 360 kt; 50 to 450. Slower speeds, as on the ground, do not give enough evidence. */
const IAS = evidenceOfField(
  0.99,
  evidenceOfCodes(1024, [
    [100, 360, 0.97],
    [50, 450, 0.03],
    [0, 600, 0.0005],
  ]),
);
/** Mach 0.16 to 0.92; 0.06 to 1; 1.6. */
const MACH = evidenceOfField(
  0.99,
  evidenceOfCodes(1024, [
    [40, 230, 0.98],
    [15, 250, 0.02],
    [0, 400, 0.0005],
  ]),
);
/** 500, 3,000, 6,000 and 12,800 ft/min. */
const RATE = evidenceOfField(
  0.98,
  evidenceOfCodes(1024, [
    [-15, 15, 0.6],
    [-94, 94, 0.35],
    [-188, 188, 0.045],
    [-400, 400, 0.005],
  ]),
);
/** 320, 640 and 1,280 ft/min between the two rates. Some inertial rates are wrong. */
const RATES_APART = evidenceOfDistance(1024, [
  [10, 0.91],
  [20, 0.05],
  [40, 0.02],
  [511, 0.02],
]);
const RATE_PRESENT = evidence(0.98, 1, 2);
/**
 * Difference in knots between the reported airspeed and the one from Mach number and altitude. Counted among the usual codes of an
 * airspeed.
 */
const SPEEDS_APART = evidenceOfDistance(261, [
  [2, 0.9],
  [5, 0.07],
  [15, 0.02],
  [40, 0.007],
  [400, 0.003],
]);
/** For an unknown altitude: pressure at 44,000 and −1,500 ft, the range of nearly all flights, and at 52,000 ft. */
const PRESSURE_MIN = 0.153;
const PRESSURE_MAX = 1.056;
const PRESSURE_HARDLY = 0.104;
const PRESSURE_USUAL_EVIDENCE = 7;
const PRESSURE_HARDLY_EVIDENCE = -20;
const PRESSURE_WRONG_EVIDENCE = -60;

/** Evidence that MB is register 6,0. `high` and `low` are its bits 1-28 and 29-56; `altitudeFt` is ABSENT when unknown. */
export function scoreHeadingAndSpeed(high: number, low: number, altitudeFt: number): number {
  const ias = (high >> 5) & 0x7ff;
  const mach = ((high & 0x1f) << 6) | (low >> 22);
  let score = IAS[ias]! + MACH[mach]! + RATE[(low >> 11) & 0x7ff]!;
  if (score < IMPOSSIBLE / 2) return IMPOSSIBLE;
  if ((high & HEADING_STATUS) !== 0) score += HEADING_PRESENT;
  else if (high >> 16 === 0) score += HEADING_ABSENT;
  else return IMPOSSIBLE;
  const inertial = low & 0x7ff;
  if ((low & STATUS_LOW) === STATUS_LOW)
    score += RATE_PRESENT + distanceEvidence(RATES_APART, signed(low >> 11, 10) - signed(inertial, 10));
  else score += RATE[inertial]!;
  if (((high & STATUS_HIGH) !== STATUS_HIGH || (low & STATUS_LOW) !== STATUS_LOW) && values(high, low) < VALUES_MIN) return IMPOSSIBLE;
  if ((ias & 0x3ff) === 0 || (mach & 0x3ff) === 0) return score;
  return score + speedsEvidence(ias & 0x3ff, mach & 0x3ff, altitudeFt);
}

function speedsEvidence(ias: number, mach: number, altitudeFt: number): number {
  const iasImpact = impactOfIas(ias);
  const relative = impactOfMach(mach);
  if (altitudeFt !== ABSENT) {
    // Impact pressure grows with the square of the speed: the relative error of the speed is half of that of the pressure.
    const apartKt = (ias * ((iasImpact * PRESSURE_ONE) / (relative * pressureOfAltitude(altitudeFt)) - 1)) / 2;
    return distanceEvidence(SPEEDS_APART, Math.min(1000, Math.abs(apartKt) + 0.5) | 0);
  }
  if (iasImpact > PRESSURE_MAX * relative) return PRESSURE_WRONG_EVIDENCE;
  if (iasImpact >= PRESSURE_MIN * relative) return PRESSURE_USUAL_EVIDENCE;
  return iasImpact >= PRESSURE_HARDLY * relative ? PRESSURE_HARDLY_EVIDENCE : PRESSURE_WRONG_EVIDENCE;
}

function values(high: number, low: number): number {
  return ((high >> 27) & 1) + ((high >> 15) & 1) + ((high >> 4) & 1) + ((low >> 21) & 1) + ((low >> 10) & 1);
}

/** Evidence that a known altitude adds to a score computed without it. */
export function altitudeEvidence(high: number, low: number, altitudeFt: number): number {
  const ias = (high >> 5) & 0x3ff;
  const mach = ((high & 0xf) << 6) | (low >> 22);
  return ias === 0 || mach === 0 ? 0 : speedsEvidence(ias, mach, altitudeFt) - speedsEvidence(ias, mach, ABSENT);
}

/** Angles of 90/512° are 1125/64 centidegrees. */
export function decodeHeadingAndSpeed(high: number, low: number, out: CommB): void {
  out.magHeadingCentideg = high & HEADING_STATUS ? (((high >> 16) & 0x7ff) * 1125 + 32) >> 6 : ABSENT;
  out.iasKt = high & IAS_STATUS ? (high >> 5) & 0x3ff : ABSENT;
  out.machMilli = high & MACH_STATUS ? MACH_STEP_MILLI * (((high & 0xf) << 6) | (low >> 22)) : ABSENT;
  out.baroRateFpm = low & BARO_STATUS ? RATE_STEP_FPM * signed(low >> 11, 10) : ABSENT;
  out.geomRateFpm = low & INERTIAL_STATUS ? RATE_STEP_FPM * signed(low, 10) : ABSENT;
}
