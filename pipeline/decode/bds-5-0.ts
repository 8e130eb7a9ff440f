// Comm-B register 5,0: track and turn. ICAO Doc 9871 table A-2-80.
//
//   MB bit   status  value                 LSB        sign
//    1-11    1       roll angle            45/256°    bit 2: left wing down
//   12-23    12      true track angle      90/512°    bit 13
//   24-34    24      ground speed          2 kt
//   35-45    35      track angle rate      8/256 °/s  bit 36
//   46-56    46      true airspeed         2 kt
//
// Signed values are two's complement, and a value whose status bit is 0 is all zeros.
// Three of the values are related: in a coordinated turn the track rate is g * tan(roll) / true airspeed. The wind limits the difference
// between ground speed and true airspeed.

import { cosine, sine } from '../geo/direction.ts';
import { distanceEvidence, evidence, evidenceOfCodes, evidenceOfDistance, evidenceOfField, IMPOSSIBLE, signed } from './evidence.ts';
import { ABSENT, type CommB } from './message.ts';

const ROLL_STATUS = 1 << 27;
const TRACK_STATUS = 1 << 16;
const SPEED_STATUS = 1 << 4;
const STATUS_HIGH = ROLL_STATUS | TRACK_STATUS | SPEED_STATUS;
/** In bits 29-56. */
const RATE_STATUS = 1 << 21;
const TAS_STATUS = 1 << 10;
const STATUS_LOW = RATE_STATUS | TAS_STATUS;
/** Fewer values than this are too little evidence: half of the registers without a decoder here have as many zeros. */
const VALUES_MIN = 3;

/** Bands: level within 1°; 5°; 30°; up to 50°, the largest roll accepted. */
const ROLL = evidenceOfField(
  0.99,
  evidenceOfCodes(1024, [
    [-6, 6, 0.7],
    [-28, 28, 0.14],
    [-171, 171, 0.155],
    [-284, 284, 0.005],
  ]),
);
/** All tracks are equally likely. */
const TRACK_PRESENT = evidence(0.99, 1, 2);
const TRACK_ABSENT = evidence(0.01, 1, 4096);
/** 100 to 560 kt; 50 to 700 kt. Slower speeds, as on the ground, do not give enough evidence. */
const SPEED = evidenceOfField(
  0.99,
  evidenceOfCodes(1024, [
    [50, 280, 0.97],
    [25, 350, 0.03],
    [0, 400, 0.0005],
  ]),
);
const TAS = evidenceOfField(
  0.99,
  evidenceOfCodes(1024, [
    [50, 270, 0.98],
    [25, 330, 0.02],
    [0, 400, 0.0005],
  ]),
);
/** Winds of 60, 120, 200 kt. Counted among the usual codes of a true airspeed. */
const WIND = evidenceOfDistance(221, [
  [30, 0.8],
  [60, 0.16],
  [100, 0.035],
  [400, 0.005],
]);
const RATE_ALONE = evidenceOfCodes(1024, [
  [-6, 6, 0.7],
  [-64, 64, 0.27],
  [-320, 320, 0.02],
  [-512, 511, 0.01],
]);
/** Within 0.25, 1 and 2 °/s of the rate of a coordinated turn. Some installations send wrong rates. */
const TURN_STEPS = 8;
const TURN_EVIDENCE = evidence(0.92, 17, 1024);
const NEAR_TURN_STEPS = 32;
const NEAR_TURN_EVIDENCE = evidence(0.05, 48, 1024);
const FAR_TURN_STEPS = 64;
const FAR_TURN_EVIDENCE = evidence(0.01, 64, 1024);
const NO_TURN_EVIDENCE = evidence(0.02, 895, 1024);
const RATE_PRESENT = evidence(0.98, 1, 2);
const RATE_ABSENT = evidence(0.02, 1, 2048);

