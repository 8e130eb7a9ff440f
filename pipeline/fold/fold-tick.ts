// What the fold hands over when a tick of event time is whole.
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import type { PositionRows } from './position-rows.ts';
import type { TickStates } from './tick-states.ts';

export interface FoldTick {
  readonly tickMs: number;
  /** Positions accepted since the last tick, in that order. They are the fold's own columns: read them before the handler returns. */
  readonly positions: PositionRows;
  /** Aircraft changed since their last emission: the fold's own records, likewise. */
  readonly aircraft: TickStates;
  /** Aircraft forgotten at this tick, by hex. */
  readonly gone: string[];
  readonly progress: Omit<FoldProgress, 'partition'>;
}

export type TickHandler = (tick: FoldTick) => void;
