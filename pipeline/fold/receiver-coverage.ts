// Receiver coverage: the mean of the positions that a receiver gives, and their spread. From it follows how well an area is covered.
// It is measured, not configured: a receiver's own statement about its position is not used.
//
// The mean is of unit vectors: no meridian and no pole is special to it, and its length shows the spread.
// It forgets old positions, so that a receiver that moved is found again, and one that moves all the time never settles.
import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits/index.ts';
import { cosine, sine, UNIT } from '../geo/direction.ts';
import { EARTH_RADIUS_NM } from '../geo/earth.ts';
import { atan2Deg } from '../geo/trig.ts';
import {
  type Coordinates,
  R_COVERAGE_DUE,
  R_COVERAGE_SAMPLES,
  R_COVERAGE_WEIGHT,
  R_COVERAGE_X,
  R_COVERAGE_Y,
  R_COVERAGE_Z,
  RECEIVER_NUMBERS,
  type ReceiverTable,
} from './receivers.ts';

/** Interval between samples: more would be the same aircraft at the same position. */
const SAMPLE_MS = 1000;
/** The area from which an aircraft can be heard grows with its altitude, so its position says less about the receiver: its weight falls. */
const HEIGHT_FT_MAX = 40_000;
/** Even an aircraft on its approach is heard from some 50 nm. */
const HEIGHT_FT_MIN = 2000;
/** Weight that is kept: one to two hours of a sample a second. */
const WEIGHT_MAX = 10_000;

/** How often coverage is written, and how long after its last position a receiver still has one; event time. */
export const COVERAGE_INTERVAL_MS = 10_000;
export const COVERAGE_MS = 600_000;

/** A position of receiver `number`, `now` ms after the time base, is due as a sample. */
export function isSampleDue({ numbers }: ReceiverTable, number: number, now: number): boolean {
  return now >= numbers[number * RECEIVER_NUMBERS + R_COVERAGE_DUE]!;
}

/** Takes a due sample: an accepted position of an aircraft in flight, in microdegrees and feet. */
export function sampleCoverage(
  receivers: ReceiverTable,
  number: number,
  now: number,
  latitude: number,
  longitude: number,
  heightFt: number,
): void {
  if (number === 0) return;
  const { numbers } = receivers;
  const at = number * RECEIVER_NUMBERS;
  numbers[at + R_COVERAGE_SAMPLES]! += 1;
  numbers[at + R_COVERAGE_DUE] = now + SAMPLE_MS;
  const height = Math.min(HEIGHT_FT_MAX, Math.max(0, heightFt)) + HEIGHT_FT_MIN;
  const weight = (HEIGHT_FT_MAX + HEIGHT_FT_MIN) / height;
  const total = Math.min(numbers[at + R_COVERAGE_WEIGHT]! + weight, WEIGHT_MAX);
  numbers[at + R_COVERAGE_WEIGHT] = total;
  const share = weight / total;
  const ring = cosine(latitude) / UNIT;
  numbers[at + R_COVERAGE_X]! += ((ring * cosine(longitude)) / UNIT - numbers[at + R_COVERAGE_X]!) * share;
  numbers[at + R_COVERAGE_Y]! += ((ring * sine(longitude)) / UNIT - numbers[at + R_COVERAGE_Y]!) * share;
  numbers[at + R_COVERAGE_Z]! += (sine(latitude) / UNIT - numbers[at + R_COVERAGE_Z]!) * share;
}

/**
 * The coverage rows to write with a tick, by receiver number, or by samples when there are too many; null at ticks without any.
 * `beforeMs` is the tick before.
 */
export function coverageDue(receivers: ReceiverTable, beforeMs: number, tickMs: number, timeBaseMs: number): CoverageRow[] | null {
  if (Math.floor(beforeMs / COVERAGE_INTERVAL_MS) === Math.floor(tickMs / COVERAGE_INTERVAL_MS)) return null;
  const since = tickMs - timeBaseMs - COVERAGE_MS + SAMPLE_MS;
  const { ids, numbers } = receivers;
  const due: number[] = [];
  for (let number = 1; number <= ids.length; number += 1) {
    const at = number * RECEIVER_NUMBERS;
    if (numbers[at + R_COVERAGE_SAMPLES]! > 0 && numbers[at + R_COVERAGE_DUE]! >= since) due.push(number);
  }
  const samples = (number: number): number => numbers[number * RECEIVER_NUMBERS + R_COVERAGE_SAMPLES]!;
  if (due.length > limits.receiverCoveragesMax) due.sort((a, b) => samples(b) - samples(a) || a - b);
  return due.slice(0, limits.receiverCoveragesMax).map((number) => coverageOf(receivers, number));
}

/** Fewer samples, a second apart, may all be of one distant aircraft. */
const CENTRE_SAMPLES_MIN = 100;

/** Middle of a receiver's coverage, microdegrees; null while it is unknown. */
export function coverageCentre({ numbers }: ReceiverTable, number: number): Coordinates | null {
  const at = number * RECEIVER_NUMBERS;
  if (numbers[at + R_COVERAGE_SAMPLES]! < CENTRE_SAMPLES_MIN) return null;
  const x = numbers[at + R_COVERAGE_X]!;
  const y = numbers[at + R_COVERAGE_Y]!;
  return {
    latitudeMicrodeg: Math.round(1e6 * atan2Deg(numbers[at + R_COVERAGE_Z]!, Math.sqrt(x * x + y * y))),
    longitudeMicrodeg: Math.round(1e6 * atan2Deg(y, x)),
  };
}

function coverageOf({ ids, numbers }: ReceiverTable, number: number): CoverageRow {
  const at = number * RECEIVER_NUMBERS;
  const x = numbers[at + R_COVERAGE_X]!;
  const y = numbers[at + R_COVERAGE_Y]!;
  const z = numbers[at + R_COVERAGE_Z]!;
  return {
    receiver: receiverHash(ids[number - 1]!),
    latitudeDecideg: Math.round(10 * atan2Deg(z, Math.sqrt(x * x + y * y))),
    longitudeDecideg: Math.round(10 * atan2Deg(y, x)),
    spreadNm: Math.round(EARTH_RADIUS_NM * Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))),
    samples: numbers[at + R_COVERAGE_SAMPLES]!,
  };
}

/** Stands for a receiver's id in its coverage: 32 bits by FNV-1a, the same in every partition. */
export function receiverHash(id: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x0100_0193);
  return hash | 0;
}
