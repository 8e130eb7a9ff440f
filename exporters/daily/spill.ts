// The rows of a day on their way to the file, in a folder that nobody else sees: what comes in blocks becomes tables of DuckDB, what comes as files stays there.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBAppender, DuckDBType, DuckDBValue } from '@duckdb/node-api';
import type { FlightRow, PositionBlock, SpillTarget } from './day-source.ts';
import { type Duck, sqlText, storageError } from './duck.ts';

/** Columns and types of the spilled tables. */
export const positionTypes = {
  timeUs: 'BIGINT',
  icao24: 'UINTEGER',
  latitudeMicrodeg: 'INTEGER',
  longitudeMicrodeg: 'INTEGER',
  onGround: 'BOOLEAN',
  altitudeBaroFt: 'INTEGER',
  altitudeGeomFt: 'INTEGER',
  groundSpeedDeciKt: 'INTEGER',
  trackCentideg: 'INTEGER',
  baroRateFpm: 'INTEGER',
  source: 'UTINYINT',
  nic: 'UTINYINT',
  rcM: 'INTEGER',
  partition: 'USMALLINT',
  frameOffset: 'BIGINT',
  frameIndex: 'UINTEGER',
  callsign: 'VARCHAR',
  squawk: 'USMALLINT',
  rssiDeciDbfs: 'SMALLINT',
} as const satisfies Record<keyof PositionBlock, string>;

export const flightTypes = {
  icao24: 'UINTEGER',
  callsign: 'VARCHAR',
  firstSeenMs: 'BIGINT',
  airborneMs: 'BIGINT',
  origin: 'VARCHAR',
  originSource: 'VARCHAR',
  destination: 'VARCHAR',
  destinationSource: 'VARCHAR',
  takeoffMs: 'BIGINT',
  takeoffAirport: 'VARCHAR',
  takeoffSource: 'VARCHAR',
  landingMs: 'BIGINT',
  landingAirport: 'VARCHAR',
  landingSource: 'VARCHAR',
  endedMs: 'BIGINT',
  lastSeenMs: 'BIGINT',
  end: 'VARCHAR',
  partition: 'USMALLINT',
  recordOffset: 'BIGINT',
} as const satisfies Record<keyof FlightRow, string>;

const columnList = (types: Readonly<Record<string, string>>): string =>
  Object.entries(types)
    .map(([name, type]) => `"${name}" ${type}`)
    .join(', ');

/** DuckDB takes at most this many rows in a chunk. */
const CHUNK_ROWS = 2048;

export class DaySpill implements SpillTarget {
  readonly folder: string;
  private readonly duck: Duck;
  private readonly tables: { readonly positions: TableAppender; readonly flights: TableAppender };
  private readonly files: string[] = [];

  static async open(folder: string, duck: Duck): Promise<DaySpill> {
    const api = await import('@duckdb/node-api');
    const files = join(folder, 'files');
    await mkdir(files);
    await duck.run(`CREATE TABLE spilledPositions (${columnList(positionTypes)})`);
    await duck.run(`CREATE TABLE spilledFlights (${columnList(flightTypes)})`);
    const appender = async (table: string, types: object): Promise<TableAppender> =>
      new TableAppender(api, await duck.connection.createAppender(table), Object.keys(types).length);
    return new DaySpill(files, duck, {
      positions: await appender('spilledPositions', positionTypes),
      flights: await appender('spilledFlights', flightTypes),
    });
  }

  private constructor(folder: string, duck: Duck, tables: DaySpill['tables']) {
    this.folder = folder;
    this.duck = duck;
    this.tables = tables;
  }

  positions(block: PositionBlock): void {
    this.append(
      this.tables.positions,
      Object.entries(positionTypes).map(([name, type]) => this.values(block[name as keyof PositionBlock], type)),
    );
  }

  flights(rows: readonly FlightRow[]): void {
    this.append(
      this.tables.flights,
      Object.entries(flightTypes).map(([name, type]) =>
        this.values(
          rows.map((row) => row[name as keyof FlightRow]),
          type,
        ),
      ),
    );
  }

  positionFiles(paths: readonly string[]): void {
    this.files.push(...paths);
  }

  /** Ends the appending. From now on `dayPositions` and `dayFlights` can be queried; rows outside of the day are not in them. */
  async finish(startMs: number, endMs: number): Promise<void> {
    try {
      this.tables.positions.close();
      this.tables.flights.close();
    } catch (error) {
      throw storageError(this.folder, error);
    }
    const within = `timeUs >= ${startMs * 1000} AND timeUs < ${endMs * 1000}`;
    const columns = Object.keys(positionTypes).join(', ');
    const fromFiles = this.files.length === 0 ? '' : ` UNION ALL SELECT ${columns} FROM (${await this.fileRows()}) WHERE ${within}`;
    const fromBlocks =
      this.files.length === 0
        ? `SELECT ${columns} FROM spilledPositions WHERE ${within}`
        : `SELECT ${columns} FROM spilledPositions WHERE false`;
    await this.duck.run(`CREATE VIEW dayPositions AS ${fromBlocks}${fromFiles}`);
    await this.duck.run(
      `CREATE VIEW dayFlights AS SELECT * FROM spilledFlights WHERE lastSeenMs >= ${startMs} AND firstSeenMs < ${endMs} OR endedMs >= ${startMs} AND endedMs < ${endMs}`,
    );
  }

  private async fileRows(): Promise<string> {
    const list = `read_parquet([${this.files.map(sqlText).join(', ')}])`;
    const names = (await this.duck.rows(`DESCRIBE SELECT * FROM ${list}`)).map((row) => String(row['column_name']));
    const select = Object.entries(positionTypes).map(([name, type]) => {
      if (name === 'timeUs' && !names.includes(name)) return 'epoch_us("time") AS timeUs';
      return `"${name}"::${type} AS "${name}"`;
    });
    return `SELECT ${select.join(', ')} FROM ${list}`;
  }

  private append(table: TableAppender, columns: readonly (readonly DuckDBValue[])[]): void {
    try {
      table.append(columns);
    } catch (error) {
      throw storageError(this.folder, error);
    }
  }

  private values(values: readonly (number | boolean | string | null)[], type: string): readonly DuckDBValue[] {
    return type === 'BIGINT' ? values.map((value) => (value === null ? null : BigInt(value))) : values;
  }
}

class TableAppender {
  private readonly api: typeof import('@duckdb/node-api');
  private readonly appender: DuckDBAppender;
  private readonly types: readonly DuckDBType[];

  constructor(api: typeof import('@duckdb/node-api'), appender: DuckDBAppender, columns: number) {
    this.api = api;
    this.appender = appender;
    this.types = Array.from({ length: columns }, (_, i) => appender.columnType(i));
  }

  append(columns: readonly (readonly DuckDBValue[])[]): void {
    const rows = columns[0]!.length;
    for (let from = 0; from < rows; from += CHUNK_ROWS) {
      const count = Math.min(CHUNK_ROWS, rows - from);
      const chunk = this.api.DuckDBDataChunk.create(this.types, count);
      chunk.setColumns(columns.map((values) => values.slice(from, from + count)));
      this.appender.appendDataChunk(chunk);
    }
  }

  close(): void {
    this.appender.flushSync();
    this.appender.closeSync();
  }
}
