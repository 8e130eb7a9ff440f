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
import { fieldSource, fieldTime, GUARD_POSITION_MS, put, type Reception, SOURCE_TISB } from './accept.ts';
import { airGroundOf, foldAirGround, foldPositionForm } from './air-ground.ts';
import { foldAltitudeBaro, foldAltitudeGeom } from './altitude.ts';
import { foldFlightStatus, foldIdentification, foldSquawk, foldSurveillanceStatus } from './identity.ts';
import {
  type AircraftTable,
  B_DIRTY,
  F_ALTITUDE_GEOM,
  F_EMERGENCY,
  F_RELIABLE,
  STRIDE_BYTES,
  STRIDE_WORDS,
  W_MESSAGES,
  W_SEEN,
} from './layout.ts';
import { foldPosition, gavePosition, type Place, type PositionOutcome } from './position.ts';
import { foldKind, foldVersion } from './source.ts';
import { dropAccuracy, foldImpliedAccuracy, foldOperationalStatus, foldTargetState, foldVersionOf } from './status.ts';
import { foldSurfaceMotion, foldVelocity } from './velocity.ts';

/** Folds a message that the address filter let through and that is no copy. `position` tells what became of its position, if it has one. */
export function foldMessage(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  message: Message,
  receiver: Place | null,
  position: PositionOutcome,
): void {
  const { words } = table;
  const at = slot * STRIDE_WORDS;
  const { kind } = message;
  table.bytes[slot * STRIDE_BYTES + B_DIRTY] = 1;
  words[at + W_MESSAGES] = (words[at + W_MESSAGES]! + 1) & 0x7fff_ffff;
  if (reception.confirmed && reception.now > words[at + W_SEEN]!) words[at + W_SEEN] = reception.now;
  foldKind(table, slot, reception);
  foldVersion(table, slot, reception);
  if (kind === KIND_AIRBORNE_POSITION || kind === KIND_SURFACE_POSITION) {
    reception.guarded = false;
    foldPositionMessage(table, slot, reception, message, receiver, position);
    return;
  }
  reception.guarded = isGuarded(table, slot, reception);
  if (message.df === 17 || message.df === 18) foldExtended(table, slot, reception, message);
  else foldReply(table, slot, reception, message);
}

function foldPositionMessage(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  message: Message,
  receiver: Place | null,
  out: PositionOutcome,
): void {
  foldPosition(table, slot, reception, message, receiver, out);
  if (out.implausible) return;
  const { position } = message;
  const said = airGroundOf(message);
  foldImpliedAccuracy(table, slot, reception, message);
  if (message.kind === KIND_SURFACE_POSITION) {
    foldSurfaceMotion(table, slot, reception, position);
  } else {
    foldAltitudeBaro(table, slot, reception, position.altitudeBaroFt, true);
    const geomCame = put(table, slot, F_ALTITUDE_GEOM, reception, position.altitudeGeomFt);
    foldSurveillanceStatus(table, slot, reception, position);
    foldAltitudeGeom(table, slot, reception, geomCame);
  }
  foldAirGround(table, slot, reception, said);
  if (position.cprLat !== ABSENT) foldPositionForm(table, slot, reception, message, said);
  if (out.accepted && reception.source < SOURCE_TISB) dropAccuracy(table, slot);
}

function foldExtended(table: AircraftTable, slot: number, reception: Reception, message: Message): void {
  switch (message.kind) {
    case KIND_VELOCITY:
      foldVelocity(table, slot, reception, message.velocity);
      foldAltitudeGeom(table, slot, reception, false);
      break;
    case KIND_IDENTIFICATION:
      foldIdentification(table, slot, reception, message.identification);
      break;
    case KIND_OPERATIONAL_STATUS:
      foldVersionOf(table, slot, reception, message);
      foldOperationalStatus(table, slot, reception, message.operationalStatus);
      break;
    case KIND_TARGET_STATE:
      foldTargetState(table, slot, reception, message.targetState);
      break;
    case KIND_EMERGENCY:
      foldSquawk(table, slot, reception, message.emergency.squawk);
      put(table, slot, F_EMERGENCY, reception, message.emergency.code);
      break;
  }
  foldAirGround(table, slot, reception, airGroundOf(message));
}

/** DF 0, 4, 5, 11, 16, 20, 21. */
function foldReply(table: AircraftTable, slot: number, reception: Reception, message: Message): void {
  if (message.df !== 11) {
    const { surveillance } = message;
    if (surveillance.altitudeBaroFt !== ABSENT) {
      foldAltitudeBaro(table, slot, reception, surveillance.altitudeBaroFt, false);
      foldAltitudeGeom(table, slot, reception, false);
    }
    foldSquawk(table, slot, reception, surveillance.squawk);
    foldFlightStatus(table, slot, reception, surveillance);
  }
  foldAirGround(table, slot, reception, airGroundOf(message));
}

/** While positions are fresh, other data count only from receivers that gave some of them. */
function isGuarded(table: AircraftTable, slot: number, reception: Reception): boolean {
  if (reception.now - fieldTime(table, slot, F_RELIABLE) >= GUARD_POSITION_MS) return false;
  return fieldSource(table, slot, F_RELIABLE) >= SOURCE_TISB && !gavePosition(table, slot, reception.receiver);
}
