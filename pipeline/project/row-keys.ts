// A row's place in the log, as its columns say it.
import type { ReadBlock } from './native-reader.ts';
import type { RowOrder } from './projection.ts';

/** The row's place in the log, and its time as in the column. */
export interface RowKey {
  readonly order: readonly number[];
  readonly time: number;
}

/** Keys of all rows of a block, in its order. */
export function keysOf({ order, time }: Pick<RowOrder, 'order' | 'time'>, { columns }: Pick<ReadBlock, 'columns'>): RowKey[] {
  const values = (name: string) => columns.find((column) => column.name === name)!.values as readonly number[];
  const [orders, times] = [order.map(values), values(time.column)];
  return times.map((at, row) => ({ order: orders.map((numbers) => numbers[row]!), time: at }));
}

export function isSameRow(a: RowKey, b: RowKey): boolean {
  return a.time === b.time && a.order.every((number, i) => number === b.order[i]);
}

/** In the order of the log. */
export function isBefore(a: RowKey, b: RowKey): boolean {
  const i = a.order.findIndex((number, at) => number !== b.order[at]);
  return i >= 0 && a.order[i]! < b.order[i]!;
}
