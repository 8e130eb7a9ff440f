// A point in 24 bytes, six words of 32 bits:
//   0  ms since the block's base
//   1  latitude, microdegrees
//   2  longitude, microdegrees
//   3  pressure altitude + 2^17, 18 bits (0: unknown); signal level in −0.5 dBFS + 1, 7 bits (0: unknown); source, 4 bits; flags, 3 bits
//   4  geometric altitude + 2^19, 20 bits (0: unknown); vertical rate in 32 ft/min + 2^11, 12 bits (0: unknown)
//   5  ground speed in 0.1 kt + 1, 16 bits (0: unknown); track in 0.01° + 1, 16 bits (0: unknown)
// Senders give vertical rates in steps of 32 or 64 ft/min, so nothing is lost; levels are rounded to 0.5 dB. A value beyond its bits is the nearest one that fits.
import { ABSENT } from '../../schemas/absent.ts';
import { ALTITUDE, GEOMETRIC, LATITUDE, LONGITUDE, type Points, RATE, SIGNAL, SOURCE, SPEED, TRACK } from './points.ts';

export const POINT_WORDS = 6;

const BARO_BITS = 18;
const GEOM_BITS = 20;
const SIGNAL_BITS = 7;
const SOURCE_BITS = 4;
const FLAG_BITS = 3;
const RATE_BITS = 12;
const HALF_BITS = 16;
const RATE_STEP_FPM = 32;
/** Tenths of a decibel. */
const SIGNAL_STEP = 5;

/** Writes point `index` into the words from `at`. */
export function packPoint(words: Int32Array, at: number, baseMs: number, points: Points, index: number): void {
  const source = points.get(index, SOURCE) & (2 ** SOURCE_BITS - 1);
  const signalDeci = points.get(index, SIGNAL);
  const signal = signalDeci === ABSENT ? 0 : Math.max(1, Math.min(2 ** SIGNAL_BITS - 1, 1 - Math.round(signalDeci / SIGNAL_STEP)));
  const rateFpm = points.get(index, RATE);
  const rate = rateFpm === ABSENT ? 0 : centred(Math.round(rateFpm / RATE_STEP_FPM), RATE_BITS);
  const speed = positive(points.get(index, SPEED));
  const track = positive(points.get(index, TRACK));
  words[at] = points.timeMs[index]! - baseMs;
  words[at + 1] = points.get(index, LATITUDE);
  words[at + 2] = points.get(index, LONGITUDE);
  const levelled = (altitude(points.get(index, ALTITUDE), BARO_BITS) << SIGNAL_BITS) | signal;
  words[at + 3] = (((levelled << SOURCE_BITS) | source) << FLAG_BITS) | points.flags(index);
  words[at + 4] = (altitude(points.get(index, GEOMETRIC), GEOM_BITS) << RATE_BITS) | rate;
  words[at + 5] = (speed << HALF_BITS) | track;
}

/** Adds the point in the words from `at` to `points`. */
export function unpackPoint(words: Int32Array, at: number, baseMs: number, points: Points): void {
  points.reserve(points.count + 1);
  const index = points.count;
  points.count += 1;
  const height = words[at + 3]!;
  const geometric = words[at + 4]!;
  const motion = words[at + 5]!;
  const rate = geometric & (2 ** RATE_BITS - 1);
  const signal = (height >>> (SOURCE_BITS + FLAG_BITS)) & (2 ** SIGNAL_BITS - 1);
  points.timeMs[index] = baseMs + words[at]!;
  points.set(index, LATITUDE, words[at + 1]!);
  points.set(index, LONGITUDE, words[at + 2]!);
  points.set(index, ALTITUDE, uncentred(height >>> (SIGNAL_BITS + SOURCE_BITS + FLAG_BITS), BARO_BITS));
  points.set(index, SIGNAL, signal === 0 ? ABSENT : SIGNAL_STEP * (1 - signal));
  points.set(index, SOURCE, (height >>> FLAG_BITS) & (2 ** SOURCE_BITS - 1));
  points.setFlags(index, height & (2 ** FLAG_BITS - 1));
  points.set(index, GEOMETRIC, uncentred(geometric >>> RATE_BITS, GEOM_BITS));
  points.set(index, RATE, rate === 0 ? ABSENT : RATE_STEP_FPM * uncentred(rate, RATE_BITS));
  points.set(index, SPEED, unpositive(motion >>> HALF_BITS));
  points.set(index, TRACK, unpositive(motion & (2 ** HALF_BITS - 1)));
}

function altitude(feet: number, bits: number): number {
  return feet === ABSENT ? 0 : centred(feet, bits);
}

/** −(2^(bits−1) − 1) and more as 1 and more. */
function centred(value: number, bits: number): number {
  const half = 2 ** (bits - 1);
  return Math.max(1, Math.min(2 * half - 1, value + half));
}

function uncentred(code: number, bits: number): number {
  return code === 0 ? ABSENT : code - 2 ** (bits - 1);
}

function positive(value: number): number {
  return value === ABSENT ? 0 : Math.max(1, Math.min(2 ** HALF_BITS - 1, value + 1));
}

function unpositive(code: number): number {
  return code === 0 ? ABSENT : code - 1;
}
