// Brings the records that the next frames will need into the processor's cache, many at a time: the misses of independent reads overlap, where
// the fold alone would wait for each line of each record in turn. It changes nothing but the time. Measured: a fifth to a quarter more frames.
import { PACKED_DATA, PACKED_FRAME_BYTES } from '../../schemas/packed-frame.ts';
import type { AircraftTable } from './aircraft-table.ts';

/** How many frames are looked ahead at a time. */
export const TOUCH_FRAMES = 64;
/** Fewer aircraft lie in the cache anyway. */
const AIRCRAFT_MIN = 2000;

/** Touches the records of up to TOUCH_FRAMES of the `count` packed frames from `at` on: of those that announce their address, as a parity costs more. */
export function touchAhead(table: AircraftTable, frames: Uint8Array, at: number, count: number): void {
  if (table.count < AIRCRAFT_MIN) return;
  const end = at + Math.min(TOUCH_FRAMES, count) * PACKED_FRAME_BYTES;
  for (let frame = at + PACKED_DATA; frame < end; frame += PACKED_FRAME_BYTES) {
    const df = frames[frame]! >> 3;
    if (df === 17 || df === 11) table.touch((frames[frame + 1]! << 16) | (frames[frame + 2]! << 8) | frames[frame + 3]!);
  }
}
