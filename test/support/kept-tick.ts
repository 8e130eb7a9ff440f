// A tick that outlives its handler: its positions are objects, not the fold's own columns.
import type { FoldTick } from '../../pipeline/fold/fold-tick.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';

export type KeptTick = Omit<FoldTick, 'positions'> & { readonly positions: readonly PositionRow[] };

export function keptTick(tick: FoldTick): KeptTick {
  return { ...tick, positions: tick.positions.build() };
}
