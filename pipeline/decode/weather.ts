// Shared by registers 4,4 and 4,5: temperature and pressure of the air, and how well they fit the altitude.

import { PRESSURE_ONE, pressureOfAltitude } from './air-data.ts';
import { distanceEvidence, evidenceOfCodes, evidenceOfDistance, IMPOSSIBLE } from './evidence.ts';
import { ABSENT } from './message.ts';

export const TEMPERATURE_STEP_CENTI_C = 25;

/** The standard atmosphere in steps of 0.25 °C: at sea level, lapse rate, and above the tropopause. */
const SEA_LEVEL_STEPS = 60;
const LAPSE_STEPS_PER_FT = 0.007925;
const STRATOSPHERE_STEPS = -226;
const SEA_LEVEL_HPA = 1013.25;

/** 10, 25 and 45 °C from the standard atmosphere. */
const FROM_STANDARD = evidenceOfDistance(1024, [
  [40, 0.8],
  [100, 0.19],
  [180, 0.01],
]);
/** −80 to 50 °C. */
const TEMPERATURE_ALONE = evidenceOfCodes(1024, [[-320, 200, 1]]);
const PRESSURE_APART = evidenceOfDistance(2048, [
  [10, 0.95],
  [40, 0.04],
  [500, 0.01],
]);
const PRESSURE_ALONE = evidenceOfCodes(2048, [[100, 1080, 1]]);

/** Evidence of a temperature among 1,024 codes of 0.25 °C; `altitudeFt` is ABSENT when unknown. */
export function temperatureEvidence(steps: number, altitudeFt: number): number {
  if (steps < -512 || steps > 511) return IMPOSSIBLE;
  if (altitudeFt === ABSENT) return TEMPERATURE_ALONE[steps & 0x3ff]!;
  const standard = Math.max(STRATOSPHERE_STEPS, SEA_LEVEL_STEPS - LAPSE_STEPS_PER_FT * altitudeFt) | 0;
  const apart = Math.abs(steps - standard);
  return apart < FROM_STANDARD.length ? FROM_STANDARD[apart]! : IMPOSSIBLE;
}

/** Evidence of a static pressure among 2,048 codes of 1 hPa. The altitude is derived from it, so the two must agree. */
export function pressureEvidence(hpa: number, altitudeFt: number): number {
  if (altitudeFt === ABSENT) return PRESSURE_ALONE[hpa]!;
  return distanceEvidence(PRESSURE_APART, (hpa - (SEA_LEVEL_HPA / PRESSURE_ONE) * pressureOfAltitude(altitudeFt)) | 0);
}
