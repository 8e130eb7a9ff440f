// Folds one accepted message into the aircraft's record. Shows the order of the rules; each rule family has its own file.
import {
  ABSENT,
  KIND_ADVISORY,
  KIND_AIRBORNE_POSITION,
  KIND_ALL_CALL,
  KIND_COARSE_POSITION,
  KIND_COMM_B,
  KIND_COMM_D,
  KIND_EMERGENCY,
  KIND_IDENTIFICATION,
  KIND_OPERATIONAL_STATUS,
  KIND_SURFACE_POSITION,
  KIND_TARGET_STATE,
  KIND_TEST,
  KIND_VELOCITY,
  type Message,
  type Position,
} from '../decode/message.ts';
import { put, SOURCE_TISB } from './accept.ts';
import { foldAdvisory } from './advisory.ts';
import { airGroundOf, foldAirGround, foldPositionForm, rememberForm } from './air-ground.ts';
import type { Aircraft } from './aircraft.ts';
import { foldAltitudeBaro, foldAltitudeGeom } from './altitude.ts';
import { foldCommB } from './comm-b.ts';
import { isGuarded } from './corroboration.ts';
import { foldGps } from './gps.ts';
import { foldFlightStatus, foldIdentification, foldSquawk, foldSurveillanceStatus } from './identity.ts';
import { B_DIRTY, F_ALTITUDE_GEOM, F_EMERGENCY, GROUND, W_MESSAGES, W_SEEN } from './layout.ts';
import { PLAUSIBLE } from './plausibility.ts';
import { foldDiscarded, foldPosition, foldPositionDuplicate, isCprOpen, type PositionOutcome } from './position.ts';
import type { ReceiverTable } from './receivers.ts';
import { foldKind, foldVersion } from './source.ts';
import { dropAccuracy, foldImpliedAccuracy, foldOperationalStatus, foldTargetState, foldVersionOf } from './status.ts';
import { keep, undo } from './undo.ts';
import { foldCoarseMotion, foldSurfaceMotion, foldVelocity } from './velocity.ts';

/**
 * Folds a message that passed the address filter and is no duplicate. `position` gets the result of its position, if it has one:
 * when its verdict is not PLAUSIBLE, the whole message is undone.
 */
export function foldMessage(aircraft: Aircraft, message: Message, receivers: ReceiverTable, position: PositionOutcome): void {
  if (hasPosition(message)) {
    foldWithPosition(aircraft, message, receivers, position);
    return;
  }
  foldHeard(aircraft);
  aircraft.guarded = isGuarded(aircraft);
  if (message.df === 17 || message.df === 18) foldExtended(aircraft, message);
  else foldReply(aircraft, message);
}

/** Folds a duplicate of a message from another receiver: it only shows which receiver hears the aircraft. */
export function foldDuplicate(aircraft: Aircraft, message: Message, receivers: ReceiverTable): void {
  if (hasPosition(message)) foldPositionDuplicate(aircraft, message, receivers);
}

function hasPosition({ kind, position }: Message): boolean {
  return (kind === KIND_AIRBORNE_POSITION || kind === KIND_SURFACE_POSITION || kind === KIND_COARSE_POSITION) && position.cprLat !== ABSENT;
}

/** Every message shows that the aircraft exists, and the kind of its source. */
function foldHeard(aircraft: Aircraft): void {
  const { words, at } = aircraft;
  aircraft.bytes[aircraft.byte + B_DIRTY] = 1;
  words[at + W_MESSAGES] = (words[at + W_MESSAGES]! + 1) & 0x7fff_ffff;
  if (aircraft.confirmed && aircraft.now > words[at + W_SEEN]!) words[at + W_SEEN] = aircraft.now;
  foldKind(aircraft);
  foldVersion(aircraft);
}

/**
 * A message with CPR fields. Surface speed, track and air/ground state come first, because the position is checked against them. The other
 * values of an airborne message do not affect its position, and are folded after the position is accepted.
 */
function foldWithPosition(aircraft: Aircraft, message: Message, receivers: ReceiverTable, out: PositionOutcome): void {
  const surface = message.kind === KIND_SURFACE_POSITION;
  keep(aircraft, surface);
  foldHeard(aircraft);
  aircraft.guarded = false;
  const said = airGroundOf(message);
  const open = isCprOpen(aircraft, message.position);
  if (surface) {
    foldSurfaceMotion(aircraft, message.position);
    foldAirGround(aircraft, said);
    if (open) foldPositionForm(aircraft, message, said);
  }
  if (open) foldPosition(aircraft, message, receivers, out);
  if (out.verdict !== PLAUSIBLE) {
    undo(aircraft, surface);
    foldDiscarded(aircraft, message, out);
    return;
  }
  foldImpliedAccuracy(aircraft, message);
  if (!surface) {
    if (message.kind === KIND_COARSE_POSITION) foldCoarseMotion(aircraft, message.position);
    foldAirborne(aircraft, message.position, said);
    foldAirGround(aircraft, said);
    if (open) foldPositionForm(aircraft, message, said);
  }
  if (open) rememberForm(aircraft, message);
  if (out.accepted && aircraft.source < SOURCE_TISB) dropAccuracy(aircraft);
  foldGps(aircraft, message, out.accepted);
}

/** The other values of TC 0, 9-18, 20-22 and coarse TIS-B. An aircraft that reports itself on the ground has no altitude. */
function foldAirborne(aircraft: Aircraft, position: Position, said: number): void {
  let geomCame = false;
  if (said !== GROUND) {
    foldAltitudeBaro(aircraft, position.altitudeBaroFt, aircraft.intact);
    geomCame = put(aircraft, F_ALTITUDE_GEOM, position.altitudeGeomFt);
  }
  foldSurveillanceStatus(aircraft, position);
  foldAltitudeGeom(aircraft, geomCame);
}

function foldExtended(aircraft: Aircraft, message: Message): void {
  switch (message.kind) {
    case KIND_AIRBORNE_POSITION:
      foldImpliedAccuracy(aircraft, message);
      foldAirborne(aircraft, message.position, airGroundOf(message));
      break;
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
    case KIND_ADVISORY:
      foldAdvisory(aircraft, message.advisory.bytes, message.df);
      break;
    case KIND_TEST:
      foldSquawk(aircraft, message.testMessage.squawk);
      break;
  }
  foldAirGround(aircraft, airGroundOf(message));
  foldGps(aircraft, message, false);
}

/** DF 0, 4, 5, 11, 16, 20, 21, 24. */
function foldReply(aircraft: Aircraft, message: Message): void {
  const { kind } = message;
  if (kind !== KIND_ALL_CALL && kind !== KIND_COMM_D) {
    if (kind === KIND_ADVISORY) foldAdvisory(aircraft, message.advisory.bytes, message.df);
    const { surveillance } = message;
    if (surveillance.altitudeBaroFt !== ABSENT) {
      foldAltitudeBaro(aircraft, surveillance.altitudeBaroFt, false);
      foldAltitudeGeom(aircraft, false);
    }
    foldSquawk(aircraft, surveillance.squawk);
    foldFlightStatus(aircraft, surveillance);
    if (kind === KIND_COMM_B) foldCommB(aircraft, message);
  }
  foldAirGround(aircraft, airGroundOf(message));
}
