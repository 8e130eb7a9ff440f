// The newest emitted states of a fold: what readers of the aircraft topic have. A record that did not change since its emission gives the same
// state at the time of that emission, except for its signal levels (emitted-signals.ts).
import type { AircraftTable } from './aircraft-table.ts';
import { type EmittedSignal, type EmittedSignals, withSignal } from './emitted-signals.ts';
import { B_DIRTY, STRIDE_BYTES, STRIDE_WORDS, W_EMITTED } from './layout.ts';
import { TickStates } from './tick-states.ts';

export class EmittedStates {
  private readonly table: AircraftTable;
  private readonly timeBaseMs: number;
  private readonly signals: EmittedSignals;

  constructor(table: AircraftTable, timeBaseMs: number, signals: EmittedSignals) {
    this.table = table;
    this.timeBaseMs = timeBaseMs;
    this.signals = signals;
  }

  /** What a restored fold needs besides the snapshot, to give the same states. */
  changedSignals(): EmittedSignal[] {
    return this.signals.changed(this.table);
  }

  /** Call it in a restored fold, with the signals of its snapshot. */
  restore(changed: readonly EmittedSignal[]): void {
    for (const slot of this.unchanged()) this.signals.note(this.table, slot);
    for (const signal of changed) {
      const putBack = withSignal(this.table, signal);
      this.signals.note(this.table, signal.slot);
      putBack();
    }
  }

  /** Passes on every state, one in each call. Aircraft that changed since their emission are left out: the next tick emits them. */
  each(onState: (states: TickStates) => void): void {
    const { table, timeBaseMs } = this;
    const states = new TickStates(table);
    const changed = new Map(this.changedSignals().map((signal) => [signal.slot, signal]));
    for (const slot of this.unchanged()) {
      const signal = changed.get(slot);
      const putBack = signal && withSignal(table, signal);
      states.begin(table, timeBaseMs + table.words[slot * STRIDE_WORDS + W_EMITTED]!, timeBaseMs);
      states.add(slot);
      onState(states);
      putBack?.();
    }
  }

  private *unchanged(): Iterable<number> {
    const { table } = this;
    for (let slot = 0; slot < table.highWater; slot += 1)
      if (table.isLive(slot) && table.bytes[slot * STRIDE_BYTES + B_DIRTY] === 0) yield slot;
  }
}
