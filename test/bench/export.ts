// The export of a day from the history store to its Parquet file, end to end; beside plain pandas, which is skipped without Python.
import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { storeSource } from '../../exporters/daily/from-store.ts';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { pythonPackages } from '../support/python.ts';
import { projectDir } from '../support/requirements.ts';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';
import { SimulatedDay } from './history-rows.ts';

const DAY = '2026-11-22';
const SECONDS = 86_400;
const AIRCRAFT_MIN = 20;

interface Run {
  readonly rowsPerS: number;
  readonly bytesPerRow: number;
  /** Most resident memory of the process. */
  readonly mb: number;
}

export const exportBench = (rows: number): Bench => ({
  name: 'export',
  summary: `a day of ${rows.toLocaleString('en')} positions from the history store to its Parquet file`,
  async run() {
    const { met, reason } = historyEngine();
    if (!met) throw new Error(reason);
    const folder = mkdtempSync(join(tmpdir(), 'squitter-bench-export-'));
    const store = await startHistoryStore({
      start: { processFile: programFile('infra/history-store/store-process') },
    });
    try {
      await fill(store, rows);
      return figures(await ours(store, folder), await plain(store, folder));
    } finally {
      await store.stop();
      rmSync(folder, { recursive: true });
    }
  },
});

async function fill({ client }: TestHistoryStore, rows: number): Promise<void> {
  const day = new SimulatedDay(Math.max(AIRCRAFT_MIN, Math.ceil(rows / SECONDS)), Date.parse(DAY));
  const writer = storeWriter(client);
  const block = new NativeBlock(positions.columns);
  const { signal } = new AbortController();
  const size = historyLimits.historyBatchRowsMax;
  for (let done = 0; done < rows; done += size) {
    block.clear();
    day.fill(block, size);
    await writer.insert({ table: positions.name, token: `bench-${done}`, rows: size, block }, signal);
  }
}

async function ours({ client }: TestHistoryStore, folder: string): Promise<Run> {
  const start = performance.now();
  const { manifest } = await writeDay({
    ...{ day: DAY, outDir: join(folder, 'out'), source: storeSource(client), licence: 'ODbL-1.0', attribution: 'Squitter' },
    ...{ facts: () => null, replaces: false, signal: new AbortController().signal },
  });
  const { rows, bytes } = manifest!.files[0]!;
  const seconds = (performance.now() - start) / 1000;
  return { rowsPerS: rows / seconds, bytesPerRow: bytes / rows, mb: process.resourceUsage().maxRSS / 1024 };
}

/** Null without Python: the reason goes to standard error. */
async function plain({ client }: TestHistoryStore, folder: string): Promise<Run | null> {
  const python = pythonPackages();
  if (!python.met) {
    process.stderr.write(`pandas: ${python.reason}\n`);
    return null;
  }
  const [source, target] = [join(folder, 'all'), join(folder, 'pandas.parquet')];
  mkdirSync(source);
  const start = performance.now();
  const columns = positions.columns.map(({ name }) => (name === 'time' ? 'toUnixTimestamp64Micro(time) AS timeUs' : name)).join(', ');
  // By the hour: the store bounds a result.
  for (let hour = 0; hour < 24; hour += 1) {
    const bytes = client.bytes(`SELECT ${columns} FROM positions WHERE toHour(time) = ${hour} FORMAT Parquet`, {});
    await pipeline(Readable.from(bytes, { objectMode: false }), createWriteStream(join(source, `${hour}.parquet`)));
  }
  const fetchS = (performance.now() - start) / 1000;
  const script = join(projectDir, 'test/bench/reference/pandas-export.py');
  const [rows, seconds, mb] = execFileSync(python.path, [script, source, target], { encoding: 'utf8' }).split(' ').map(Number);
  return { rowsPerS: rows! / (fetchS + seconds!), bytesPerRow: statSync(target).size / rows!, mb: mb! };
}

function figures(own: Run, reference: Run | null): Figure[] {
  const beside = reference ?? { rowsPerS: Number.NaN, bytesPerRow: Number.NaN, mb: Number.NaN };
  const text = 'from the store to the published files; reference: pandas, all rows in memory, without flights, facts and manifest';
  return [
    rateFigure('export', 'rows/s', own.rowsPerS, beside.rowsPerS, text),
    costFigure('export: bytes', 'B/row', own.bytesPerRow, beside.bytesPerRow, 'of the Parquet file of positions'),
    costFigure(
      'export: memory',
      'MB',
      own.mb,
      beside.mb,
      'most resident memory of the process; ours has the making of the rows in it, too',
    ),
  ];
}
