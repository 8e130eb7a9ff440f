// Inserts into the history store as the sink makes them: rows per second over HTTP, CPU per row of both sides, bytes per row on disk; beside
// JSONEachRow inserts of the same rows, and a table of floats without codecs.
import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { openCodecs } from '../../pipeline/log/codec.ts';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { readBlocks } from '../../pipeline/project/native-reader.ts';
import { positionProjection } from '../../pipeline/project/position-projection.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import type { PositionBatch } from '../../schemas/avro/position-batch.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { positionRow } from '../support/position-log.ts';
import { type Bench, costFigure, type Figure, measure, rateFigure } from './harness.ts';
import { SimulatedDay } from './history-rows.ts';

const DAY_MS = 86_400_000;
const DAY_START_MS = Date.UTC(2026, 10, 22);
const AIRCRAFT = 600;
const REFERENCE_ROWS = 400_000;
const FLOAT_ROWS = 2_000_000;
const SOURCE_COLUMNS = ['partition', 'frameOffset', 'frameIndex'];
/** Kernel ticks per second. */
const TICKS_PER_S = 100;

export const historyInsertBench = (rows: number): Bench => ({
  name: 'history-insert',
  summary: `inserts of ${historyLimits.historyBatchRowsMax.toLocaleString('en')} positions into the history store, ${rows.toLocaleString('en')} rows`,
  async run() {
    const { met, reason } = historyEngine();
    if (!met) throw new Error(reason);
    const encode = await encodeFigure();
    const processFile = programFile('infra/history-store/store-process');
    const store = await startHistoryStore({ start: { processFile } });
    try {
      return [encode, ...(await insertFigures(store, rows))];
    } finally {
      await store.stop();
    }
  },
});

/** CPU of the sink per row: a record of the log to columns. */
async function encodeFigure(): Promise<Figure> {
  const codecs = await openCodecs({
    register: async () => 1,
    find: async () => 1,
    versions: async () => [],
    schemaNow: () => null,
  } as never);
  const tickMs = DAY_START_MS;
  const rows = Array.from({ length: 10_000 }, (_, row) => positionRow(0, 1, row, tickMs));
  const value = codecs.PositionBatch.encode({ tickMs, rows } satisfies PositionBatch);
  const projection = positionProjection(codecs.PositionBatch);
  const block = new NativeBlock(projection.columns);
  const record = { key: null, value, timestampMs: tickMs, offset: 1 };
  const repeats = 20;
  const ours = await measure(() => {
    for (let i = 0; i < repeats; i += 1) {
      if (i % 5 === 0) block.clear();
      projection.add(block, 0, record);
    }
  });
  let written = 0;
  const reference = await measure(() => {
    for (const row of codecs.PositionBatch.decode(value).rows) written += JSON.stringify(row).length;
  });
  if (written === 0) throw new Error('nothing was written');
  return costFigure(
    'sink: encode a row',
    'us CPU',
    (1e6 * ours.cpuS) / repeats / rows.length,
    (1e6 * reference.cpuS) / rows.length,
    'PositionBatch to columns of FORMAT Native; reference: decoded objects to JSON',
  );
}

async function insertFigures(store: TestHistoryStore, rows: number): Promise<Figure[]> {
  const day = new SimulatedDay(Math.max(AIRCRAFT, Math.ceil(rows / 86_400)), DAY_START_MS);
  const size = historyLimits.historyBatchRowsMax;
  const writer = storeWriter(store.client);
  const { signal } = new AbortController();
  let filling = new NativeBlock(positions.columns);
  let sending = new NativeBlock(positions.columns);
  let fillS = 0;
  const fill = (): void => {
    const before = process.cpuUsage();
    filling.clear();
    day.fill(filling, size);
    const { user, system } = process.cpuUsage(before);
    fillS += (user + system) / 1e6;
  };
  const storeCpu = cpuOf(store);
  const cpu = process.cpuUsage();
  const start = performance.now();
  let done = 0;
  for (fill(); done < rows; done += size) {
    [filling, sending] = [sending, filling];
    const sent = writer.insert({ table: positions.name, token: `bench-${done}`, rows: size, block: sending }, signal);
    fill();
    await sent;
  }
  const wallS = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const storeCpuS = storeCpu();
  const json = await jsonRate(store);
  const sizes = await bytesPerRow(store);
  const input = `${done.toLocaleString('en')} rows of a simulated day`;
  return [
    rateFigure(
      'store: insert',
      'rows/s',
      done / wallS,
      json.rate,
      `${input}, made meanwhile, in ${wallS.toFixed(1)} s; reference: JSONEachRow`,
    ),
    costFigure(
      'store: CPU of the store',
      'us/row',
      (1e6 * storeCpuS) / done,
      json.storeUs,
      `${input}, with merges meanwhile; reference: JSONEachRow`,
    ),
    costFigure(
      'store: CPU of the client',
      'us/row',
      (user + system - 1e6 * fillS) / done,
      json.clientUs,
      `${input}, without making them; reference: JSONEachRow`,
    ),
    costFigure(
      'store: bytes',
      'B/row',
      sizes.without,
      sizes.float,
      `without source columns, after merges: ${sizes.columns}; reference: floats without codecs`,
    ),
    costFigure(
      'store: bytes with source',
      'B/row',
      sizes.all,
      sizes.float,
      `with ${SOURCE_COLUMNS.join(', ')}; reference: floats without codecs and sources`,
    ),
  ];
}

