// A tick that outlives its handler: its positions and states are objects, not the fold's own columns and records.
import type { FoldTick } from '../../pipeline/fold/fold-tick.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';

export type CopiedTick = Omit<FoldTick, 'positions' | 'aircraft'> & {
  readonly positions: readonly PositionRow[];
  readonly aircraft: readonly AircraftState[];
};

export function copiedTick(tick: FoldTick): CopiedTick {
  return { ...tick, positions: tick.positions.build(), aircraft: tick.aircraft.build() };
}
