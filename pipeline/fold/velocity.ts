// Motion: ground speed and track, airspeed and heading, vertical rates, from TC 19 and from surface positions.
import { ABSENT, type Message, type Position, type Velocity } from '../decode/message.ts';
import { fieldValue, isValid, put, type Reception } from './accept.ts';
import {
  type AircraftTable,
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
  STRIDE_BYTES,
} from './layout.ts';
import { foldTemperature, foldWind } from './wind.ts';

/** TC 19. */
export function foldVelocity(table: AircraftTable, slot: number, reception: Reception, velocity: Velocity): void {
  put(table, slot, F_GEOM_DELTA, reception, velocity.geomDeltaFt);
  put(table, slot, F_TRACK, reception, velocity.trackCentideg);
  foldHeading(table, slot, reception, velocity.headingCentideg);
  put(table, slot, F_GROUND_SPEED, reception, velocity.groundSpeedDeciKt);
  put(table, slot, F_IAS, reception, velocity.iasKt);
  foldTas(table, slot, reception, velocity.tasKt);
  put(table, slot, F_BARO_RATE, reception, velocity.baroRateFpm);
  put(table, slot, F_GEOM_RATE, reception, velocity.geomRateFpm);
  put(table, slot, F_NAC_V, reception, velocity.nacV);
}

/** TC 5-8. Version 2 coded speed anew; whether the angle is track or heading the operational status tells. */
export function foldSurfaceMotion(table: AircraftTable, slot: number, reception: Reception, position: Position): void {
  put(table, slot, F_GROUND_SPEED, reception, surfaceSpeedDeciKt(position, reception.version));
  if (table.bytes[slot * STRIDE_BYTES + B_SURFACE_HEADING] === 1) foldHeading(table, slot, reception, position.trackCentideg);
  else put(table, slot, F_TRACK, reception, position.trackCentideg);
}

/** Speed of a surface position by the sender's version. */
export function surfaceSpeedDeciKt(position: Position, version: number): number {
  return version === 2 ? position.groundSpeedDeciKt : position.groundSpeedV0DeciKt;
}

/** A heading is magnetic unless the operational status says true. */
function foldHeading(table: AircraftTable, slot: number, reception: Reception, headingCentideg: number): void {
  if (headingCentideg === ABSENT) return;
  if (table.bytes[slot * STRIDE_BYTES + B_HEADING_TRUE] === 0) put(table, slot, F_MAG_HEADING, reception, headingCentideg);
  else if (put(table, slot, F_TRUE_HEADING, reception, headingCentideg)) foldWind(table, slot, reception);
}

/** True airspeed is never below indicated airspeed: such a value is wrong. */
function foldTas(table: AircraftTable, slot: number, reception: Reception, tasKt: number): void {
  if (tasKt === ABSENT) return;
  if (isValid(table, slot, F_IAS, reception.now) && tasKt < fieldValue(table, slot, F_IAS)) return;
  if (!put(table, slot, F_TAS, reception, tasKt)) return;
  foldTemperature(table, slot, reception);
  foldWind(table, slot, reception);
}

/** What later headings and surface angles mean. */
export function foldReferences(table: AircraftTable, slot: number, message: Message): void {
  const { headingMagnetic, trackNotHeading } = message.operationalStatus;
  const at = slot * STRIDE_BYTES;
  if (headingMagnetic !== ABSENT) table.bytes[at + B_HEADING_TRUE] = headingMagnetic === 0 ? 1 : 0;
  if (trackNotHeading !== ABSENT) table.bytes[at + B_SURFACE_HEADING] = trackNotHeading === 0 ? 1 : 0;
}
