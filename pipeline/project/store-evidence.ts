// Where the history of a partition really ends. The committed offset is not reliable: it may be deleted or reset, and the store may have been
// removed, restored from a backup, or have lost rows in a power failure. The rows themselves prove the right offset.
import { limits } from '../../schemas/limits/index.ts';
import type { EventLog, StoredRecord } from '../log/event-log.ts';
import { BEGIN_GROUP } from '../log/group-offset.ts';
import type { HistoryClient } from '../store/client.ts';
import { NativeBlock } from './native-block.ts';
import { readBlocks } from './native-reader.ts';
import type { Projection, StartRequest } from './projection.ts';
import { isSameRow, keysOf, type RowKey } from './row-keys.ts';

/** A row is searched in so many records around the committed offset: most have one, and some are control records of Kafka. */
const NEAR_RECORDS = 8;
/** Rows may be older than the tick of their record by this. */
const LATE_MS = 120_000;

/** The offset at which the sink must begin: `first` if log and store agree. Errors: those of the client and the log. */
export async function provenStart(client: HistoryClient, request: StartRequest, signal: AbortSignal): Promise<number> {
  const { log, projection, partition, committed, planned, first, isAgain } = request;
  const { topic } = projection;
  const rows = new Rows(client, projection, partition, signal);
  const { next, ...bounds } = await log.bounds(topic, partition);
  const earliest = Math.max(bounds.earliest, (await log.committed(BEGIN_GROUP, topic, partition)) ?? 0);
  if (committed !== null) {
    const before = await nearRow(log, rows, Math.max(earliest, committed - NEAR_RECORDS), Math.min(committed, next), 'last');
    // A planned batch may be in the store already; what follows it may not.
    const end = Math.max(committed, planned ?? 0, earliest);
    const after = end < next ? await nearRow(log, rows, end, Math.min(end + NEAR_RECORDS, next), 'first') : null;
    const isLost = before !== null && !(await rows.has(before));
    const isRepeat = after !== null && (await rows.has(after));
    // A planned batch that has lost its first records gets another token. The store may have its rows, and would take them again.
    const isCut = planned !== null && committed < earliest && earliest < planned;
    if (!isLost && (isAgain || !(isRepeat || isCut))) return first;
  } else if (isAgain) return first;
  const newest = await rows.newest();
  if (newest === null) return earliest;
  const from = Math.max(earliest, await log.offsetAt(topic, partition, rows.msOf(newest) - LATE_MS));
  for await (const batch of log.read({ topic, partition, from, to: next, signal }))
    for (const record of batch.records) {
      const keys = rows.keysOf(record);
      if (keys.some((key) => isSameRow(key, newest))) return record.offset + 1;
    }
  // They are rows of another log, or of records that this one has deleted.
  return first;
}

/** The first or last row in a range of records; null if there is none. */
async function nearRow(log: EventLog, rows: Rows, from: number, to: number, which: 'first' | 'last'): Promise<RowKey | null> {
  let found: RowKey | null = null;
  if (from >= to) return null;
  for await (const batch of log.read({ topic: rows.projection.topic, partition: rows.partition, from, to }))
    for (const record of batch.records) {
      const keys = rows.keysOf(record);
      if (keys.length === 0) continue;
      if (which === 'first') return keys[0]!;
      found = keys.at(-1)!;
    }
  return found;
}

class Rows {
  readonly projection: Projection;
  readonly partition: number;
  private readonly client: HistoryClient;
  private readonly signal: AbortSignal;
  private readonly block: NativeBlock;

  constructor(client: HistoryClient, projection: Projection, partition: number, signal: AbortSignal) {
    this.client = client;
    this.projection = projection;
    this.partition = partition;
    this.signal = signal;
    this.block = new NativeBlock(projection.columns);
  }

  /** Keys of the rows that a record gives. */
  keysOf(record: StoredRecord): RowKey[] {
    const { projection, block } = this;
    block.clear();
    projection.add(block, this.partition, record);
    return readBlocks(Buffer.concat(block.pieces())).flatMap((read) => keysOf(projection, read));
  }

  async has({ order, time }: RowKey): Promise<boolean> {
    const { table, time: column } = this.projection;
    const keys = this.projection.order.map((name, i) => `${name} = ${order[i]}`).join(' AND ');
    const sql = `SELECT count() AS rows FROM ${table} WHERE partition = ${this.partition} AND ${keys} AND ${column.column} = ${column.from}(${time})`;
    const [found] = await this.client.rows<{ rows: string }>(sql, undefined, { signal: this.signal });
    return Number(found!.rows) > 0;
  }

  /** The newest row of the partition; null if the store has none. */
  async newest(): Promise<RowKey | null> {
    const { table, order, time } = this.projection;
    const columns = [...order, `${time.to}(${time.column})`].map((text, i) => `toString(${text}) AS c${i}`).join(', ');
    const by = order.map((name) => `${name} DESC`).join(', ');
    const sql = `SELECT ${columns} FROM ${table} WHERE partition = ${this.partition} ORDER BY ${by} LIMIT 1`;
    const [found] = await this.client.rows<Record<string, string>>(sql, undefined, {
      signal: this.signal,
      secondsMax: limits.evidenceSecondsMax,
    });
    if (found === undefined) return null;
    const numbers = Object.values(found).map(Number);
    return { order: numbers.slice(0, -1), time: numbers.at(-1)! };
  }

  msOf({ time }: RowKey): number {
    return Math.floor(time / this.projection.time.perMs);
  }
}
