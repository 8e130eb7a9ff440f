// Air/ground state. Position messages know best; capability and flight status fill in; "airborne" of a reply is only "not said to be on the ground".
import { KIND_SURFACE_POSITION, type Message } from '../decode/message.ts';
import { EXPIRE_MS, fieldAge, fieldSource, fieldValue, isValid, put, SOURCE_MODE_S_CHECKED } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import {
  AIRBORNE,
  B_LAST_TYPE,
  CPR_AIRBORNE,
  CPR_NONE,
  CPR_SURFACE,
  F_AIR_GROUND,
  F_CPR_EVEN,
  F_CPR_ODD,
  F_GROUND_SPEED,
  F_RELIABLE,
  GROUND,
  TIMES,
  UNCERTAIN,
  VALUES,
} from './layout.ts';

const CAPABILITY_GROUND = 4;
const CAPABILITY_AIRBORNE = 5;
/** While positions are this fresh, only they tell. */
const POSITION_RULES_MS = 20_000;
const LESSER_SOURCE_MS = 2 * EXPIRE_MS;
const FLYING_DECI_KT = 800;
const SPEED_FRESH_MS = 3000;

/** What a frame says; −1 when it says nothing. */
export function airGroundOf(message: Message): number {
  if (message.kind === KIND_SURFACE_POSITION) return GROUND;
  if (message.df === 11 || message.df === 17) {
    if (message.capability === CAPABILITY_GROUND) return GROUND;
    return message.capability === CAPABILITY_AIRBORNE ? AIRBORNE : UNCERTAIN;
  }
  if (message.df === 18) return -1;
  const { onGround } = message.surveillance;
  return onGround === 1 ? GROUND : UNCERTAIN;
}

/** Takes what any frame says. */
export function foldAirGround(aircraft: Aircraft, said: number): void {
  if (said < 0 || positionsRule(aircraft)) return;
  const known = isValid(aircraft, F_AIR_GROUND) ? fieldValue(aircraft, F_AIR_GROUND) : UNCERTAIN;
  if (said === UNCERTAIN && known !== UNCERTAIN && !(known === GROUND && isFlying(aircraft))) return;
  const { source } = aircraft;
  const lesser = source < fieldSource(aircraft, F_AIR_GROUND) && source < SOURCE_MODE_S_CHECKED;
  if (!lesser || fieldAge(aircraft, F_AIR_GROUND) > LESSER_SOURCE_MS) put(aircraft, F_AIR_GROUND, said);
}

/** Takes what the form of a position message says: airborne or surface. `said` is the rest of the frame. */
export function foldPositionForm(aircraft: Aircraft, message: Message, said: number): void {
  const at = aircraft.byte;
  const { bytes } = aircraft;
  const surface = message.kind === KIND_SURFACE_POSITION;
  const last = bytes[at + B_LAST_TYPE]!;
  bytes[at + B_LAST_TYPE] = surface ? CPR_SURFACE : CPR_AIRBORNE;
  if (surface) {
    put(aircraft, F_AIR_GROUND, GROUND);
  } else if (last === CPR_SURFACE || said === AIRBORNE) {
    put(aircraft, F_AIR_GROUND, AIRBORNE);
  } else if (said === UNCERTAIN && fieldValue(aircraft, F_AIR_GROUND) === GROUND && isValid(aircraft, F_AIR_GROUND)) {
    // Old transponders send airborne positions on the ground.
    put(aircraft, F_AIR_GROUND, UNCERTAIN);
  }
}

function isFlying(aircraft: Aircraft): boolean {
  return (
    isAltitudeReliable(aircraft) &&
    fieldAge(aircraft, F_GROUND_SPEED) < SPEED_FRESH_MS &&
    fieldValue(aircraft, F_GROUND_SPEED) > FLYING_DECI_KT
  );
}

/** The state is certain, and positions that told it are fresh. */
function positionsRule({ words, bytes, at, byte, now }: Aircraft): boolean {
  const since = now - POSITION_RULES_MS;
  return (
    words[at + TIMES + 2 * F_RELIABLE]! > since &&
    words[at + TIMES + 2 * F_AIR_GROUND]! > since &&
    words[at + VALUES + 2 * F_AIR_GROUND]! !== UNCERTAIN &&
    words[at + TIMES + 2 * F_CPR_EVEN]! > since &&
    words[at + TIMES + 2 * F_CPR_ODD]! > since &&
    bytes[byte + B_LAST_TYPE]! !== CPR_NONE
  );
}
