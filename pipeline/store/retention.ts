// Retention of the history: whole days are dropped when they are too old, and the oldest when the tables are too large.
import { dailyTables, positions } from '../../schemas/clickhouse/tables.ts';
import type { HistoryClient } from './client.ts';

export interface RetentionLimits {
  /** Days that are kept, today included; null keeps all. */
  readonly daysMax: number | null;
  /** Size of all tables on the disk; null for any. */
  readonly bytesMax: number | null;
}

export interface TableSize {
  readonly table: string;
  readonly bytes: number;
  readonly rows: number;
}

export interface RetentionReport {
  readonly tables: readonly TableSize[];
  /** The oldest day with positions, YYYY-MM-DD. */
  readonly oldestDay: string | null;
  /** Rows of positions that this call dropped, by reason. */
  readonly dropped: Readonly<Record<DropReason, number>>;
}

/** `age`: older than the days that are kept. `size`: the tables were too large. */
export type DropReason = 'age' | 'size';

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

/** `nowMs` says what today is. Errors: those of the client. */
export async function retain(client: HistoryClient, { daysMax, bytesMax }: RetentionLimits, nowMs: number): Promise<RetentionReport> {
  const dropped = { age: 0, size: 0 };
  let parts = await partsOf(client);
  const drop = async (doomed: readonly Part[], reason: DropReason, statement: (part: Part) => string): Promise<void> => {
    for (const text of new Set(doomed.map(statement))) await client.command(text);
    dropped[reason] += sum(doomed.filter(({ table }) => table === positions.name).map(({ rows }) => rows));
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
  return { tables, oldestDay: days.sort()[0] ?? null, dropped };
}

/** Free space on the disks that the tables are on; without tables, any. Object storage has room for all. */
export async function freeBytes(client: HistoryClient): Promise<number> {
  const [disks] = await client.rows<{ count: number; bytes: number }>(
    `SELECT toUInt32(count()) AS count, toFloat64(sum(free_space)) AS bytes FROM system.disks
     WHERE name IN (SELECT disk_name FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)})`,
    { tables: dailyTables.map(({ name }) => name) },
  );
  return disks === undefined || disks.count === 0 ? Number.POSITIVE_INFINITY : disks.bytes;
}

async function partsOf(client: HistoryClient): Promise<Part[]> {
  return await client.rows<Part>(
    `SELECT table, partition, name, toFloat64(bytes_on_disk) AS bytes, toFloat64(rows) AS rows, toString(max_time) AS lastTime
     FROM system.parts WHERE active AND database = currentDatabase() AND table IN {tables:Array(String)}`,
    { tables: dailyTables.map(({ name }) => name) },
  );
}

const dropPartition = ({ table, partition }: Part): string => `ALTER TABLE ${table} DROP PARTITION '${partition}'`;
const dropPart = ({ table, name }: Part): string => `ALTER TABLE ${table} DROP PART '${name}'`;

function sizeOf(table: string, parts: readonly Part[]): TableSize {
  return { table, bytes: sum(parts.map(({ bytes }) => bytes)), rows: sum(parts.map(({ rows }) => rows)) };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
