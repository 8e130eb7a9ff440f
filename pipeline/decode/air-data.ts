// Relation between indicated airspeed, Mach number and pressure altitude. It holds at any temperature, because all three depend on
// pressure.
// ICAO standard atmosphere (Doc 7488); subsonic flow: impact pressure = static pressure * ((1 + 0.2 M²)^3.5 − 1).
//
//   impact / sea-level pressure = f(IAS / 661.47 kt),  impact / static pressure = f(Mach)  ⇒  their ratio is the pressure at the altitude

import { log10 } from '../geo/trig.ts';

const SOUND_KT = 661.47;
/** Mach number per step of register 6,0: 2.048/512. */
const MACH_STEP = 0.004;

const ALTITUDE_FT_MIN = -2000;
const ALTITUDE_FT_MAX = 62_000;
const ALTITUDE_STEP_FT = 100;
const TROPOPAUSE_FT = 36_089;
const PRESSURE_AT_TROPOPAUSE = 0.22336;
/** Altitude difference over which pressure falls to 1/e, above the tropopause. */
const SCALE_HEIGHT_FT = 20_806;
const TEMPERATURE_LAPSE_PER_FT = 6.8756e-6;
const LN_10 = Math.LN10;

/** Scale of pressures. They are passed as whole numbers, which V8 does not box. */
export const PRESSURE_ONE = 0x1_0000;
const IMPACT_ONE = 1_000_000;

const pressureBySteps = Int32Array.from({ length: (ALTITUDE_FT_MAX - ALTITUDE_FT_MIN) / ALTITUDE_STEP_FT + 1 }, (_, step) =>
  Math.round(PRESSURE_ONE * pressureAt(ALTITUDE_FT_MIN + step * ALTITUDE_STEP_FT)),
);
const impactByKt = Int32Array.from({ length: 1024 }, (_, kt) => Math.round(IMPACT_ONE * impact(kt / SOUND_KT)));
const impactByMachCode = Int32Array.from({ length: 1024 }, (_, code) => Math.round(IMPACT_ONE * impact(code * MACH_STEP)));

/** Pressure at a pressure altitude; sea level is PRESSURE_ONE. Altitudes outside −2,000 … 62,000 ft are clamped to that range. */
export function pressureOfAltitude(altitudeFt: number): number {
  const within = Math.min(ALTITUDE_FT_MAX, Math.max(ALTITUDE_FT_MIN, altitudeFt));
  return pressureBySteps[((within - ALTITUDE_FT_MIN + ALTITUDE_STEP_FT / 2) / ALTITUDE_STEP_FT) | 0]!;
}

/** Impact pressure of an indicated airspeed, 0 to 1023 kt, in millionths of the static pressure at sea level. */
export function impactOfIas(iasKt: number): number {
  return impactByKt[iasKt]!;
}

/** Impact pressure of a Mach code, 0 to 1023, in millionths of the ambient static pressure. */
export function impactOfMach(code: number): number {
  return impactByMachCode[code]!;
}

function impact(mach: number): number {
  const x = 1 + 0.2 * mach * mach;
  return x * x * x * Math.sqrt(x) - 1;
}

/** x^5.25588 = x^5 * x^¼ * x^0.00588; the last factor by the first terms of its series. Accurate to 1e-6. */
function pressureAt(altitudeFt: number): number {
  if (altitudeFt > TROPOPAUSE_FT) return PRESSURE_AT_TROPOPAUSE * exponential((TROPOPAUSE_FT - altitudeFt) / SCALE_HEIGHT_FT);
  const x = 1 - TEMPERATURE_LAPSE_PER_FT * altitudeFt;
  return x * x * x * x * x * Math.sqrt(Math.sqrt(x)) * (1 + 0.00588 * LN_10 * log10(x));
}

/** e^x for −2 < x ≤ 0. */
function exponential(x: number): number {
  let sum = 1;
  let term = 1;
  for (let i = 1; i < 24; i += 1) {
    term *= x / i;
    sum += term;
  }
  return sum;
}
