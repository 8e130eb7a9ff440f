// The air of the simulation: standard atmosphere (ISO 2533), a smooth synthetic wind field, and a rough approximation of the geoid. It is
// the truth of the simulation, not a model of a real day.
import { RADIANS_PER_DEGREE } from '../../geo/earth.ts';

const TROPOPAUSE_FT = 36_089;
const SEA_LEVEL_K = 288.15;
const LAPSE_K_PER_FT = 0.0065 * 0.3048;
const TROPOPAUSE_K = 216.65;
const SOUND_SEA_LEVEL_KT = 661.47;

/** Temperature over sea-level temperature. */
export function temperatureRatio(altitudeFt: number): number {
  return altitudeFt < TROPOPAUSE_FT ? 1 - (LAPSE_K_PER_FT / SEA_LEVEL_K) * altitudeFt : TROPOPAUSE_K / SEA_LEVEL_K;
}

/** Static pressure over sea-level pressure. */
function pressureRatio(altitudeFt: number): number {
  if (altitudeFt < TROPOPAUSE_FT) return temperatureRatio(altitudeFt) ** 5.25588;
  return 0.223361 * Math.exp((TROPOPAUSE_FT - altitudeFt) / 20_806);
}

export function machOfTas(tasKt: number, altitudeFt: number): number {
  return tasKt / (SOUND_SEA_LEVEL_KT * Math.sqrt(temperatureRatio(altitudeFt)));
}

/** Calibrated airspeed: the reading of an ideal indicator. */
export function iasOfTas(tasKt: number, altitudeFt: number): number {
  const mach = machOfTas(tasKt, altitudeFt);
  const impact = pressureRatio(altitudeFt) * ((1 + 0.2 * mach * mach) ** 3.5 - 1);
  return SOUND_SEA_LEVEL_KT * Math.sqrt(5 * ((impact + 1) ** (2 / 7) - 1));
}

export function tasOfIas(iasKt: number, altitudeFt: number): number {
  const impact = (1 + 0.2 * (iasKt / SOUND_SEA_LEVEL_KT) ** 2) ** 3.5 - 1;
  const mach = Math.sqrt(5 * ((impact / pressureRatio(altitudeFt) + 1) ** (2 / 7) - 1));
  return mach * SOUND_SEA_LEVEL_KT * Math.sqrt(temperatureRatio(altitudeFt));
}

/** Motion of the air, kt. */
export interface Wind {
  eastKt: number;
  northKt: number;
}

/**
 * Westerlies in the middle latitudes, easterlies in the tropics, up to about 110 kt near the tropopause, with waves along the parallels.
 */
export function windAt(latDeg: number, lonDeg: number, altitudeFt: number, wind: Wind): void {
  const height = Math.max(0, Math.min(1.2, altitudeFt / 36_000));
  const strength = 6 + 62 * height * height * (1.9 - height);
  const belt = 1 - ((Math.abs(latDeg) - 45) / 32) ** 2;
  const wave = Math.sin((lonDeg * 4 + latDeg * 2) * RADIANS_PER_DEGREE);
  wind.eastKt = strength * Math.max(-0.35, belt) * (1 + 0.4 * wave);
  wind.northKt = strength * 0.45 * Math.cos((lonDeg * 5 - latDeg) * RADIANS_PER_DEGREE);
}

/** Geometric (ellipsoid) minus pressure altitude, ft: grows with altitude as on a warm day, and varies with position. */
export function geometricDeltaFt(latDeg: number, lonDeg: number, altitudeFt: number): number {
  const warmth = 0.02 * Math.cos(latDeg * 2 * RADIANS_PER_DEGREE) + 0.008 * Math.sin(lonDeg * 3 * RADIANS_PER_DEGREE);
  return 90 * Math.cos((lonDeg + 2 * latDeg) * RADIANS_PER_DEGREE) + warmth * altitudeFt;
}

/** Local sea-level pressure, hPa. */
export function qnhHpa(latDeg: number, lonDeg: number): number {
  return 1013.2 + 14 * Math.sin((lonDeg * 3 + latDeg * 4) * RADIANS_PER_DEGREE);
}
