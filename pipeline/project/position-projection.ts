// Positions to rows of the table `positions`. Its columns have the names of the numbers in a PositionBatch, except three.
import type { PositionBatch } from '../../schemas/avro/position-batch.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import type { TopicCodec } from '../log/codec.ts';
import type { NativeBlock } from './native-block.ts';
import {
  ABSENT_NUMBER,
  type NumberedRows,
  POSITION_STRIDE,
  type PositionNumber,
  PositionReader,
  positionNumbers,
} from './position-reader.ts';
import type { Projection } from './projection.ts';

/** Names of columns that differ. */
const OTHER_NAMES: Readonly<Record<string, PositionNumber>> = { time: 'timeUs', icao24: 'key' };
/** The same for all rows of a record. */
const PARTITION = 'partition';

/** Index of each column's number in a row, −1 for the partition. */
export const positionIndexes: readonly number[] = positions.columns.map(({ name }) => {
  if (name === PARTITION) return -1;
  const index = positionNumbers.indexOf(OTHER_NAMES[name] ?? (name as PositionNumber));
  if (index < 0) throw new Error(`no number of a position for the column ${name}`);
  return index;
});

/** Where rows of positions are in the log. */
export const positionOrder = {
  order: ['frameOffset', 'frameIndex'],
  time: { column: 'time', from: 'fromUnixTimestamp64Micro', to: 'toUnixTimestamp64Micro', perMs: 1000 },
} as const;

export function positionProjection(codec: TopicCodec<PositionBatch>): Projection {
  const reader = new PositionReader(codec);
  return {
    topic: 'positions',
    table: positions.name,
    columns: positions.columns,
    ...positionOrder,
    add(block, partition, { value }) {
      const rows = readable(reader, value);
      if (rows === null) return false;
      addRows(block, partition, reader, rows);
      return true;
    },
  };
}

/** Adds the first rows. */
export function addRows(block: NativeBlock, partition: number, { numbers, texts }: NumberedRows, rows: number): void {
  block.columns.forEach((column, i) => {
    const index = positionIndexes[i]!;
    if (index < 0) column.addSame(partition, rows);
    else if (column.type.width === 0) column.addTexts(texts, numbers, index, POSITION_STRIDE, rows, ABSENT_NUMBER);
    else column.addNumbers(numbers, index, POSITION_STRIDE, rows, ABSENT_NUMBER);
  });
}

function readable(reader: PositionReader, value: Uint8Array | null): number | null {
  if (value === null) return null;
  try {
    return reader.read(value);
  } catch {
    return null;
  }
}