/** CPU seconds of the store's process since the call. */
export function cpuOf({ child }: TestHistoryStore): () => number {
  const read = (): number => {
    const fields = readFileSync(`/proc/${child.pid()}/stat`, 'latin1').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
  };
  const before = read();
  return () => read() - before;
}

async function jsonRate(store: TestHistoryStore): Promise<{ rate: number; storeUs: number; clientUs: number }> {
  await store.client.command('CREATE TABLE json_positions AS positions');
  const day = new SimulatedDay(AIRCRAFT, DAY_START_MS + DAY_MS);
  const block = new NativeBlock(positions.columns);
  const bodies: Buffer[][] = [];
  const columns = positions.columns.map(({ name }) => name);
  let storeS = 0;
  let clientS = 0;
  let wallS = 0;
  for (let done = 0; done < REFERENCE_ROWS; done += historyLimits.historyBatchRowsMax) {
    block.clear();
    day.fill(block, historyLimits.historyBatchRowsMax);
    const [read] = readBlocks(Buffer.concat(block.pieces()));
    const objects = Array.from({ length: read!.rows }, (_, row) =>
      Object.fromEntries(
        read!.columns.map(({ name, values }) => [name, name === 'time' ? ((values[row] as number) / 1e6).toFixed(6) : values[row]]),
      ),
    );
    const cpuStore = cpuOf(store);
    const cpu = process.cpuUsage();
    const start = performance.now();
    const body = Buffer.from(objects.map((row) => JSON.stringify(row)).join('\n'));
    await store.client.insert({ table: 'json_positions', columns, format: 'JSONEachRow', body, token: null });
    wallS += (performance.now() - start) / 1000;
    storeS += cpuStore();
    const { user, system } = process.cpuUsage(cpu);
    clientS += (user + system) / 1e6;
    bodies.length = 0;
  }
  await store.client.command('DROP TABLE json_positions');
  return { rate: REFERENCE_ROWS / wallS, storeUs: (1e6 * storeS) / REFERENCE_ROWS, clientUs: (1e6 * clientS) / REFERENCE_ROWS };
}

async function bytesPerRow({ client }: TestHistoryStore): Promise<{ all: number; without: number; float: number; columns: string }> {
  const settled = async (table: string): Promise<Map<string, number>> => {
    await client.command(`OPTIMIZE TABLE ${table} FINAL`, undefined, { secondsMax: 600 });
    const rows = await client.rows<{ column: string; bytes: number }>(
      `SELECT column, sum(column_data_compressed_bytes) / (SELECT count() FROM ${table}) AS bytes FROM system.parts_columns WHERE active AND database = currentDatabase() AND table = '${table}' GROUP BY column ORDER BY bytes DESC`,
    );
    return new Map(rows.map(({ column, bytes }) => [column, Number(bytes)]));
  };
  const own = await settled('positions');
  const float =
    'time DateTime64(6), icao24 String, latitude Float64, longitude Float64, onGround Bool, altitude Nullable(Float64), geoaltitude Nullable(Float64), speed Nullable(Float64), track Nullable(Float64), rate Nullable(Float64), source UInt8, nic UInt8, rc Float64';
  await client.command(`CREATE TABLE float_positions (${float}) ENGINE = MergeTree PARTITION BY toDate(time) ORDER BY (icao24, time)`);
  await client.command(
    `INSERT INTO float_positions SELECT time, lower(hex(icao24)), latitudeMicrodeg / 1e6, longitudeMicrodeg / 1e6, onGround, altitudeBaroFt, altitudeGeomFt, groundSpeedDeciKt / 10, trackCentideg / 100, baroRateFpm, source, nic, rcM FROM positions LIMIT ${FLOAT_ROWS}`,
    undefined,
    { secondsMax: 600 },
  );
  const floats = await settled('float_positions');
  const sum = (sizes: Map<string, number>, without: readonly string[] = []): number =>
    [...sizes].reduce((total, [column, bytes]) => total + (without.includes(column) ? 0 : bytes), 0);
  const columns = [...own].map(([column, bytes]) => `${column} ${bytes.toFixed(2)}`).join(', ');
  return { all: sum(own), without: sum(own, SOURCE_COLUMNS), float: sum(floats), columns };
}
