// The signal levels of each aircraft at its newest emission. A duplicate from another receiver, or a frame that is undone, changes the
// levels without an emission: a record alone does not say what `rssi` its newest state had. All other values of a state change together with an emission.
import type { AircraftTable } from './aircraft-table.ts';
import { B_DIRTY, B_SIGNAL_COUNT, STRIDE_BYTES, STRIDE_WORDS, W_SIGNALS } from './layout.ts';

/** Two words of levels, and their number. */
const NUMBERS = 3;
const UNKNOWN = -1;

/** Levels of one aircraft as they were emitted. */
export interface EmittedSignal {
  readonly slot: number;
  readonly levels: readonly [number, number];
  readonly count: number;
}

export class EmittedSignals {
  /** NUMBERS per slot. */
  private numbers = new Int32Array(0);

  /** Call it when the aircraft in a slot is emitted. */
  note(table: AircraftTable, slot: number): void {
    if (NUMBERS * slot >= this.numbers.length) this.grow((table.words.length / STRIDE_WORDS) | 0);
    const { numbers } = this;
    const at = NUMBERS * slot;
    const word = slot * STRIDE_WORDS + W_SIGNALS;
    numbers[at] = table.words[word]!;
    numbers[at + 1] = table.words[word + 1]!;
    numbers[at + 2] = table.bytes[slot * STRIDE_BYTES + B_SIGNAL_COUNT]!;
  }

  /** The levels that have changed since, of aircraft without any other change. */
  changed(table: AircraftTable): EmittedSignal[] {
    const { numbers } = this;
    const found: EmittedSignal[] = [];
    for (let slot = 0; slot < Math.min(table.highWater, numbers.length / NUMBERS); slot += 1) {
      if (!table.isLive(slot) || table.bytes[slot * STRIDE_BYTES + B_DIRTY] === 1) continue;
      const at = NUMBERS * slot;
      const word = slot * STRIDE_WORDS + W_SIGNALS;
      const levels = [numbers[at]!, numbers[at + 1]!] as const;
      const count = numbers[at + 2]!;
      const isSame =
        levels[0] === table.words[word] &&
        levels[1] === table.words[word + 1] &&
        count === table.bytes[slot * STRIDE_BYTES + B_SIGNAL_COUNT];
      if (count !== UNKNOWN && !isSame) found.push({ slot, levels, count });
    }
    return found;
  }

  private grow(slots: number): void {
    const numbers = new Int32Array(NUMBERS * slots).fill(UNKNOWN);
    numbers.set(this.numbers);
    this.numbers = numbers;
  }
}

/** Puts the emitted levels into a record; returns the function that puts the newer ones back. */
export function withSignal(table: AircraftTable, { slot, levels, count }: EmittedSignal): () => void {
  const word = slot * STRIDE_WORDS + W_SIGNALS;
  const byte = slot * STRIDE_BYTES + B_SIGNAL_COUNT;
  const put = (first: number, second: number, number: number): void => {
    table.words[word] = first;
    table.words[word + 1] = second;
    table.bytes[byte] = number;
  };
  const [first, second, number] = [table.words[word]!, table.words[word + 1]!, table.bytes[byte]!];
  put(levels[0], levels[1], count);
  return () => put(first, second, number);
}
