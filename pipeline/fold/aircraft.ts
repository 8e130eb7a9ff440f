// Cursor over one aircraft's record, with the frame or tick that is being processed.
// One object is moved from aircraft to aircraft: rules take one argument, and a frame allocates nothing.
import type { AircraftTable } from './aircraft-table.ts';
import { STRIDE_BYTES, STRIDE_WORDS } from './layout.ts';

export class Aircraft {
  words: Int32Array;
  halves: Uint16Array;
  bytes: Uint8Array;
  /** First word and first byte of the record. */
  at = 0;
  byte = 0;
  /** Event time of the frame or of the tick; ms since the time base. */
  now = 0;
  /** Zero of `now`, ms since the Unix epoch; for rules that depend on the date. */
  timeBaseMs = 0;
  /** SOURCE_* of the frame. */
  source = 0;
  /** Index into sourceKinds. */
  kind = 0;
  /** Number of the frame's receiver in the fold's list; 0 is none. */
  receiver = 0;
  /** The frame announces the aircraft's address under parity: the aircraft exists. */
  confirmed = false;
  /** No bit of the frame was repaired. */
  intact = true;
  /** The frame may only replace values older than GUARD_VALUE_MS. */
  guarded = false;
  /** ADS-B version of the sender, in the frame's own family of sources; −1 for frames of no family. */
  version = -1;

  constructor(table: AircraftTable) {
    this.words = table.words;
    this.halves = table.halves;
    this.bytes = table.bytes;
  }

  /** Moves to the aircraft in a slot. Call it again after every added aircraft, because the table may have moved. */
  turnTo(table: AircraftTable, slot: number): void {
    this.words = table.words;
    this.halves = table.halves;
    this.bytes = table.bytes;
    this.at = slot * STRIDE_WORDS;
    this.byte = slot * STRIDE_BYTES;
  }
}
