// Comm-B registers of DF 20 and 21. The bits choose the register (decode/comm-b.ts). Where they do not decide between 5,0 and 6,0, the known
// state of the aircraft does; it also refuses replies that grossly contradict it. Then the values are taken.
import { altitudeEvidence } from '../decode/bds-6-0.ts';
import { chooseRegister, inferRegister, isClear, readValues } from '../decode/comm-b.ts';
import { distanceEvidence, evidenceOfDistance } from '../decode/evidence.ts';
import {
  ABSENT,
  type CommB,
  HEADER_PLAIN,
  type Message,
  REGISTER_2_0,
  REGISTER_3_0,
  REGISTER_4_0,
  REGISTER_5_0,
  REGISTER_6_0,
  REGISTER_NONE,
} from '../decode/message.ts';
import { angleBetweenCentideg } from '../geo/distance.ts';
import { fieldAge, fieldSource, fieldValue, put, SOURCE_NONE } from './accept.ts';
import { foldAdvisory } from './advisory.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import { foldMagneticHeading } from './heading.ts';
import { foldCallSign } from './identity.ts';
import {
  F_ALTITUDE_BARO,
  F_BARO_RATE,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_IAS,
  F_MACH,
  F_MAG_HEADING,
  F_NAV_FMS,
  F_NAV_MCP,
  F_NAV_MODES,
  F_NAV_QNH,
  F_ROLL,
  F_TAS,
  F_TRACK,
  F_TRACK_RATE,
} from './layout.ts';
import { foldMach, foldTas } from './velocity.ts';

/** Age up to which known values are compared: an aircraft turns and climbs. */
const KNOWN_MS_MAX = 10_000;
const ROLL_CENTIDEG_MAX = 4000;
const TRACK_RATE_CENTIDEG_MAX = 1000;
/** Some systems report a few feet when no altitude is selected. */
const NAV_ALTITUDE_FT_MIN = 1000;

/** Evidence above which the known state is not needed, except for a gross contradiction. */
const SURE_EVIDENCE = 120;
const SURE_LEAD = 120;
const GROSS_CENTIDEG = 6000;
const GROSS_DECI_KT = 1000;
const GROSS_KT = 100;

// Distance of a value from the known one, as evidence (decode/evidence.ts) among usual values.
/** Degrees, of tracks or of magnetic headings. */
const ANGLE_APART = evidenceOfDistance(360, [
  [3, 0.85],
  [10, 0.12],
  [30, 0.029],
  [180, 0.001],
]);
/** Degrees between magnetic heading and track: drift and declination. */
const DRIFT = evidenceOfDistance(360, [
  [25, 0.9],
  [60, 0.095],
  [180, 0.005],
]);
/** Knots. */
const SPEED_APART = evidenceOfDistance(450, [
  [6, 0.85],
  [20, 0.12],
  [60, 0.0295],
  [500, 0.0005],
]);
/** Thousandths of Mach number. */
const MACH_APART = evidenceOfDistance(700, [
  [12, 0.85],
  [40, 0.13],
  [900, 0.02],
]);
/** Hundreds of ft/min. */
const RATE_APART = evidenceOfDistance(60, [
  [4, 0.75],
  [15, 0.22],
  [60, 0.03],
]);

/**
 * DF 20 and 21, after their altitude or identity. Replies with DR or UM set are ignored: most are sound, but noise has these bits far more
 * often, and the next reply comes within seconds. When the register stays open, the message names none and no value is taken.
 */
export function foldCommB(aircraft: Aircraft, message: Message): void {
  const { commB } = message;
  if (commB.header !== HEADER_PLAIN) return;
  inferRegister(message);
  if (commB.best === REGISTER_5_0 || commB.best === REGISTER_6_0) settle(aircraft, message);
  switch (commB.register) {
    case REGISTER_2_0:
      if (commB.flightValid) foldCallSign(aircraft, commB.flight);
      break;
    case REGISTER_3_0:
      foldAdvisory(aircraft, message.advisory.bytes, message.df);
      break;
    case REGISTER_4_0:
      foldIntention(aircraft, commB);
      break;
    case REGISTER_5_0:
      foldTrackAndTurn(aircraft, commB);
      break;
    case REGISTER_6_0:
      foldHeadingAndSpeed(aircraft, commB);
      break;
  }
}

/** Chooses between the two best registers, by their bits and the known state. */
function settle(aircraft: Aircraft, message: Message): void {
  const { commB } = message;
  if (commB.bestScore - commB.secondScore >= SURE_LEAD && commB.bestScore >= SURE_EVIDENCE) {
    if (contradicts(aircraft, commB)) commB.register = REGISTER_NONE;
    return;
  }
  const best = commB.bestScore + knownEvidence(aircraft, message, commB.best);
  const second = commB.secondScore + knownEvidence(aircraft, message, commB.second);
  let register = REGISTER_NONE;
  if (isClear(best, second)) register = commB.best;
  else if (isClear(second, best)) register = commB.second;
  if (register !== commB.register) chooseRegister(commB, register);
}

/** The bits are clear, but both direction and speed are far from the known ones: the reply is refused. */
function contradicts(aircraft: Aircraft, commB: CommB): boolean {
  if (commB.register === REGISTER_5_0) {
    return isFar(aircraft, F_GROUND_SPEED, commB.groundSpeedDeciKt, GROSS_DECI_KT) && isTurnedAway(aircraft, commB.trackCentideg);
  }
  return isFar(aircraft, F_IAS, commB.iasKt, GROSS_KT) && isTurnedAway(aircraft, commB.magHeadingCentideg);
}

