// Writes the files of one day: rows from a source into a spill, sorted by DuckDB into Parquet, then published with a manifest. Nothing is visible before.
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  DAILY_SCHEMA_VERSION,
  type DailyFile,
  type DailyKind,
  type DailyManifest,
  dailyColumns,
  manifestName,
  type OffsetRange,
  parquetName,
  previewName,
} from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { dayStartMs, nextDay } from '../jobs/due-days.ts';
import type { DaySource } from './day-source.ts';
import { flightsCopy, joinStatements, positionsCopy } from './day-sql.ts';
import { type Duck, openDuck } from './duck.ts';
import { digestOf, publishedManifest, publishFiles, withExportFolder } from './out-folder.ts';
import { previewOf } from './preview.ts';
import { DaySpill } from './spill.ts';

export interface AircraftNames {
  readonly registration?: string;
  readonly typeDesignator?: string;
}

export type ExportStage = 'reading' | 'writing' | 'checking';

export interface WriteDayOptions {
  readonly day: string;
  readonly outDir: string;
  readonly source: DaySource;
  /** Facts of an aircraft by address; bit 24 is set for one that is not an ICAO address. */
  readonly facts: (icao24: number) => AircraftNames | null;
  readonly licence: string;
  readonly attribution: string;
  readonly signal: AbortSignal;
  /** Replaces a published day that differs. Without it such a day is an error, and the published files stay. */
  readonly replaces: boolean;
  /** Share done is `done` of `total`; `rows` so far. */
  readonly onProgress?: (stage: ExportStage, done: number, total: number, rows: number) => void;
}

/** `published`: new files. `same`: the day was published before, with the same bytes. `empty`: there is no position and no flight. */
export type DayResult =
  | { readonly outcome: 'published' | 'same'; readonly manifest: DailyManifest }
  | { readonly outcome: 'empty'; readonly manifest: null };

const PROGRESS_MS = 500;
const NON_ICAO = 1 << 24;

/** Errors: `export.in_use`, `export.no_duckdb`, `export.no_space`, `export.failed`, `export.day_differs`, and those of the source. */
export async function writeDay(options: WriteDayOptions): Promise<DayResult> {
  const { day, outDir } = options;
  const bounds = { day, startMs: dayStartMs(day), endMs: dayStartMs(nextDay(day)) };
  return withExportFolder(outDir, async (folder) => {
    const duck = await openDuck(folder);
    try {
      const spill = await DaySpill.open(folder, duck);
      await options.source.fill(bounds, spill, {
        signal: options.signal,
        onProgress: (done, total, rows) => options.onProgress?.('reading', done, total, rows),
      });
      options.signal.throwIfAborted();
      await spill.finish(bounds.startMs, bounds.endMs);
      return await new DayWriter(options, duck, folder).write(bounds.startMs, bounds.endMs);
    } finally {
      duck.close();
    }
  });
}

class DayWriter {
  private readonly options: WriteDayOptions;
  private readonly duck: Duck;
  private readonly folder: string;

  constructor(options: WriteDayOptions, duck: Duck, folder: string) {
    this.options = options;
    this.duck = duck;
    this.folder = folder;
  }

  async write(startMs: number, endMs: number): Promise<DayResult> {
    const { day, outDir } = this.options;
    const rows = await this.count('dayPositions', 'true');
    const flights = await this.count('dayFlights', `endedMs >= ${startMs} AND endedMs < ${endMs}`);
    if (rows + flights === 0) return { outcome: 'empty', manifest: null };
    const referenceSha256 = await this.fillFacts();
    for (const statement of joinStatements()) await this.duck.run(statement);
    await this.copy('positions', rows, (path, metadata) => positionsCopy(path, metadata));
    await this.copy('flights', flights, (path, metadata) => flightsCopy(path, startMs, endMs, metadata));
    const preview = await previewOf(this.duck, join(this.folder, parquetName('positions', day)), day);
    await writeFile(join(this.folder, previewName(day)), preview);
    this.options.onProgress?.('checking', 0, 0, rows);
    const manifest: DailyManifest = {
      version: DAILY_SCHEMA_VERSION,
      day,
      licence: this.options.licence,
      attribution: this.options.attribution,
      files: [await this.fileOf('positions', rows), await this.fileOf('flights', flights)],
      frames: await this.offsets('dayPositions', 'frameOffset'),
      flightsEnded: await this.offsets('dayFlights', 'recordOffset'),
      referenceSha256,
      writer: `DuckDB ${this.duck.version}`,
    };
    this.options.signal.throwIfAborted();
    return this.publish(manifest, outDir);
  }

