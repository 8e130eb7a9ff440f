// One aircraft's record under the frame that is being folded, or at a tick: where it lies, and what is known of the frame.
// One object, turned from aircraft to aircraft, so that rules take one argument and a frame allocates nothing.
import type { AircraftTable } from './aircraft-table.ts';
import { STRIDE_BYTES, STRIDE_WORDS } from './layout.ts';

export class Aircraft {
  words: Int32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
  /** First word and first byte of the record. */
  at = 0;
  byte = 0;
  /** Event time of the frame, or the tick; ms since the time base. */
  now = 0;
  /** What `now` counts from, ms since the Unix epoch, for what depends on the date. */
  timeBaseMs = 0;
  /** SOURCE_* of the frame. */
  source = 0;
  /** Index into sourceKinds. */
  kind = 0;
  /** Number of the frame's receiver in the fold's list; 0 is nobody. */
  receiver = 0;
  /** The frame announces the aircraft's address under parity: it is there. */
  confirmed = false;
  /** No bit of the frame was repaired. */
  intact = true;
  /** Only values older than GUARD_VALUE_MS are open to this frame. */
  guarded = false;
  /** ADS-B version of the sender as far as known, in the frame's own family of sources; −1 for frames of none. */
  version = -1;

  constructor(table: AircraftTable) {
    this.words = table.words;
    this.halves = table.halves;
    this.bytes = table.bytes;
  }

  /** Turns to the aircraft in a slot; again after every aircraft that is added, as the table may have moved. */
  turnTo(table: AircraftTable, slot: number): void {
    this.words = table.words;
    this.halves = table.halves;
    this.bytes = table.bytes;
    this.at = slot * STRIDE_WORDS;
    this.byte = slot * STRIDE_BYTES;
  }
}
