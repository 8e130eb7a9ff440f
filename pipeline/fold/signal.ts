// Signal level of an aircraft: the mean power of its last eight messages with a level.
import { log10 } from '../geo/trig.ts';
import type { Aircraft } from './aircraft.ts';
import { B_SIGNAL_COUNT, B_SIGNAL_NEXT, B_SIGNALS, W_SIGNAL_TIME, W_SIGNALS } from './layout.ts';

const SAMPLES = 8;
/** Fewer samples give no mean. */
const SAMPLES_MIN = 4;
/** Messages without a level for this long reset the mean: the aircraft is now known from multilateration. */
const RESET_MS = 15_000;
/** Keeps the logarithm finite: −49.5 dBFS is no signal. */
const POWER_FLOOR = 1.125e-5;
const FULL_SCALE = 255;

/** `signal`: amplitude, 255 is full scale, 0 is not given. */
export function foldSignal(aircraft: Aircraft, signal: number): void {
  const { bytes, words } = aircraft;
  const at = aircraft.byte;
  const word = aircraft.at + W_SIGNAL_TIME;
  if (signal > 0) {
    const next = bytes[at + B_SIGNAL_NEXT]!;
    bytes[at + B_SIGNALS + next] = signal;
    bytes[at + B_SIGNAL_NEXT] = (next + 1) & (SAMPLES - 1);
    if (bytes[at + B_SIGNAL_COUNT]! < SAMPLES) bytes[at + B_SIGNAL_COUNT]! += 1;
    if (aircraft.now > words[word]!) words[word] = aircraft.now;
  } else if (bytes[at + B_SIGNAL_COUNT]! > 0 && aircraft.now - words[word]! > RESET_MS) {
    bytes[at + B_SIGNAL_COUNT] = 0;
    bytes[at + B_SIGNAL_NEXT] = 0;
  }
}

/** Tenths of dBFS, −495 when unknown. */
export function rssiDeciDbfs({ words, at, bytes, byte }: Aircraft): number {
  return deciDbfsOf(powerOf(words[at + W_SIGNALS]!, words[at + W_SIGNALS + 1]!, bytes[byte + B_SIGNAL_COUNT]!));
}

/** Sum of the squares of the first `count` of eight levels in two words; 0 when they are too few. */
export function powerOf(first: number, second: number, count: number): number {
  if (count < SAMPLES_MIN) return 0;
  let power = squares(first, SAMPLES_MIN);
  if (count > SAMPLES_MIN) power += squares(second, count - SAMPLES_MIN);
  return power;
}

function squares(word: number, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i += 1) {
    const level = (word >>> (8 * i)) & 0xff;
    sum += level * level;
  }
  return sum;
}

/** Tenths of dBFS of a mean of squares. */
export function deciDbfsOfMean(square: number): number {
  return Math.floor(100 * log10(square / (FULL_SCALE * FULL_SCALE)) + 0.5);
}

/** Tenths of dBFS of a sum of squares. With four to seven samples the divisor is still eight, as consumers of this value expect. */
export function deciDbfsOf(power: number): number {
  return Math.floor(100 * log10(power / (SAMPLES * FULL_SCALE * FULL_SCALE) + POWER_FLOOR) + 0.5);
}
