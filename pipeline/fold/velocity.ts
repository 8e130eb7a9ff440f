// Motion: ground speed and track, airspeed and heading, vertical rates, from TC 19 and from surface positions.
import { ABSENT, type Message, type Position, type Velocity } from '../decode/message.ts';
import { fieldValue, isValid, put } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_HEADING_TRUE,
  B_SURFACE_HEADING,
  F_BARO_RATE,
  F_GEOM_DELTA,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_IAS,
  F_MAG_HEADING,
  F_NAC_V,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
} from './layout.ts';
import { foldTemperature, foldWind } from './wind.ts';

/** TC 19. */
export function foldVelocity(aircraft: Aircraft, velocity: Velocity): void {
  put(aircraft, F_GEOM_DELTA, velocity.geomDeltaFt);
  put(aircraft, F_TRACK, velocity.trackCentideg);
  foldHeading(aircraft, velocity.headingCentideg);
  put(aircraft, F_GROUND_SPEED, velocity.groundSpeedDeciKt);
  put(aircraft, F_IAS, velocity.iasKt);
  foldTas(aircraft, velocity.tasKt);
  put(aircraft, F_BARO_RATE, velocity.baroRateFpm);
  put(aircraft, F_GEOM_RATE, velocity.geomRateFpm);
  put(aircraft, F_NAC_V, velocity.nacV);
}

/** TC 5-8. Version 2 coded speed anew; whether the angle is track or heading the operational status tells. */
export function foldSurfaceMotion(aircraft: Aircraft, position: Position): void {
  put(aircraft, F_GROUND_SPEED, surfaceSpeedDeciKt(position, aircraft.version));
  if (aircraft.bytes[aircraft.byte + B_SURFACE_HEADING] === 1) foldHeading(aircraft, position.trackCentideg);
  else put(aircraft, F_TRACK, position.trackCentideg);
}

/** Speed of a surface position by the sender's version. */
export function surfaceSpeedDeciKt(position: Position, version: number): number {
  return version === 2 ? position.groundSpeedDeciKt : position.groundSpeedV0DeciKt;
}

/** A heading is magnetic unless the operational status says true. */
function foldHeading(aircraft: Aircraft, headingCentideg: number): void {
  if (headingCentideg === ABSENT) return;
  if (aircraft.bytes[aircraft.byte + B_HEADING_TRUE] === 0) put(aircraft, F_MAG_HEADING, headingCentideg);
  else if (put(aircraft, F_TRUE_HEADING, headingCentideg)) foldWind(aircraft);
}

/** True airspeed is never below indicated airspeed: such a value is wrong. */
function foldTas(aircraft: Aircraft, tasKt: number): void {
  if (tasKt === ABSENT) return;
  if (isValid(aircraft, F_IAS) && tasKt < fieldValue(aircraft, F_IAS)) return;
  if (!put(aircraft, F_TAS, tasKt)) return;
  foldTemperature(aircraft);
  foldWind(aircraft);
}

/** What later headings and surface angles mean. */
export function foldReferences(aircraft: Aircraft, message: Message): void {
  const { headingMagnetic, trackNotHeading } = message.operationalStatus;
  const at = aircraft.byte;
  if (headingMagnetic !== ABSENT) aircraft.bytes[at + B_HEADING_TRUE] = headingMagnetic === 0 ? 1 : 0;
  if (trackNotHeading !== ABSENT) aircraft.bytes[at + B_SURFACE_HEADING] = trackNotHeading === 0 ? 1 : 0;
}