function isFar(aircraft: Aircraft, field: number, value: number, far: number): boolean {
  return value !== ABSENT && isKnown(aircraft, field) && Math.abs(value - fieldValue(aircraft, field)) > far;
}

function isTurnedAway(aircraft: Aircraft, centideg: number): boolean {
  return (
    centideg !== ABSENT && isKnown(aircraft, F_TRACK) && angleBetweenCentideg(centideg, fieldValue(aircraft, F_TRACK)) > GROSS_CENTIDEG
  );
}

function knownEvidence(aircraft: Aircraft, message: Message, register: number): number {
  if (register === REGISTER_5_0) return knownTrackAndTurn(aircraft, message.commB);
  return register === REGISTER_6_0 ? knownHeadingAndSpeed(aircraft, message) : 0;
}

function knownTrackAndTurn(aircraft: Aircraft, commB: CommB): number {
  readValues(commB, REGISTER_5_0);
  return (
    angleEvidence(aircraft, F_TRACK, commB.trackCentideg, ANGLE_APART) +
    apartEvidence(aircraft, F_GROUND_SPEED, commB.groundSpeedDeciKt, 10, SPEED_APART) +
    apartEvidence(aircraft, F_TAS, commB.tasKt, 1, SPEED_APART)
  );
}

function knownHeadingAndSpeed(aircraft: Aircraft, message: Message): number {
  const { commB } = message;
  readValues(commB, REGISTER_6_0);
  const ofHeading = isKnown(aircraft, F_MAG_HEADING)
    ? angleEvidence(aircraft, F_MAG_HEADING, commB.magHeadingCentideg, ANGLE_APART)
    : angleEvidence(aircraft, F_TRACK, commB.magHeadingCentideg, DRIFT);
  return (
    ofHeading +
    apartEvidence(aircraft, F_IAS, commB.iasKt, 1, SPEED_APART) +
    apartEvidence(aircraft, F_MACH, commB.machMilli, 1, MACH_APART) +
    apartEvidence(aircraft, isKnown(aircraft, F_BARO_RATE) ? F_BARO_RATE : F_GEOM_RATE, commB.baroRateFpm, 100, RATE_APART) +
    ofAltitude(aircraft, message)
  );
}

/** Evidence from the known altitude for a reply without one: airspeed and Mach number must fit it. */
function ofAltitude(aircraft: Aircraft, { surveillance, commB }: Message): number {
  if (surveillance.altitudeBaroFt !== ABSENT || !isKnown(aircraft, F_ALTITUDE_BARO) || !isAltitudeReliable(aircraft)) return 0;
  return altitudeEvidence(commB.high, commB.low, fieldValue(aircraft, F_ALTITUDE_BARO));
}

function angleEvidence(aircraft: Aircraft, field: number, centideg: number, table: Int16Array): number {
  if (centideg === ABSENT || !isKnown(aircraft, field)) return 0;
  return distanceEvidence(table, (angleBetweenCentideg(centideg, fieldValue(aircraft, field)) / 100) | 0);
}

function apartEvidence(aircraft: Aircraft, field: number, value: number, unitsPerStep: number, table: Int16Array): number {
  if (value === ABSENT || !isKnown(aircraft, field)) return 0;
  return distanceEvidence(table, (Math.abs(value - fieldValue(aircraft, field)) / unitsPerStep) | 0);
}

function isKnown(aircraft: Aircraft, field: number): boolean {
  return fieldSource(aircraft, field) !== SOURCE_NONE && fieldAge(aircraft, field) <= KNOWN_MS_MAX;
}

function foldIntention(aircraft: Aircraft, commB: CommB): void {
  if (commB.navAltitudeMcpFt >= NAV_ALTITUDE_FT_MIN) put(aircraft, F_NAV_MCP, commB.navAltitudeMcpFt);
  if (commB.navAltitudeFmsFt >= NAV_ALTITUDE_FT_MIN) put(aircraft, F_NAV_FMS, commB.navAltitudeFmsFt);
  put(aircraft, F_NAV_MODES, commB.navModes);
  put(aircraft, F_NAV_QNH, commB.navQnhDeciHpa);
}

function foldTrackAndTurn(aircraft: Aircraft, commB: CommB): void {
  const { rollCentideg, trackRateCentidegPerS } = commB;
  put(aircraft, F_TRACK, commB.trackCentideg);
  if (Math.abs(trackRateCentidegPerS) <= TRACK_RATE_CENTIDEG_MAX) put(aircraft, F_TRACK_RATE, trackRateCentidegPerS);
  if (Math.abs(rollCentideg) <= ROLL_CENTIDEG_MAX) put(aircraft, F_ROLL, rollCentideg);
  put(aircraft, F_GROUND_SPEED, commB.groundSpeedDeciKt);
  foldTas(aircraft, commB.tasKt);
}

/** The heading of this register is always magnetic, whatever the operational status says. */
function foldHeadingAndSpeed(aircraft: Aircraft, commB: CommB): void {
  foldMagneticHeading(aircraft, commB.magHeadingCentideg);
  put(aircraft, F_IAS, commB.iasKt);
  foldMach(aircraft, commB.machMilli);
  put(aircraft, F_BARO_RATE, commB.baroRateFpm);
  put(aircraft, F_GEOM_RATE, commB.geomRateFpm);
}
