// The rows of a block that the store does not have, found by their place in the log.
import type { HistoryClient } from '../store/client.ts';
import { NativeBlock } from './native-block.ts';
import { readBlocks } from './native-reader.ts';
import type { OrderedInsert, RowOrder } from './projection.ts';
import { isBefore, keysOf, type RowKey } from './row-keys.ts';

/** Null if the store has all. Errors: those of the client. */
export async function missingRows(client: HistoryClient, insert: OrderedInsert, signal: AbortSignal): Promise<NativeBlock | null> {
  const { table, block, rowOrder } = insert;
  if (block.rows === 0) return null;
  const content = readBlocks(Buffer.concat(block.pieces()))[0]!;
  const keys = keysOf(rowOrder, content);
  const where = whereText(rowOrder, keys);
  const [count] = await client.rows<{ rows: string }>(`SELECT toString(count()) AS rows FROM ${table} WHERE ${where}`, undefined, {
    signal,
  });
  if (Number(count!.rows) >= block.rows) return null;
  const columns = rowOrder.order.map((name, i) => `toString(${name}) AS c${i}`).join(', ');
  const stored = await client.rows<Record<string, string>>(`SELECT ${columns} FROM ${table} WHERE ${where}`, undefined, { signal });
  const known = new Set(stored.map((row) => Object.values(row).join(' ')));
  const missing = new NativeBlock(block.columns.map(({ name, type }) => ({ name, type: type.name })));
  keys.forEach(({ order }, row) => {
    if (known.has(order.join(' '))) return;
    missing.columns.forEach((column, i) => {
      column.add(content.columns[i]!.values[row]!);
    });
  });
  return missing.rows === 0 ? null : missing;
}

/** All rows between the first and the last of the keys, in the order of the log and of time. */
export function whereText({ partition, order, time }: RowOrder, keys: readonly RowKey[]): string {
  let [first, last] = [keys[0]!, keys[0]!];
  let [from, to] = [first.time, first.time];
  for (const key of keys) {
    if (isBefore(key, first)) first = key;
    if (isBefore(last, key)) last = key;
    from = Math.min(from, key.time);
    to = Math.max(to, key.time);
  }
  return `${rowsBetween({ partition, order }, first, last)} AND ${time.column} BETWEEN ${time.from}(${from}) AND ${time.from}(${to})`;
}

/** The same at any time. */
export function rowsBetween({ partition, order }: Pick<RowOrder, 'partition' | 'order'>, first: RowKey, last: RowKey): string {
  const tuple = `(${order.join(', ')})`;
  return `partition = ${partition} AND ${tuple} >= (${first.order.join(', ')}) AND ${tuple} <= (${last.order.join(', ')})`;
}
