// The states that a tick emits, read straight from their records: as objects, or as the bytes of their topic.
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { AvroWriter } from '../avro/writer.ts';
import { Aircraft } from './aircraft.ts';
import type { AircraftTable } from './aircraft-table.ts';
import { B_DIRTY, STRIDE_BYTES, STRIDE_WORDS, W_EMITTED, W_KEY } from './layout.ts';
import { stateOf, writeHexDigits, writeState } from './state-writer.ts';

const FIRST_SLOTS = 256;

/** The records are the fold's own: read them before the tick's handler returns. */
export class TickStates {
  count = 0;
  private slotNumbers = new Int32Array(FIRST_SLOTS);
  private table: AircraftTable;
  private readonly aircraft: Aircraft;

  constructor(table: AircraftTable) {
    this.table = table;
    this.aircraft = new Aircraft(table);
  }

  /** Starts an empty tick; record times count from `timeBaseMs`. */
  begin(table: AircraftTable, tickMs: number, timeBaseMs: number): void {
    this.count = 0;
    this.table = table;
    this.aircraft.timeBaseMs = timeBaseMs;
    this.aircraft.now = (tickMs - timeBaseMs) | 0;
  }

  add(slot: number): void {
    if (this.count === this.slotNumbers.length) {
      const slotNumbers = new Int32Array(2 * this.count);
      slotNumbers.set(this.slotNumbers);
      this.slotNumbers = slotNumbers;
    }
    this.slotNumbers[this.count] = slot;
    this.count += 1;
  }

  /** `hex` of a state, in ASCII. */
  writeKey(writer: AvroWriter, index: number): void {
    const { words, at } = this.turnTo(index);
    writeHexDigits(writer, words[at + W_KEY]!);
  }

  /** The body of an AircraftState. */
  write(writer: AvroWriter, index: number): void {
    writeState(writer, this.turnTo(index));
  }

  build(): AircraftState[] {
    return Array.from({ length: this.count }, (_, i) => stateOf(this.turnTo(i)));
  }

  private turnTo(index: number): Aircraft {
    this.aircraft.turnTo(this.table, this.slotNumbers[index]!);
    return this.aircraft;
  }
}

/**
 * Passes on every state that readers of the aircraft topic have, one in each call. All values of a state change together with an emission, so a record
 * that did not change since its own gives the same state at the time of that emission. Aircraft that changed since their emission are left out: the next tick emits them.
 */
export function eachEmitted(table: AircraftTable, timeBaseMs: number, onState: (states: TickStates) => void): void {
  const states = new TickStates(table);
  for (let slot = 0; slot < table.highWater; slot += 1) {
    if (!table.isLive(slot) || table.bytes[slot * STRIDE_BYTES + B_DIRTY] === 1) continue;
    states.begin(table, timeBaseMs + table.words[slot * STRIDE_WORDS + W_EMITTED]!, timeBaseMs);
    states.add(slot);
    onState(states);
  }
}
