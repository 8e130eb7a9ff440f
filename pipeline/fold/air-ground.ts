// Air/ground state. Position messages know best; capability and flight status fill in; "airborne" of a reply is only "not said to be on the ground".
import { KIND_SURFACE_POSITION, type Message } from '../decode/message.ts';
import {
  accept,
  EXPIRE_MS,
  fieldAge,
  fieldSource,
  fieldTime,
  fieldValue,
  isValid,
  type Reception,
  SOURCE_MODE_S_CHECKED,
} from './accept.ts';
import { isAltitudeReliable } from './altitude.ts';
import {
  AIRBORNE,
  type AircraftTable,
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
  STRIDE_BYTES,
  STRIDE_WORDS,
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
export function foldAirGround(table: AircraftTable, slot: number, reception: Reception, said: number): void {
  if (said < 0) return;
  const { now, source } = reception;
  const lesser = source < fieldSource(table, slot, F_AIR_GROUND) && source < SOURCE_MODE_S_CHECKED;
  if (lesser && fieldAge(table, slot, F_AIR_GROUND, now) <= LESSER_SOURCE_MS) return;
  if (isValid(table, slot, F_AIR_GROUND, now)) {
    const known = fieldValue(table, slot, F_AIR_GROUND);
    if (known !== UNCERTAIN && said === UNCERTAIN && !(known === GROUND && isFlying(table, slot, now))) return;
    if (known !== UNCERTAIN && positionsRule(table, slot, now)) return;
  }
  set(table, slot, reception, said);
}

/** Takes what the form of a position message says: airborne or surface. `said` is the rest of the frame. */
export function foldPositionForm(table: AircraftTable, slot: number, reception: Reception, message: Message, said: number): void {
  const at = slot * STRIDE_BYTES;
  const { bytes } = table;
  const surface = message.kind === KIND_SURFACE_POSITION;
  const last = bytes[at + B_LAST_TYPE]!;
  bytes[at + B_LAST_TYPE] = surface ? CPR_SURFACE : CPR_AIRBORNE;
  if (surface) {
    set(table, slot, reception, GROUND);
  } else if (last === CPR_SURFACE || said === AIRBORNE) {
    set(table, slot, reception, AIRBORNE);
  } else if (said === UNCERTAIN && fieldValue(table, slot, F_AIR_GROUND) === GROUND && isValid(table, slot, F_AIR_GROUND, reception.now)) {
    // Old transponders send airborne positions on the ground.
    set(table, slot, reception, UNCERTAIN);
  }
}

function set(table: AircraftTable, slot: number, reception: Reception, state: number): void {
  if (accept(table, slot, F_AIR_GROUND, reception)) table.words[slot * STRIDE_WORDS + VALUES + 2 * F_AIR_GROUND] = state;
}

function isFlying(table: AircraftTable, slot: number, now: number): boolean {
  return (
    isAltitudeReliable(table, slot, now) &&
    fieldAge(table, slot, F_GROUND_SPEED, now) < SPEED_FRESH_MS &&
    fieldValue(table, slot, F_GROUND_SPEED) > FLYING_DECI_KT
  );
}

function positionsRule(table: AircraftTable, slot: number, now: number): boolean {
  return (
    table.bytes[slot * STRIDE_BYTES + B_LAST_TYPE] !== CPR_NONE &&
    fieldAge(table, slot, F_CPR_ODD, now) < POSITION_RULES_MS &&
    fieldAge(table, slot, F_CPR_EVEN, now) < POSITION_RULES_MS &&
    now < fieldTime(table, slot, F_RELIABLE) + POSITION_RULES_MS &&
    fieldAge(table, slot, F_AIR_GROUND, now) < POSITION_RULES_MS
  );
}
