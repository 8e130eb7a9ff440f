// The output of the fold at the end of a tick.
import type { ReceiverRecord } from '../../schemas/avro/feeder-record.ts';
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import type { PositionRows } from './position-rows.ts';
import type { TickStates } from './tick-states.ts';

export interface FoldTick {
  readonly tickMs: number;
  /** Positions accepted since the last tick, in order. These are the fold's own columns: read them before the handler returns. */
  readonly positions: PositionRows;
  /** Aircraft changed since their last emission: also the fold's own records. */
  readonly aircraft: TickStates;
  /** Aircraft removed at this tick, by hex. */
  readonly gone: string[];
  /** Feeders whose record is due. */
  readonly feeders: readonly FeederTick[];
  readonly progress: Omit<FoldProgress, 'partition'>;
}

export interface FeederTick {
  readonly id: string;
  readonly record: Omit<ReceiverRecord, 'partition'>;
}

export type TickHandler = (tick: FoldTick) => void;
