// Positions to rows of the table `positions`: each column is a field of the position (schemas/position-fields.ts), except the partition.
import { positions } from '../../schemas/clickhouse/tables.ts';
import { type PositionField, positionFields } from '../../schemas/position-fields.ts';
import type { NativeBlock } from './native-block.ts';
import { type NumberedRows, type PositionCodec, PositionReader } from './position-reader.ts';
import type { Projection } from './projection.ts';

/** The field of each column; undefined for the partition. */
const fields = positions.columns.map((own) => (positionFields as readonly PositionField[]).find(({ column }) => column === own));

/** Where rows of positions are in the log. */
const positionOrder = {
  order: ['frameOffset', 'frameIndex'],
  time: { column: 'time', from: 'fromUnixTimestamp64Micro', to: 'toUnixTimestamp64Micro', perMs: 1000 },
} as const;

export function positionProjection(codec: PositionCodec): Projection {
  const reader = new PositionReader(codec);
  const indexes = columnIndexes(reader);
  return {
    topic: 'positions',
    table: positions.name,
    columns: positions.columns,
    ...positionOrder,
    add(block, partition, { value }) {
      if (value === null) return false;
      try {
        addRows(block, partition, reader, indexes, reader.read(value));
        return true;
      } catch {
        return false;
      }
    },
  };
}

/** Index of each column's number in a row of a reader, −1 for the partition. */
export function columnIndexes(reader: Pick<PositionReader, 'indexOf'>): readonly number[] {
  return fields.map((field) => (field === undefined ? -1 : reader.indexOf(field.name as never)));
}

/** Adds the first rows. */
export function addRows(
  block: NativeBlock,
  partition: number,
  { numbers, stride, texts }: NumberedRows,
  indexes: readonly number[],
  rows: number,
): void {
  block.columns.forEach((column, i) => {
    const index = indexes[i]!;
    if (index < 0) column.addSame(partition, rows);
    else if (column.type.width === 0) column.addTexts(texts, numbers, index, stride, rows);
    else column.addNumbers(numbers, index, stride, rows);
  });
}
