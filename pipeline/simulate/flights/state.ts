// The true state of a simulated aircraft at one instant, and the air data derived from it.

import { DEGREES_PER_RADIAN } from '../../geo/earth.ts';
import { declinationDeg } from '../../geo/magnetic-model.ts';
import { geometricDeltaFt, iasOfTas, machOfTas, type Wind, windAt } from './atmosphere.ts';

// On the ground up to PHASE_LANDING.
export const PHASE_PARKED = 0;
export const PHASE_TAXI = 1;
export const PHASE_TAKEOFF = 2;
export const PHASE_LANDING = 3;
export const PHASE_CLIMB = 4;
export const PHASE_CRUISE = 5;
export const PHASE_DESCENT = 6;
export const PHASE_APPROACH = 7;

export interface FlightState {
  /** Unit vector of the position. */
  x: number;
  y: number;
  z: number;
  latDeg: number;
  lonDeg: number;
  /** Unit vector of the motion: sine and cosine of the track. */
  east: number;
  north: number;
  groundSpeedKt: number;
  /** Pressure altitude. */
  altitudeFt: number;
  rateFpm: number;
  /** Positive to the right. */
  turnDegPerS: number;
  onGround: boolean;
  /** PHASE_* */
  phase: number;
}

export function flightState(): FlightState {
  return {
    ...{ x: 0, y: 0, z: 0, latDeg: 0, lonDeg: 0, east: 0, north: 0, groundSpeedKt: 0 },
    ...{ altitudeFt: 0, rateFpm: 0, turnDegPerS: 0, onGround: false, phase: PHASE_PARKED },
  };
}

export function trackDeg(state: FlightState): number {
  const track = Math.atan2(state.east, state.north) * DEGREES_PER_RADIAN;
  return track < 0 ? track + 360 : track;
}

export interface AirData {
  headingTrueDeg: number;
  tasKt: number;
  iasKt: number;
  mach: number;
  /** Positive right wing down. */
  rollDeg: number;
  geomDeltaFt: number;
}

export function airDataZero(): AirData {
  return { headingTrueDeg: 0, tasKt: 0, iasKt: 0, mach: 0, rollDeg: 0, geomDeltaFt: 0 };
}

const wind: Wind = { eastKt: 0, northKt: 0 };
const KM_PER_FT = 0.0003048;
const KT_RAD_PER_S_TO_G = 0.5144 / 9.80665;

/** Readings of the aircraft's own instruments. */
export function airDataOf(state: FlightState, air: AirData): void {
  windAt(state.latDeg, state.lonDeg, state.altitudeFt, wind);
  const east = state.east * state.groundSpeedKt - wind.eastKt;
  const north = state.north * state.groundSpeedKt - wind.northKt;
  air.tasKt = Math.sqrt(east * east + north * north);
  const heading = Math.atan2(east, north) * DEGREES_PER_RADIAN;
  air.headingTrueDeg = heading < 0 ? heading + 360 : heading;
  air.mach = machOfTas(air.tasKt, state.altitudeFt);
  air.iasKt = iasOfTas(air.tasKt, state.altitudeFt);
  air.rollDeg = Math.atan((state.turnDegPerS / DEGREES_PER_RADIAN) * state.groundSpeedKt * KT_RAD_PER_S_TO_G) * DEGREES_PER_RADIAN;
  air.geomDeltaFt = geometricDeltaFt(state.latDeg, state.lonDeg, state.altitudeFt);
}

/** The heading of the compass. The declination is the real one, so that headings derived by receivers match the truth. */
export function headingMagneticDeg(state: FlightState, air: AirData, year: number): number {
  const heading = air.headingTrueDeg - declinationDeg(state.latDeg, state.lonDeg, state.altitudeFt * KM_PER_FT, year);
  return heading < 0 ? heading + 360 : heading >= 360 ? heading - 360 : heading;
}