/** Product of rate code and true airspeed code in a coordinated turn, by roll code: g tan φ, in the units of both. */
const TURN = Int32Array.from({ length: 285 }, (_, code) => {
  const microdeg = (code * 45_000_000) / 256;
  const metresPerKnotSecond = 1852 / 3600;
  return Math.round(((9.80665 * sine(microdeg)) / cosine(microdeg) / metresPerKnotSecond / 2) * (180 / Math.PI) * 32);
});

/** Evidence that MB is register 5,0. `high` and `low` are its bits 1-28 and 29-56. */
export function scoreTrackAndTurn(high: number, low: number): number {
  const speed = ((high & 0x1f) << 6) | (low >> 22);
  const tas = low & 0x7ff;
  let score = ROLL[high >> 17]! + SPEED[speed]! + TAS[tas]!;
  if (score < IMPOSSIBLE / 2) return IMPOSSIBLE;
  if ((high & TRACK_STATUS) !== 0) score += TRACK_PRESENT;
  else if ((high & 0xffe0) === 0) score += TRACK_ABSENT;
  else return IMPOSSIBLE;
  if ((high & STATUS_HIGH) === STATUS_HIGH && (low & STATUS_LOW) === STATUS_LOW) {
    return score + distanceEvidence(WIND, tas - speed) + rateInTurn(high, low, tas & 0x3ff);
  }
  if (values(high, low) < VALUES_MIN) return IMPOSSIBLE;
  if ((high & SPEED_STATUS) !== 0 && (low & TAS_STATUS) !== 0) score += distanceEvidence(WIND, tas - speed);
  return score + scoreRate(high, low, tas & 0x3ff);
}

function rateInTurn(high: number, low: number, tas: number): number {
  const roll = signed(high >> 17, 10);
  const turn = roll < 0 ? -TURN[-roll]! : TURN[roll]!;
  const apart = Math.abs(signed(low >> 11, 10) * tas - turn);
  if (apart <= TURN_STEPS * tas) return RATE_PRESENT + TURN_EVIDENCE;
  if (apart <= NEAR_TURN_STEPS * tas) return RATE_PRESENT + NEAR_TURN_EVIDENCE;
  return RATE_PRESENT + (apart <= FAR_TURN_STEPS * tas ? FAR_TURN_EVIDENCE : NO_TURN_EVIDENCE);
}

function scoreRate(high: number, low: number, tas: number): number {
  const rate = (low >> 11) & 0x3ff;
  if ((low & RATE_STATUS) === 0) return rate === 0 ? RATE_ABSENT : IMPOSSIBLE;
  return (high & ROLL_STATUS) !== 0 && (low & TAS_STATUS) !== 0 ? rateInTurn(high, low, tas) : RATE_PRESENT + RATE_ALONE[rate]!;
}

function values(high: number, low: number): number {
  return ((high >> 27) & 1) + ((high >> 16) & 1) + ((high >> 4) & 1) + ((low >> 21) & 1) + ((low >> 10) & 1);
}

/** Angles of 45/256° and 90/512° are 1125/64 centidegrees; rates of 8/256 °/s are 25/8 centidegrees a second. */
export function decodeTrackAndTurn(high: number, low: number, out: CommB): void {
  out.rollCentideg = high & ROLL_STATUS ? (signed(high >> 17, 10) * 1125 + 32) >> 6 : ABSENT;
  out.trackCentideg = high & TRACK_STATUS ? (((high >> 5) & 0x7ff) * 1125 + 32) >> 6 : ABSENT;
  out.groundSpeedDeciKt = high & SPEED_STATUS ? 20 * (((high & 0xf) << 6) | (low >> 22)) : ABSENT;
  out.trackRateCentidegPerS = low & RATE_STATUS ? (signed(low >> 11, 10) * 25 + 4) >> 3 : ABSENT;
  out.tasKt = low & TAS_STATUS ? 2 * (low & 0x3ff) : ABSENT;
}
