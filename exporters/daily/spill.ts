// The rows of a day on their way to the file, in a hidden folder: rows become tables of DuckDB, files stay as they are.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBAppender, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import { type DailyKind, dailyKinds } from '../../schemas/daily-file.ts';
import { type SpillTarget, type SpillValue, spillColumns } from './day-source.ts';
import { type Duck, sqlText, storageError } from './duck.ts';

/** DuckDB takes at most this many rows in a chunk. */
const CHUNK_ROWS = 2048;

export class DaySpill implements SpillTarget {
  readonly folder: string;
  private readonly duck: Duck;
  private readonly api: typeof import('@duckdb/node-api');
  private readonly appenders: Readonly<Record<DailyKind, DuckDBAppender>>;
  private readonly files: Record<DailyKind, string[]> = { positions: [], flights: [] };

  static async open(folder: string, duck: Duck): Promise<DaySpill> {
    const files = join(folder, 'files');
    await mkdir(files);
    const appender = async (kind: DailyKind): Promise<DuckDBAppender> => {
      await duck.run(`CREATE TABLE spilled_${kind} (${spillColumns[kind].map(({ name, type }) => `"${name}" ${type}`).join(', ')})`);
      return duck.connection.createAppender(`spilled_${kind}`);
    };
    const appenders = { positions: await appender('positions'), flights: await appender('flights') };
    return new DaySpill(files, duck, await import('@duckdb/node-api'), appenders);
  }

  private constructor(folder: string, duck: Duck, api: DaySpill['api'], appenders: DaySpill['appenders']) {
    this.folder = folder;
    this.duck = duck;
    this.api = api;
    this.appenders = appenders;
  }

  add(kind: DailyKind, columns: readonly (readonly SpillValue[])[]): void {
    const appender = this.appenders[kind];
    const types: DuckDBType[] = spillColumns[kind].map((_, i) => appender.columnType(i));
    try {
      for (let from = 0; from < columns[0]!.length; from += CHUNK_ROWS) {
        const part = columns.map((values, i) => duckValues(values.slice(from, from + CHUNK_ROWS), spillColumns[kind][i]!.type));
        const chunk = this.api.DuckDBDataChunk.create(types, part[0]!.length);
        chunk.setColumns(part);
        appender.appendDataChunk(chunk);
      }
    } catch (error) {
      throw storageError(this.folder, error);
    }
  }

  addFiles(kind: DailyKind, paths: readonly string[]): void {
    this.files[kind].push(...paths);
  }

  /** Ends the appending. From now on `dayPositions` and `dayFlights` can be queried; rows outside of the day are not in them. */
  async finish(startMs: number, endMs: number): Promise<void> {
    try {
      for (const kind of dailyKinds) {
        this.appenders[kind].flushSync();
        this.appenders[kind].closeSync();
      }
    } catch (error) {
      throw storageError(this.folder, error);
    }
    const isEnded = `endedMs >= ${startMs} AND endedMs < ${endMs}`;
    await this.view('dayPositions', 'positions', `timeUs >= ${startMs * 1000} AND timeUs < ${endMs * 1000}`);
    await this.view('dayFlights', 'flights', `lastSeenMs >= ${startMs} AND firstSeenMs < ${endMs} OR ${isEnded}`);
  }

  private async view(name: string, kind: DailyKind, condition: string): Promise<void> {
    const files = this.files[kind];
    const columns = spillColumns[kind].map((column) => `"${column.name}"::${column.type} AS "${column.name}"`).join(', ');
    const sources = [`spilled_${kind}`, ...(files.length === 0 ? [] : [`read_parquet([${files.map(sqlText).join(', ')}])`])];
    const rows = sources.map((source) => `SELECT ${columns} FROM ${source} WHERE ${condition}`);
    await this.duck.run(`CREATE VIEW ${name} AS ${rows.join(' UNION ALL ')}`);
  }
}

function duckValues(values: readonly SpillValue[], type: string): readonly DuckDBValue[] {
  if (type === 'BIGINT') return values.map((value) => (value === null ? null : BigInt(value)));
  return type === 'BOOLEAN' ? values.map((value) => (value === null ? null : Boolean(value))) : values;
}
