// Reliability of an aircraft's positions: consistent global decodes of odd and of even frames, counted separately in hundredths.
// A pair may decode to a wrong position once; hardly ever twice for both parities at positions that fit the aircraft's speed.

import { distanceBetweenM } from '../geo/distance.ts';
import { fieldSource, fieldTime, fieldValue, isValid, SOURCE_ADSC, SOURCE_INDIRECT, SOURCE_MLAT } from './accept.ts';
import type { Aircraft } from './aircraft.ts';
import { B_LOCAL_ALLOWED, F_POSITION, F_RELIABLE, W_RELIABLE_EVEN, W_RELIABLE_ODD, X_RELIABLE_LONGITUDE } from './layout.ts';

/** Global decodes of each parity that make positions reliable: the usual setting of aggregators. */
export const RELIABLE_DECODES = 2;
const DECODE = 100;
const ENOUGH = RELIABLE_DECODES * DECODE;
const MOST = 4 * DECODE;
/** An implausible position subtracts this; below NONE_LEFT the count starts again. */
const BAD = 26;
const NONE_LEFT = 10;
/** After this long without a reliable position, one near the last is reliable at once. */
export const RELIABLE_TIMEOUT_MS = 3_600_000;
const RETURN_DISTANCE_M = 50_000;

/** Positions of the present source may be shown. Multilaterated ones may be shown at once. */
export function isReliable(aircraft: Aircraft): boolean {
  if (!isValid(aircraft, F_POSITION)) return false;
  const source = fieldSource(aircraft, F_POSITION);
  if (source === SOURCE_MLAT || source === SOURCE_ADSC || source === SOURCE_INDIRECT) return true;
  const at = aircraft.at;
  return aircraft.words[at + W_RELIABLE_ODD]! >= ENOUGH && aircraft.words[at + W_RELIABLE_EVEN]! >= ENOUGH;
}

/** No decode supports the present position: any position may replace it. */
export function isUnsupported(aircraft: Aircraft): boolean {
  const at = aircraft.at;
  return aircraft.words[at + W_RELIABLE_ODD]! < 1 || aircraft.words[at + W_RELIABLE_EVEN]! < 1;
}

/** Counts a global decode that passed the speed check. The first one counts for both parities, as it took both frames. */
export function countDecode(aircraft: Aircraft, odd: boolean, latitude: number, longitude: number): void {
  const { words, at } = aircraft;
  aircraft.bytes[aircraft.byte + B_LOCAL_ALLOWED] = 1;
  let oddCount = words[at + W_RELIABLE_ODD]!;
  let evenCount = words[at + W_RELIABLE_EVEN]!;
  if (oddCount < ENOUGH && evenCount < ENOUGH && isReturn(aircraft, latitude, longitude)) {
    oddCount = ENOUGH;
    evenCount = ENOUGH;
  }
  if (odd) oddCount += DECODE;
  else evenCount += DECODE;
  words[at + W_RELIABLE_ODD] = Math.min(MOST, Math.max(DECODE, oddCount));
  words[at + W_RELIABLE_EVEN] = Math.min(MOST, Math.max(DECODE, evenCount));
}

/** Subtracts one or more implausible positions; true when no support is left. */
export function countBad(aircraft: Aircraft, times: number): boolean {
  const { words, at } = aircraft;
  words[at + W_RELIABLE_ODD] = Math.max(0, words[at + W_RELIABLE_ODD]! - times * BAD);
  words[at + W_RELIABLE_EVEN] = Math.max(0, words[at + W_RELIABLE_EVEN]! - times * BAD);
  if (words[at + W_RELIABLE_ODD]! >= NONE_LEFT && words[at + W_RELIABLE_EVEN]! >= NONE_LEFT) return false;
  words[at + W_RELIABLE_ODD] = 0;
  words[at + W_RELIABLE_EVEN] = 0;
  return true;
}

/** Support does not outlive its positions. */
export function fadeReliability(aircraft: Aircraft): void {
  if (aircraft.now - fieldTime(aircraft, F_POSITION) <= RELIABLE_TIMEOUT_MS) return;
  const at = aircraft.at;
  aircraft.words[at + W_RELIABLE_ODD] = 0;
  aircraft.words[at + W_RELIABLE_EVEN] = 0;
}

/** A known aircraft comes back near its last known position: a wrong decode would hardly be there. */
function isReturn(aircraft: Aircraft, latitude: number, longitude: number): boolean {
  if (fieldSource(aircraft, F_RELIABLE) === 0 || aircraft.source <= SOURCE_ADSC) return false;
  if (aircraft.now - fieldTime(aircraft, F_RELIABLE) <= RELIABLE_TIMEOUT_MS) return false;
  const lastLongitude = aircraft.words[aircraft.at + X_RELIABLE_LONGITUDE]!;
  return distanceBetweenM(fieldValue(aircraft, F_RELIABLE), lastLongitude, latitude, longitude) < RETURN_DISTANCE_M;
}
