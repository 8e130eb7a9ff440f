// Motion: ground speed and track, airspeed and Mach number, vertical rates, from TC 19, surface positions and Comm-B.
import { ABSENT, type Position, type Velocity } from '../decode/message.ts';
import { fieldValue, isValid, put } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { foldHeading } from './heading.ts';
import {
  B_SURFACE_HEADING,
  F_BARO_RATE,
  F_GEOM_DELTA,
  F_GEOM_RATE,
  F_GROUND_SPEED,
  F_IAS,
  F_MACH,
  F_NAC_V,
  F_TAS,
  F_TRACK,
} from './layout.ts';
import { foldReportedAccuracy } from './status.ts';
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
  if (velocity.nacP !== ABSENT) foldReportedAccuracy(aircraft, velocity);
}

/** TC 5-8. Version 2 has a new speed coding; the operational status says whether the angle is track or heading. */
export function foldSurfaceMotion(aircraft: Aircraft, position: Position): void {
  put(aircraft, F_GROUND_SPEED, surfaceSpeedDeciKt(position, aircraft.version));
  if (aircraft.bytes[aircraft.byte + B_SURFACE_HEADING] === 1) foldHeading(aircraft, position.trackCentideg);
  else put(aircraft, F_TRACK, position.trackCentideg);
}

/** Coarse TIS-B: in steps of 32 kt and 11.25°. */
export function foldCoarseMotion(aircraft: Aircraft, position: Position): void {
  put(aircraft, F_GROUND_SPEED, position.groundSpeedDeciKt);
  put(aircraft, F_TRACK, position.trackCentideg);
}

/** Speed of a surface position by the sender's version. */
function surfaceSpeedDeciKt(position: Position, version: number): number {
  return version >= 2 ? position.groundSpeedDeciKt : position.groundSpeedV0DeciKt;
}

/** True airspeed is never below indicated airspeed: such a value is refused. */
export function foldTas(aircraft: Aircraft, tasKt: number): void {
  if (tasKt === ABSENT) return;
  if (isValid(aircraft, F_IAS) && tasKt < fieldValue(aircraft, F_IAS)) return;
  if (!put(aircraft, F_TAS, tasKt)) return;
  foldTemperature(aircraft);
  foldWind(aircraft);
}

/** With a true airspeed of about the same time it gives the temperature. */
export function foldMach(aircraft: Aircraft, machMilli: number): void {
  if (put(aircraft, F_MACH, machMilli)) foldTemperature(aircraft);
}
