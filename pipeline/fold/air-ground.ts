// Air/ground state. Position messages decide; capability and flight status fill gaps; "airborne" of a reply only means "not reported on the ground".
import { ABSENT, KIND_COMM_D, KIND_SURFACE_POSITION, type Message } from '../decode/message.ts';
import { EXPIRE_MS, fieldAge, fieldSource, fieldValue, isValid, put, SOURCE_MODE_S_CHECKED } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { isAltitudeReliable } from './altitude.ts';
import {
  AIRBORNE,
  B_KIND,
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

/** CA 4 is on the ground, 5 airborne, 0, 6 and 7 may be either; 1 to 3 are reserved. */
const AIR_GROUND_BY_CAPABILITY = Int8Array.of(UNCERTAIN, -1, -1, -1, GROUND, AIRBORNE, UNCERTAIN, UNCERTAIN);
/** While positions are this fresh, only they decide. */
const POSITION_RULES_MS = 20_000;
const LESSER_SOURCE_MS = 2 * EXPIRE_MS;
const FLYING_DECI_KT = 800;
const SPEED_FRESH_MS = 3000;

/** State that a frame reports; −1 when it reports none. */
export function airGroundOf(message: Message): number {
  if (message.kind === KIND_SURFACE_POSITION) return GROUND;
  if (message.df === 11 || message.df === 17) return AIR_GROUND_BY_CAPABILITY[message.capability & 7]!;
  if (message.df === 18 || message.kind === KIND_COMM_D) return -1;
  const { onGround, alert } = message.surveillance;
  if (onGround === 1) return GROUND;
  // Flight status 6 and 7 are undefined; 4 and 5 mean on the ground or airborne.
  const silent = onGround === ABSENT && alert === ABSENT;
  return silent ? -1 : UNCERTAIN;
}

/** Takes the state that any frame reports. */
export function foldAirGround(aircraft: Aircraft, reported: number): void {
  if (reported < 0 || positionsRule(aircraft)) return;
  const known = isValid(aircraft, F_AIR_GROUND) ? fieldValue(aircraft, F_AIR_GROUND) : UNCERTAIN;
  if (reported === UNCERTAIN && known !== UNCERTAIN && !(known === GROUND && isFlying(aircraft))) return;
  const { source } = aircraft;
  const lesser = source < fieldSource(aircraft, F_AIR_GROUND) && source < SOURCE_MODE_S_CHECKED;
  if (!lesser || fieldAge(aircraft, F_AIR_GROUND) > LESSER_SOURCE_MS) put(aircraft, F_AIR_GROUND, reported);
}

/** Takes the state that the form of a position message implies: airborne or surface. `reported` is what the rest of the frame reports. A kind that is not yet the aircraft's has no effect. */
export function foldPositionForm(aircraft: Aircraft, message: Message, reported: number): void {
  const at = aircraft.byte;
  const { bytes } = aircraft;
  if (aircraft.kind < bytes[at + B_KIND]!) return;
  if (message.kind === KIND_SURFACE_POSITION) {
    put(aircraft, F_AIR_GROUND, GROUND);
  } else if (bytes[at + B_LAST_TYPE] === CPR_SURFACE || reported === AIRBORNE) {
    put(aircraft, F_AIR_GROUND, AIRBORNE);
  } else if (reported === UNCERTAIN && fieldValue(aircraft, F_AIR_GROUND) === GROUND && isValid(aircraft, F_AIR_GROUND)) {
    // Old transponders send airborne positions on the ground, too.
    put(aircraft, F_AIR_GROUND, UNCERTAIN);
  }
}

/** Stores the form, for comparison with the next one. */
export function rememberForm(aircraft: Aircraft, message: Message): void {
  aircraft.bytes[aircraft.byte + B_LAST_TYPE] = message.kind === KIND_SURFACE_POSITION ? CPR_SURFACE : CPR_AIRBORNE;
}

function isFlying(aircraft: Aircraft): boolean {
  return (
    isAltitudeReliable(aircraft) &&
    fieldAge(aircraft, F_GROUND_SPEED) < SPEED_FRESH_MS &&
    fieldValue(aircraft, F_GROUND_SPEED) > FLYING_DECI_KT
  );
}

/** The state is certain, and comes from a position that is still fresh. */
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
