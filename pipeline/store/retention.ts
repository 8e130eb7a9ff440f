// Retention of the history: whole days are dropped when they are too old, and the oldest when the tables are too large.
import { dailyTables, positions } from '../../schemas/clickhouse/tables.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { HistoryClient, QueryOptions } from './client.ts';

interface RetentionLimits {
  /** Days that are kept, today included; null keeps all. */
  readonly daysMax: number | null;
  /** Size of all tables on the disk; null for any. */
  readonly bytesMax: number | null;
}

interface TableSize {
  readonly table: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface RetentionReport {
  readonly tables: readonly TableSize[];
  /** The oldest day with positions, YYYY-MM-DD. */
  readonly oldestDay: string | null;
}

interface RetentionOptions {
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Called after each statement that dropped something, with its rows of positions. */
  readonly onDropped?: (reason: DropReason, day: string, rows: number) => void;
}

/** `age`: older than the days that are kept. `size`: the tables were too large. */
export type DropReason = 'age' | 'size';

export interface DamagedPart {
  readonly table: string;
  readonly name: string;
  /** The store's word for it. */
  readonly reason: string;
}

interface Part {
  readonly table: string;
  /** The day. */
  readonly partition: string;
  readonly name: string;
  readonly bytes: number;
  readonly rows: number;
  readonly lastTime: string;
}

const DAY_MS = 86_400_000;
/** Without it, a server refuses to drop more than 50 GB: a day of many aircraft is larger. */
const ANY_SIZE = { max_partition_size_to_drop: '0' } as const;

/** `nowMs` says what today is. Errors: those of the client; what was dropped before stays dropped. */
export async function retain(
  client: HistoryClient,
  { daysMax, bytesMax }: RetentionLimits,
  nowMs: number,
  { signal, onDropped = () => {} }: RetentionOptions = {},
): Promise<RetentionReport> {
  const calls = signal === undefined ? {} : { signal };
  let parts = await partsOf(client, calls);
  const drop = async (doomed: readonly Part[], reason: DropReason, statement: (part: Part) => string): Promise<void> => {
    for (const [text, same] of groupedBy(doomed, statement)) {
      await client.command(text, undefined, { ...calls, settings: ANY_SIZE });
      const mine = same.filter(({ table }) => table === positions.name);
      if (mine.length > 0) onDropped(reason, mine[0]!.partition, sum(mine.map(({ rows }) => rows)));
    }
    const gone = new Set(doomed);
    parts = parts.filter((part) => !gone.has(part));
  };
  if (daysMax !== null) {
    const oldest = new Date(nowMs - (daysMax - 1) * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
    await drop(
      parts.filter(({ partition }) => partition < oldest),
      'age',
      dropPartition,
    );
  }
  while (bytesMax !== null && sum(parts.map(({ bytes }) => bytes)) > bytesMax) {
    const days = [...new Set(parts.map(({ partition }) => partition))].sort();
    const oldest = parts.filter(({ partition }) => partition === days[0]);
    if (days.length > 1) await drop(oldest, 'size', dropPartition);
    else {
      // One day alone is too large: it loses its oldest hours.
      const [first] = oldest.filter(({ table }) => table === positions.name).sort((a, b) => (a.lastTime < b.lastTime ? -1 : 1));
      if (first === undefined) break;
      await drop([first], 'size', dropPart);
    }
  }
  const tables = dailyTables.map(({ name }) =>
    sizeOf(
      name,
      parts.filter(({ table }) => table === name),
    ),
  );
  const days = parts.filter(({ table }) => table === positions.name).map(({ partition }) => partition);
  return { tables, oldestDay: days.sort()[0] ?? null };
}

/** Free space on the disks that the tables are on; without tables, any. Object storage has room for all. */
export async function freeBytes(client: HistoryClient, calls: QueryOptions = {}): Promise<number> {
  const [disks] = await client.rows<{ count: number; bytes: number }>(
    `SELECT toUInt32(count()) AS count, toFloat64(sum(free_space)) AS bytes FROM system.disks
     WHERE name IN (SELECT disk_name FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)})`,
    { tables: dailyTables.map(({ name }) => name) },
    calls,
  );
  return disks === undefined || disks.count === 0 ? Number.POSITIVE_INFINITY : disks.bytes;
}

/** Parts of our tables that the store has set aside because their files are damaged. Errors: those of the client. */
export async function damagedParts(client: HistoryClient, calls: QueryOptions = {}): Promise<DamagedPart[]> {
  return await client.rows<DamagedPart>(
    `SELECT table, name, reason FROM system.detached_parts
     WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND startsWith(reason, 'broken') ORDER BY table, name LIMIT {limit:UInt32}`,
    { tables: dailyTables.map(({ name }) => name), limit: limits.historyDamagedPartsMax },
    calls,
  );
}

async function partsOf(client: HistoryClient, calls: QueryOptions): Promise<Part[]> {
  return await client.rows<Part>(
    `SELECT table, partition, name, toFloat64(bytes_on_disk) AS bytes, toFloat64(rows) AS rows, toString(max_time) AS lastTime
     FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)}`,
    { tables: dailyTables.map(({ name }) => name) },
    calls,
  );
}

const dropPartition = ({ table, partition }: Part): string => `ALTER TABLE ${table} DROP PARTITION '${partition}'`;
const dropPart = ({ table, name }: Part): string => `ALTER TABLE ${table} DROP PART '${name}'`;

function sizeOf(table: string, parts: readonly Part[]): TableSize {
  return { table, bytes: sum(parts.map(({ bytes }) => bytes)), rows: sum(parts.map(({ rows }) => rows)) };
}

function groupedBy<T>(all: readonly T[], keyOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