  /** A published day never changes in silence. */
  private async publish(manifest: DailyManifest, outDir: string): Promise<DayResult> {
    const { day, replaces } = this.options;
    const before = await publishedManifest(outDir, day);
    const digests = ({ files }: DailyManifest): string => files.map(({ name, sha256 }) => `${name} ${sha256}`).join();
    if (before !== null && digests(before) === digests(manifest)) return { outcome: 'same', manifest: before };
    if (before !== null && !replaces) throw new SquitterError('export.day_differs', { day, detail: difference(before, manifest) });
    await writeFile(join(this.folder, manifestName(day)), `${JSON.stringify(manifest, null, 2)}\n`);
    await publishFiles(this.folder, outDir, [...manifest.files.map(({ name }) => name), previewName(day), manifestName(day)]);
    return { outcome: 'published', manifest };
  }

  /** All aircraft of the day as a table: address as text, registration and type. The checksum is that of the latter two. */
  private async fillFacts(): Promise<string> {
    await this.duck.run('CREATE TABLE aircraftFacts (icao24 UINTEGER, hex VARCHAR, registration VARCHAR, typecode VARCHAR)');
    const addresses = await this.duck.rows(
      'SELECT DISTINCT icao24 FROM (SELECT icao24 FROM dayPositions UNION ALL SELECT icao24 FROM dayFlights) ORDER BY 1',
    );
    const hash = createHash('sha256');
    const appender = await this.duck.connection.createAppender('aircraftFacts');
    for (const row of addresses) {
      const icao24 = Number(row['icao24']);
      const { registration = null, typeDesignator = null } = this.options.facts(icao24) ?? {};
      if (registration !== null || typeDesignator !== null) hash.update(`${icao24}\t${registration ?? ''}\t${typeDesignator ?? ''}\n`);
      appender.appendUInteger(icao24);
      for (const text of [hexOf(icao24), registration, typeDesignator])
        if (text === null) appender.appendNull();
        else appender.appendVarchar(text);
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
    return hash.digest('hex');
  }

  /** Runs a COPY with progress; an abort interrupts it. */
  private async copy(kind: DailyKind, rows: number, statement: (path: string, metadata: Record<string, string>) => string): Promise<void> {
    const { day, licence, attribution, signal, onProgress } = this.options;
    const { connection } = this.duck;
    const metadata = {
      squitter_schema_version: String(DAILY_SCHEMA_VERSION),
      squitter_day: day,
      squitter_kind: kind,
      licence,
      attribution,
      columns: JSON.stringify(
        Object.fromEntries(dailyColumns[kind].map(({ name, unit, about }) => [name, { ...(unit === undefined ? {} : { unit }), about }])),
      ),
    };
    const interrupt = (): void => connection.interrupt();
    signal.addEventListener('abort', interrupt);
    const timer = setInterval(() => {
      const { percentage } = connection.progress;
      if (percentage >= 0) onProgress?.('writing', percentage, 100, Math.round((rows * percentage) / 100));
    }, PROGRESS_MS);
    try {
      signal.throwIfAborted();
      await this.duck.run(statement(join(this.folder, parquetName(kind, day)), metadata));
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      clearInterval(timer);
      signal.removeEventListener('abort', interrupt);
    }
  }

  private async fileOf(kind: DailyKind, rows: number): Promise<DailyFile> {
    const name = parquetName(kind, this.options.day);
    return { name, kind, rows, ...(await digestOf(join(this.folder, name))) };
  }

  private async offsets(table: string, column: string): Promise<OffsetRange[]> {
    const rows = await this.duck.rows(
      `SELECT partition, min(${column}) AS first, max(${column}) + 1 AS next FROM ${table} GROUP BY partition ORDER BY partition`,
    );
    return rows.map((row) => ({ partition: Number(row['partition']), first: Number(row['first']), next: Number(row['next']) }));
  }

  private async count(table: string, condition: string): Promise<number> {
    return Number((await this.duck.rows(`SELECT count(*) AS rows FROM ${table} WHERE ${condition}`))[0]!['rows']);
  }
}

/** Bit 24 stands for `~`. */
function hexOf(icao24: number): string {
  return `${icao24 >= NON_ICAO ? '~' : ''}${(icao24 % NON_ICAO).toString(16).padStart(6, '0')}`;
}

function difference(before: DailyManifest, after: DailyManifest): string {
  const lines = after.files.flatMap((file) => {
    const old = before.files.find(({ name }) => name === file.name);
    return old?.sha256 === file.sha256 ? [] : [`${file.name} has ${file.rows} rows, published ${old?.rows ?? 'none'}`];
  });
  const causes = [
    ...(before.referenceSha256 === after.referenceSha256 ? [] : ['other reference data']),
    ...(JSON.stringify(before.flightsEnded) === JSON.stringify(after.flightsEnded) ? [] : ['other ended flights']),
    ...(before.writer === after.writer ? [] : [`written by ${before.writer}, now ${after.writer}`]),
    ...(before.licence === after.licence && before.attribution === after.attribution ? [] : ['another licence or attribution']),
  ];
  return [...lines, ...causes].join('; ');
}
