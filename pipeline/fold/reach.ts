// A receiver's reach: the middle of the positions that it gives, measured, and how far they lie from it. From it follows how well a place is
// covered; nobody has to say where a receiver stands, and what is said about it is not believed.
//
// The middle is the mean of unit vectors: no meridian and no pole is special to it, and what the mean is shorter than 1 tells the spread.
// It forgets: what counts is what came lately, so that a receiver that moved is found again and one that is everywhere never settles.
import type { ReceiverReach } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits.ts';
import { cosine, sine, UNIT } from '../geo/direction.ts';
import { EARTH_RADIUS_NM } from '../geo/earth.ts';
import { atan2Deg } from '../geo/trig.ts';
import {
  R_REACH_DUE,
  R_REACH_SAMPLES,
  R_REACH_WEIGHT,
  R_REACH_X,
  R_REACH_Y,
  R_REACH_Z,
  RECEIVER_NUMBERS,
  type ReceiverTable,
} from './receivers.ts';

/** One position in so long is a sample: more would tell of the same aircraft at the same place again. */
const SAMPLE_MS = 1000;
/** The area from which an aircraft can be heard grows with its height: so does what its position leaves open, so its weight falls. */
const HEIGHT_FT_MAX = 40_000;
/** An aircraft on its approach is heard from some 50 nm all the same. */
const HEIGHT_FT_MIN = 2000;
/** Weight that is remembered: one to two hours of a sample a second. */
const WEIGHT_MAX = 10_000;

/** How often reaches are told, and how long a receiver that gives no position still has one; event time. */
export const REACH_TELL_MS = 10_000;
export const REACH_MS = 600_000;

/** A position that receiver `number` gives `now` ms after the time base is a sample. */
export function isSampleDue({ numbers }: ReceiverTable, number: number, now: number): boolean {
  return now >= numbers[number * RECEIVER_NUMBERS + R_REACH_DUE]!;
}

/** Takes a sample that is due: a position that is believed, of an aircraft in flight, in microdegrees and feet. */
export function sampleReach(
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
  numbers[at + R_REACH_SAMPLES]! += 1;
  numbers[at + R_REACH_DUE] = now + SAMPLE_MS;
  const height = Math.min(HEIGHT_FT_MAX, Math.max(0, heightFt)) + HEIGHT_FT_MIN;
  const weight = (HEIGHT_FT_MAX + HEIGHT_FT_MIN) / height;
  const total = Math.min(numbers[at + R_REACH_WEIGHT]! + weight, WEIGHT_MAX);
  numbers[at + R_REACH_WEIGHT] = total;
  const share = weight / total;
  const ring = cosine(latitude) / UNIT;
  numbers[at + R_REACH_X]! += ((ring * cosine(longitude)) / UNIT - numbers[at + R_REACH_X]!) * share;
  numbers[at + R_REACH_Y]! += ((ring * sine(longitude)) / UNIT - numbers[at + R_REACH_Y]!) * share;
  numbers[at + R_REACH_Z]! += (sine(latitude) / UNIT - numbers[at + R_REACH_Z]!) * share;
}

/**
 * The reaches to be told with a tick, in the order of the receivers' numbers, or by samples where there are too many; null at ticks that tell
 * none. `beforeMs` is the tick before.
 */
export function reachesDue(receivers: ReceiverTable, beforeMs: number, tickMs: number, timeBaseMs: number): ReceiverReach[] | null {
  if (Math.floor(beforeMs / REACH_TELL_MS) === Math.floor(tickMs / REACH_TELL_MS)) return null;
  const since = tickMs - timeBaseMs - REACH_MS + SAMPLE_MS;
  const { ids, numbers } = receivers;
  const told: number[] = [];
  for (let number = 1; number <= ids.length; number += 1) {
    const at = number * RECEIVER_NUMBERS;
    if (numbers[at + R_REACH_SAMPLES]! > 0 && numbers[at + R_REACH_DUE]! >= since) told.push(number);
  }
  const samples = (number: number): number => numbers[number * RECEIVER_NUMBERS + R_REACH_SAMPLES]!;
  if (told.length > limits.receiverCoveragesMax) told.sort((a, b) => samples(b) - samples(a) || a - b);
  return told.slice(0, limits.receiverCoveragesMax).map((number) => reachOf(receivers, number));
}

function reachOf({ ids, numbers }: ReceiverTable, number: number): ReceiverReach {
  const at = number * RECEIVER_NUMBERS;
  const x = numbers[at + R_REACH_X]!;
  const y = numbers[at + R_REACH_Y]!;
  const z = numbers[at + R_REACH_Z]!;
  return {
    receiver: receiverHash(ids[number - 1]!),
    latitudeDecideg: Math.round(10 * atan2Deg(z, Math.sqrt(x * x + y * y))),
    longitudeDecideg: Math.round(10 * atan2Deg(y, x)),
    spreadNm: Math.round(EARTH_RADIUS_NM * Math.sqrt(Math.max(0, 1 - x * x - y * y - z * z))),
    samples: numbers[at + R_REACH_SAMPLES]!,
  };
}

/** What stands for a receiver's id where it is told with its reach: 32 bits by FNV-1a, the same in every partition. */
export function receiverHash(id: string): number {
  let hash = 0x811c_9dc5;
  for (let i = 0; i < id.length; i += 1) hash = Math.imul(hash ^ id.charCodeAt(i), 0x0100_0193);
  return hash | 0;
}
