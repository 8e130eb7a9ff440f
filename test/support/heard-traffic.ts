// Simulated traffic as test receivers hear it, each with its delay, clock and losses; and the output of a fold of it.
import { sealFrame } from '../../pipeline/simulate/encode/parity.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import type { RecordedFrame } from '../golden/fold-frames.ts';
import { cut, foldAll, groupBy, trafficOf } from '../properties/traffic.ts';

/** Bits of latitude and longitude in the frame of an airborne position. */
const CPR_BIT = 54;
const CPR_BITS = 34;

/** A transmission that receivers may hear. */
export interface Transmission {
  readonly timeUs: number;
  readonly bytes: Uint8Array;
}

/** A receiver. `n` counts its frames and seeds its delays and losses, so that they are reproducible. */
export interface Hearer {
  readonly id: string;
  /** Share of transmissions that it hears; all by default. */
  readonly share?: number;
  /** From transmission to arrival, ms. */
  readonly delayMs?: (draw: () => number) => number;
  /** Error of its clock, ms. Frames then carry its stamps, otherwise the time of arrival. */
  readonly clockMs?: number;
  /** Share of airborne positions in which it changes three bits of the coordinates and corrects the parity. */
  readonly damage?: number;
}

/** Every transmission once. */
export function transmissions(aircraft: number, seconds: number, seed: number): Transmission[] {
  const received = trafficOf(seconds, { aircraft, seed, airports: 4, extraReceptionShare: 0 });
  return received.map(({ bytes, sentUs }) => ({ timeUs: Math.floor(sentUs), bytes })).sort((a, b) => a.timeUs - b.timeUs);
}

/** Frames of the receivers in order of arrival, or of their stamps, as in merged recordings. */
export function heard(sent: readonly Transmission[], hearers: readonly Hearer[], order: 'arrival' | 'stamps' = 'arrival'): RecordedFrame[] {
  const frames: (RecordedFrame & { arrivalUs: number })[] = [];
  hearers.forEach(({ id, share = 1, delayMs = () => 0, clockMs, damage = 0 }, i) => {
    const random = new Random(i + 1);
    const draw = (): number => random.share();
    for (const { timeUs, bytes } of sent) {
      if (draw() >= share) continue;
      const arrivalUs = timeUs + Math.round(1000 * delayMs(draw));
      const given = draw() < damage ? damaged(bytes, draw) : bytes;
      frames.push({ timeUs: clockMs === undefined ? arrivalUs : timeUs + 1000 * clockMs, arrivalUs, bytes: given, receiver: id });
    }
  });
  const key = order === 'arrival' ? 'arrivalUs' : 'timeUs';
  return frames.sort((a, b) => a[key] - b[key]);
}

function damaged(bytes: Uint8Array, draw: () => number): Uint8Array {
  const typeCode = bytes[4]! >> 3;
  if (bytes.length !== 14 || bytes[0]! >> 3 !== 17 || typeCode < 9 || typeCode > 18) return bytes;
  const copy = bytes.slice();
  for (let i = 0; i < 3; i += 1) {
    const bit = CPR_BIT + Math.floor(draw() * CPR_BITS);
    copy[bit >> 3]! ^= 0x80 >> (bit & 7);
  }
  sealFrame(copy, 14, 0);
  return copy;
}

/** Folds frames in records of up to 500, with a tick a second; positions by aircraft, as accepted. */
export function foldHeard(frames: readonly RecordedFrame[]) {
  const folded = foldAll(cut(frames, [500]));
  const positions = folded.ticks.flatMap((tick) => tick.positions);
  return { ...folded, positions: groupBy(positions, ({ hex }) => hex) as ReadonlyMap<string, readonly PositionRow[]> };
}

export type Folded = ReturnType<typeof foldHeard>;
