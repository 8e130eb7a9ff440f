// The newest emitted states of a fold: what readers of the aircraft topic have. All values of a state change together with an emission, so a record that did
// not change since its own gives the same state at the time of that emission.
import type { AircraftTable } from './aircraft-table.ts';
import { B_DIRTY, STRIDE_BYTES, STRIDE_WORDS, W_EMITTED } from './layout.ts';
import { TickStates } from './tick-states.ts';

/** Passes on every state, one in each call. Aircraft that changed since their emission are left out: the next tick emits them. */
export function eachEmitted(table: AircraftTable, timeBaseMs: number, onState: (states: TickStates) => void): void {
  const states = new TickStates(table);
  for (let slot = 0; slot < table.highWater; slot += 1) {
    if (!table.isLive(slot) || table.bytes[slot * STRIDE_BYTES + B_DIRTY] === 1) continue;
    states.begin(table, timeBaseMs + table.words[slot * STRIDE_WORDS + W_EMITTED]!, timeBaseMs);
    states.add(slot);
    onState(states);
  }
}
