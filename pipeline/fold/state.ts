// Values of the emitted state that several values of an aircraft's record decide.
import { ABSENT } from '../decode/message.ts';
import { fieldSource, fieldTime, fieldValue, isValid, SOURCE_NONE } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { F_AIR_GROUND, F_RELIABLE, F_TRACK, GROUND, NEVER, NON_ICAO, X_CALC_TRACK } from './layout.ts';
import { listedFields } from './state-fields.ts';

/** How long the last position is in the state: 14 days. Records hold ages of 12 to 18 days, so it may be two days less. */
const LAST_POSITION_MS = 14 * 86_400_000;

/** `6a12bc`, or `~6a12bc` for an address that ICAO did not assign. */
export function hexOf(key: number): string {
  const address = (key & 0xff_ffff).toString(16).padStart(6, '0');
  return (key & NON_ICAO) === 0 ? address : `~${address}`;
}

/** A position of the aircraft is known, valid or expired. */
export function hasPosition(aircraft: Aircraft): boolean {
  const time = fieldTime(aircraft, F_RELIABLE);
  // NEVER stands for times older than records can hold.
  return fieldSource(aircraft, F_RELIABLE) !== SOURCE_NONE && time > NEVER && aircraft.now - time <= LAST_POSITION_MS;
}

/** Direction of movement, from the positions: in the state of an airborne aircraft that does not report its track. */
export function calcTrackDeg(aircraft: Aircraft): number | null {
  const calcTrack = aircraft.words[aircraft.at + X_CALC_TRACK]!;
  if (calcTrack === ABSENT || isValid(aircraft, F_TRACK) || !isValid(aircraft, F_RELIABLE)) return null;
  const onGround = isValid(aircraft, F_AIR_GROUND) && fieldValue(aircraft, F_AIR_GROUND) === GROUND;
  return onGround ? null : wholeDegrees(calcTrack);
}

function wholeDegrees(centideg: number): number {
  return Math.floor(centideg / 100 + 0.5) % 360;
}

/** Bits of the names whose present value has this source. More than 31 bits, so no integer operation. */
export function maskOf(aircraft: Aircraft, source: number): number {
  let mask = 0;
  let bit = 1;
  for (let i = 0; i < listedFields.length; i += 1) {
    const field = listedFields[i]!;
    if (fieldSource(aircraft, field) === source && isValid(aircraft, field)) mask += bit;
    bit *= 2;
  }
  return mask;
}
