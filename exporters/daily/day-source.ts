// Where the rows of a day come from: the store or the log. A source fills a `DaySpill`; the writer makes the same bytes of the same rows in any order.
import type { Table } from '../../schemas/clickhouse/tables.ts';
import { flights, positions } from '../../schemas/clickhouse/tables.ts';
import type { DailyKind } from '../../schemas/daily-file.ts';

export interface SpillColumn {
  readonly name: string;
  /** DuckDB's type. */
  readonly type: string;
  /** Expression over the table of the store. */
  readonly stored: string;
}

const duckTypes: Readonly<Record<string, string>> = {
  ...{ Bool: 'BOOLEAN', String: 'VARCHAR', UInt8: 'UTINYINT', UInt16: 'USMALLINT', UInt32: 'UINTEGER', Int16: 'SMALLINT' },
  ...{ Int32: 'INTEGER', Int64: 'BIGINT' },
};

/** The columns of a table of the store. Times are whole numbers, with their unit in the name. */
const spilled = ({ columns }: Table): SpillColumn[] =>
  columns.map(({ name, type }) => {
    if (type.includes('DateTime64(6')) return { name: `${name}Us`, type: 'BIGINT', stored: `toUnixTimestamp64Micro(${name})` };
    if (type.includes('DateTime64(3')) return { name: `${name}Ms`, type: 'BIGINT', stored: `toUnixTimestamp64Milli(${name})` };
    return { name, type: duckTypes[type.replace(/^.*\(|\)+$/g, '')]!, stored: name };
  });

export const spillColumns: Readonly<Record<DailyKind, readonly SpillColumn[]>> = {
  positions: spilled(positions),
  flights: spilled(flights),
};

/** Null is absent. A boolean may be 0 or 1. */
export type SpillValue = number | boolean | string | null;

/** What a source fills. */
export interface SpillTarget {
  /** A folder for files of the source; it is removed with the spill. */
  readonly folder: string;
  /** Adds rows: the values of each column of `spillColumns`, in their order. */
  add(kind: DailyKind, columns: readonly (readonly SpillValue[])[]): void;
  /** Adds Parquet files with the columns of `spillColumns`. */
  addFiles(kind: DailyKind, paths: readonly string[]): void;
}

export interface DayBounds {
  readonly day: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface DaySource {
  /** For messages: `the log`. */
  readonly name: string;
  /** Gives all positions of the day, and all flights that overlap it or end on it. Others do no harm. */
  fill(bounds: DayBounds, target: SpillTarget, watch: SpillWatch): Promise<void>;
}

export interface SpillWatch {
  readonly signal: AbortSignal;
  /** Share done is `done` of `total`; `rows` so far. */
  readonly onProgress: (done: number, total: number, rows: number) => void;
}
