// The newest emitted states of a restored fold: what readers of the aircraft topic had at the moment of its snapshot.
import type { AircraftTable } from './aircraft-table.ts';
import { type EmittedSignal, withSignal } from './emitted-signals.ts';
import { B_DIRTY, STRIDE_BYTES, STRIDE_WORDS, W_EMITTED } from './layout.ts';
import { TickStates } from './tick-states.ts';

/**
 * Passes on the newest state of every aircraft, one in each call. Aircraft that changed since their emission are left out: the next tick emits them.
 * A record that did not change since gives the same state, at the time of its emission. `signals`: the exceptions.
 */
export function emitAgain(
  table: AircraftTable,
  timeBaseMs: number,
  signals: readonly EmittedSignal[],
  onState: (states: TickStates) => void,
): void {
  const states = new TickStates(table);
  const signalOf = new Map(signals.map((signal) => [signal.slot, signal]));
  for (let slot = 0; slot < table.highWater; slot += 1) {
    if (!table.isLive(slot) || table.bytes[slot * STRIDE_BYTES + B_DIRTY] === 1) continue;
    const signal = signalOf.get(slot);
    const putBack = signal && withSignal(table, signal);
    states.begin(table, timeBaseMs + table.words[slot * STRIDE_WORDS + W_EMITTED]!, timeBaseMs);
    states.add(slot);
    onState(states);
    putBack?.();
  }
}
