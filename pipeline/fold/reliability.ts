// How far an aircraft's positions are believed: consistent global decodes of odd and of even frames, counted apart in hundredths.
// A pair may decode to a wrong place once; hardly ever twice for both parities at places that fit the aircraft's speed.
import { fieldSource, fieldTime, fieldValue, isValid, type Reception, SOURCE_ADSC, SOURCE_INDIRECT, SOURCE_MLAT } from './accept.ts';
import { distanceBetweenM } from './geometry.ts';
import {
  type AircraftTable,
  B_LOCAL_ALLOWED,
  F_POSITION,
  F_RELIABLE,
  STRIDE_BYTES,
  STRIDE_WORDS,
  W_RELIABLE_EVEN,
  W_RELIABLE_ODD,
  X_RELIABLE_LONGITUDE,
} from './layout.ts';

/** Global decodes of each parity that make positions reliable: the setting that aggregators use. */
export const RELIABLE_DECODES = 2;
const DECODE = 100;
const ENOUGH = RELIABLE_DECODES * DECODE;
const MOST = 4 * DECODE;
/** What an implausible position takes away; below NONE_LEFT everything starts anew. */
const BAD = 26;
const NONE_LEFT = 10;
/** Without a reliable position for this long, one near the last is reliable at once. */
export const RELIABLE_TIMEOUT_MS = 3_600_000;
const RETURN_DISTANCE_M = 50_000;

/** Positions of the present source may be shown. Multilaterated ones are at once. */
export function isReliable(table: AircraftTable, slot: number, now: number): boolean {
  if (!isValid(table, slot, F_POSITION, now)) return false;
  const source = fieldSource(table, slot, F_POSITION);
  if (source === SOURCE_MLAT || source === SOURCE_ADSC || source === SOURCE_INDIRECT) return true;
  const at = slot * STRIDE_WORDS;
  return table.words[at + W_RELIABLE_ODD]! >= ENOUGH && table.words[at + W_RELIABLE_EVEN]! >= ENOUGH;
}

/** No decode supports the present position: anything may replace it. */
export function isUnsupported(table: AircraftTable, slot: number): boolean {
  const at = slot * STRIDE_WORDS;
  return table.words[at + W_RELIABLE_ODD]! < 1 || table.words[at + W_RELIABLE_EVEN]! < 1;
}

/** Counts a global decode that passed the speed check. The first one counts for both parities, as it took both frames. */
export function countDecode(
  table: AircraftTable,
  slot: number,
  reception: Reception,
  odd: boolean,
  latitude: number,
  longitude: number,
): void {
  const { words } = table;
  const at = slot * STRIDE_WORDS;
  table.bytes[slot * STRIDE_BYTES + B_LOCAL_ALLOWED] = 1;
  let oddCount = words[at + W_RELIABLE_ODD]!;
  let evenCount = words[at + W_RELIABLE_EVEN]!;
  if (oddCount < ENOUGH && evenCount < ENOUGH && isReturn(table, slot, reception, latitude, longitude)) {
    oddCount = ENOUGH;
    evenCount = ENOUGH;
  }
  if (odd) oddCount += DECODE;
  else evenCount += DECODE;
  words[at + W_RELIABLE_ODD] = Math.min(MOST, Math.max(DECODE, oddCount));
  words[at + W_RELIABLE_EVEN] = Math.min(MOST, Math.max(DECODE, evenCount));
}

/** An implausible position; true when nothing is left of the old position's support. */
export function countBad(table: AircraftTable, slot: number): boolean {
  const { words } = table;
  const at = slot * STRIDE_WORDS;
  words[at + W_RELIABLE_ODD] = Math.max(0, words[at + W_RELIABLE_ODD]! - BAD);
  words[at + W_RELIABLE_EVEN] = Math.max(0, words[at + W_RELIABLE_EVEN]! - BAD);
  if (words[at + W_RELIABLE_ODD]! >= NONE_LEFT && words[at + W_RELIABLE_EVEN]! >= NONE_LEFT) return false;
  words[at + W_RELIABLE_ODD] = 0;
  words[at + W_RELIABLE_EVEN] = 0;
  table.bytes[slot * STRIDE_BYTES + B_LOCAL_ALLOWED] = 0;
  return true;
}

/** Support does not outlive the positions it stands for. */
export function fadeReliability(table: AircraftTable, slot: number, now: number): void {
  if (now - fieldTime(table, slot, F_POSITION) <= RELIABLE_TIMEOUT_MS) return;
  const at = slot * STRIDE_WORDS;
  table.words[at + W_RELIABLE_ODD] = 0;
  table.words[at + W_RELIABLE_EVEN] = 0;
}

/** A known aircraft comes back near the place where it was last seen: a wrong decode would hardly fall there. */
function isReturn(table: AircraftTable, slot: number, reception: Reception, latitude: number, longitude: number): boolean {
  if (fieldSource(table, slot, F_RELIABLE) === 0 || reception.source <= SOURCE_ADSC) return false;
  if (reception.now - fieldTime(table, slot, F_RELIABLE) <= RELIABLE_TIMEOUT_MS) return false;
  const lastLongitude = table.words[slot * STRIDE_WORDS + X_RELIABLE_LONGITUDE]!;
  return distanceBetweenM(fieldValue(table, slot, F_RELIABLE), lastLongitude, latitude, longitude) < RETURN_DISTANCE_M;
}
