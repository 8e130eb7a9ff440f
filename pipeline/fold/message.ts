// One believed message → the aircraft's record. Here stands the order in which the rules see it; each rule family has its own file.
import {
  ABSENT,
  KIND_AIRBORNE_POSITION,
  KIND_EMERGENCY,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_TARGET_STATE,
  KIND_VELOCITY,
  type Message,
} from '../decode/message.ts';
import { fieldSource, fieldTime, GUARD_POSITION_MS, put, SOURCE_NONE, SOURCE_TISB } from './accept.ts';
import { airGroundOf, foldAirGround, foldPositionForm } from './air-ground.ts';
import type { Aircraft } from './aircraft.ts';
import { foldAltitudeBaro, foldAltitudeGeom } from './altitude.ts';
import { foldGps } from './gps.ts';
import { foldFlightStatus, foldIdentification, foldSquawk, foldSurveillanceStatus } from './identity.ts';
import { B_DIRTY, F_ALTITUDE_GEOM, F_EMERGENCY, F_RELIABLE, W_MESSAGES, W_SEEN } from './layout.ts';
import { foldPosition, gavePosition, type PositionOutcome } from './position.ts';
import type { ReceiverTable } from './receivers.ts';
import { foldKind, foldVersion } from './source.ts';
import { dropAccuracy, foldImpliedAccuracy, foldOperationalStatus, foldTargetState, foldVersionOf } from './status.ts';
import { foldSurfaceMotion, foldVelocity } from './velocity.ts';

/** Folds a message that the address filter let through and that is no copy. `position` tells what became of its position, if it has one. */
export function foldMessage(aircraft: Aircraft, message: Message, receivers: ReceiverTable, position: PositionOutcome): void {
  const { words, at } = aircraft;
  const { kind } = message;
  aircraft.bytes[aircraft.byte + B_DIRTY] = 1;
  words[at + W_MESSAGES] = (words[at + W_MESSAGES]! + 1) & 0x7fff_ffff;
  if (aircraft.confirmed && aircraft.now > words[at + W_SEEN]!) words[at + W_SEEN] = aircraft.now;
  if (aircraft.source === SOURCE_NONE) return;
  foldKind(aircraft);
  foldVersion(aircraft);
  if (kind === KIND_AIRBORNE_POSITION || kind === KIND_SURFACE_POSITION) {
    aircraft.guarded = false;
    foldPositionMessage(aircraft, message, receivers, position);
    return;
  }
  aircraft.guarded = isGuarded(aircraft);
  if (message.df === 17 || message.df === 18) foldExtended(aircraft, message);
  else foldReply(aircraft, message);
}

function foldPositionMessage(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): void {
  foldPosition(aircraft, message, receivers, out);
  if (out.implausible) return;
  const { position } = message;
  const said = airGroundOf(message);
  foldImpliedAccuracy(aircraft, message);
  if (message.kind === KIND_SURFACE_POSITION) {
    foldSurfaceMotion(aircraft, position);
  } else {
    foldAltitudeBaro(aircraft, position.altitudeBaroFt, true);
    const geomCame = put(aircraft, F_ALTITUDE_GEOM, position.altitudeGeomFt);
    foldSurveillanceStatus(aircraft, position);
    foldAltitudeGeom(aircraft, geomCame);
  }
  foldAirGround(aircraft, said);
  if (position.cprLat !== ABSENT) foldPositionForm(aircraft, message, said);
  if (out.accepted && aircraft.source < SOURCE_TISB) dropAccuracy(aircraft);
  // Also one with repaired bits: a place that fits the aircraft's flight proves the address.
  if (out.accepted && aircraft.now > aircraft.words[aircraft.at + W_SEEN]!) aircraft.words[aircraft.at + W_SEEN] = aircraft.now;
  foldGps(aircraft, message, out.accepted);
}

function foldExtended(aircraft: Aircraft, message: Message): void {
  switch (message.kind) {
    case KIND_VELOCITY:
      foldVelocity(aircraft, message.velocity);
      foldAltitudeGeom(aircraft, false);
      break;
    case KIND_IDENTIFICATION:
      foldIdentification(aircraft, message.identification);
      break;
    case KIND_OPERATIONAL_STATUS:
      foldVersionOf(aircraft, message);
      foldOperationalStatus(aircraft, message.operationalStatus);
      break;
    case KIND_TARGET_STATE:
      foldTargetState(aircraft, message.targetState);
      break;
    case KIND_EMERGENCY:
      foldSquawk(aircraft, message.emergency.squawk);
      put(aircraft, F_EMERGENCY, message.emergency.code);
      break;
  }
  foldAirGround(aircraft, airGroundOf(message));
  foldGps(aircraft, message, false);
}

/** DF 0, 4, 5, 11, 16, 20, 21. */
function foldReply(aircraft: Aircraft, message: Message): void {
  if (message.df !== 11) {
    const { surveillance } = message;
    if (surveillance.altitudeBaroFt !== ABSENT) {
      foldAltitudeBaro(aircraft, surveillance.altitudeBaroFt, false);
      foldAltitudeGeom(aircraft, false);
    }
    foldSquawk(aircraft, surveillance.squawk);
    foldFlightStatus(aircraft, surveillance);
  }
  foldAirGround(aircraft, airGroundOf(message));
}

/** While positions are fresh, other data count only from receivers that gave some of them. */
function isGuarded(aircraft: Aircraft): boolean {
  if (aircraft.now - fieldTime(aircraft, F_RELIABLE) >= GUARD_POSITION_MS) return false;
  return fieldSource(aircraft, F_RELIABLE) >= SOURCE_TISB && !gavePosition(aircraft);
}
