// A tick that outlives its handler: its positions and states are objects, not the fold's own columns and records.
import { AvroWriter } from '../../pipeline/avro/writer.ts';
import type { FoldTick } from '../../pipeline/fold/fold-tick.ts';
import { avroType } from '../../pipeline/log/avro.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { type PositionBatch, type PositionRow, positionBatchSchema } from '../../schemas/avro/position-batch.ts';

const positionsType = avroType(positionBatchSchema);

export type CopiedTick = Omit<FoldTick, 'positions' | 'aircraft'> & {
  readonly positions: readonly PositionRow[];
  readonly aircraft: readonly AircraftState[];
};

export function copiedTick(tick: FoldTick): CopiedTick {
  const writer = new AvroWriter();
  tick.positions.write(writer, tick.tickMs, 0, tick.positions.count);
  const { rows } = positionsType.fromBuffer(writer.bytes.subarray(0, writer.length)) as PositionBatch;
  return { ...tick, positions: rows.map((row) => ({ ...row })), aircraft: tick.aircraft.build() };
}
