// Wind and temperature, computed from the reported motion through the air and over the ground.
import { cosine, directionMicrodeg, sine, UNIT } from '../geo/direction.ts';
import { EXPIRE_MS, fieldAge, fieldSource, fieldValue, isValid, SOURCE_TISB } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import {
  B_EVEN_TYPE,
  B_ODD_TYPE,
  CPR_COARSE,
  F_ALTITUDE_BARO,
  F_GROUND_SPEED,
  F_MACH,
  F_POSITION,
  F_TAS,
  F_TRACK,
  F_TRUE_HEADING,
  X_OAT,
  X_TAT,
  X_TEMPERATURE_TIME,
  X_WIND_ALTITUDE,
  X_WIND_DIRECTION,
  X_WIND_SPEED,
  X_WIND_TIME,
} from './layout.ts';
import { isOnGround } from './position.ts';

/** Speeds must have about the same time; directions change faster. */
const SPEED_AGE_MS_MAX = 2500;
const DIRECTION_AGE_MS_MAX = 1250;
const WIND_INTERVAL_MS = 1000;
const WIND_KT_MAX = 250;
/** A wind from another altitude does not apply. */
const WIND_ALTITUDE_FT = 500;
const MACH_MILLI_MIN = 395;
const SOUND_KT = 661.47;
const STANDARD_K = 288.15;
const ZERO_C = 273.15;

/** The caller creates it once; each call overwrites it. */
export interface Wind {
  directionDeg: number;
  speedKt: number;
}

/** Directions are computed from integers: tenths of knots in 1/8192, so that the fastest fits 31 bits. */
const DIRECTION_SCALE = 8192;
const MICRODEG_PER_CENTIDEG = 10_000;
const TURN_MICRODEG = 360_000_000;

/**
 * Where the wind comes from, degrees 0 ≤ d < 360, and its speed: the difference of the vectors through the air and over the ground.
 * All arguments are integers, so that a call boxes nothing.
 */
export function windOf(groundSpeedDeciKt: number, trackCentideg: number, tasKt: number, headingCentideg: number, out: Wind): void {
  const crab = (headingCentideg - trackCentideg) * MICRODEG_PER_CENTIDEG;
  const head = 10 * tasKt - (groundSpeedDeciKt * cosine(crab)) / UNIT;
  const cross = (groundSpeedDeciKt * sine(crab)) / UNIT;
  const turn = directionMicrodeg((cross * DIRECTION_SCALE) | 0, (head * DIRECTION_SCALE) | 0);
  out.directionDeg = ((headingCentideg * MICRODEG_PER_CENTIDEG + turn) % TURN_MICRODEG) / 1e6;
  out.speedKt = Math.sqrt(head * head + cross * cross) / 10;
}

/** The caller creates it once; each call overwrites it. °C. */
export interface AirTemperature {
  /** The air outside. */
  oatC: number;
  /** Total: including the heat of the air's compression. */
  tatC: number;
}

/** Temperatures from true airspeed and Mach number, 0.001: the speed of sound depends on the temperature. */
export function temperatureOf(tasKt: number, machMilli: number, out: AirTemperature): void {
  const mach = machMilli / 1000;
  const ratio = tasKt / SOUND_KT / mach;
  const kelvin = ratio * ratio * STANDARD_K;
  out.oatC = kelvin - ZERO_C;
  out.tatC = kelvin * (1 + 0.2 * mach * mach) - ZERO_C;
}

const wind: Wind = { directionDeg: 0, speedKt: 0 };
const temperature: AirTemperature = { oatC: 0, tatC: 0 };

/** Call when a true airspeed came or a true heading was derived. Computes at most once a second: the inputs are no better. */
export function foldWind(aircraft: Aircraft): void {
  const { now } = aircraft;
  const { words, at } = aircraft;
  if (now < words[at + X_WIND_TIME]! + WIND_INTERVAL_MS) return;
  if (fieldAge(aircraft, F_TAS) > SPEED_AGE_MS_MAX || fieldAge(aircraft, F_GROUND_SPEED) > SPEED_AGE_MS_MAX) return;
  if (fieldAge(aircraft, F_TRACK) > DIRECTION_AGE_MS_MAX || fieldAge(aircraft, F_TRUE_HEADING) > DIRECTION_AGE_MS_MAX) return;
  if (!isValid(aircraft, F_POSITION) || isOnGround(aircraft) || isCoarse(aircraft)) return;
  windOf(
    fieldValue(aircraft, F_GROUND_SPEED),
    fieldValue(aircraft, F_TRACK),
    fieldValue(aircraft, F_TAS),
    fieldValue(aircraft, F_TRUE_HEADING),
    wind,
  );
  if (wind.speedKt > WIND_KT_MAX) return;
  words[at + X_WIND_TIME] = now;
  words[at + X_WIND_ALTITUDE] = fieldValue(aircraft, F_ALTITUDE_BARO);
  words[at + X_WIND_DIRECTION] = Math.floor(wind.directionDeg + 0.5) % 360;
  words[at + X_WIND_SPEED] = Math.floor(wind.speedKt + 0.5);
}

/** Coarse TIS-B gives speed and track with its positions, in steps of 32 kt and 11.25°: a wind from them would be some 30 kt off. */
function isCoarse(aircraft: Aircraft): boolean {
  const { bytes, byte } = aircraft;
  if (fieldSource(aircraft, F_GROUND_SPEED) !== SOURCE_TISB) return false;
  return bytes[byte + B_EVEN_TYPE] === CPR_COARSE || bytes[byte + B_ODD_TYPE] === CPR_COARSE;
}

/** Call when true airspeed or Mach number came. */
export function foldTemperature(aircraft: Aircraft): void {
  const { now } = aircraft;
  if (fieldAge(aircraft, F_TAS) > SPEED_AGE_MS_MAX || fieldAge(aircraft, F_MACH) > SPEED_AGE_MS_MAX) return;
  const machMilli = fieldValue(aircraft, F_MACH);
  if (machMilli < MACH_MILLI_MIN || isOnGround(aircraft)) return;
  temperatureOf(fieldValue(aircraft, F_TAS), machMilli, temperature);
  const { words, at } = aircraft;
  words[at + X_TEMPERATURE_TIME] = now;
  words[at + X_OAT] = Math.floor(temperature.oatC + 0.5);
  words[at + X_TAT] = Math.floor(temperature.tatC + 0.5);
}

/** The wind is recent, and the aircraft is still near the altitude where it was computed. */
export function isWindValid(aircraft: Aircraft): boolean {
  const at = aircraft.at;
  const climbFt = Math.abs(fieldValue(aircraft, F_ALTITUDE_BARO) - aircraft.words[at + X_WIND_ALTITUDE]!);
  return aircraft.now - aircraft.words[at + X_WIND_TIME]! <= EXPIRE_MS && climbFt < WIND_ALTITUDE_FT;
}

export function isTemperatureValid(aircraft: Aircraft): boolean {
  return aircraft.now - aircraft.words[aircraft.at + X_TEMPERATURE_TIME]! <= EXPIRE_MS;
}
