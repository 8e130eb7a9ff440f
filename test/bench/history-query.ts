// Queries of the history store while it takes the inserts of 15,000 aircraft: an empty query, the hour of one aircraft, a box; beside a table of
// floats in the order of time.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { storedPositions } from '../../query-api/queries/history/positions.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';
import { cpuOf } from './history-insert.ts';
import { SimulatedDay } from './history-rows.ts';

const DAY_START_MS = Date.UTC(2026, 10, 22);
/** Rows of one aircraft in ten minutes are as close together as those of 15,000: the sort puts them into one or two granules. */
const AIRCRAFT = 600;
const LIVE_ROWS = 15_000;
const QUERIES = 300;
const PAUSE_MS = 20;
const HOUR_MS = 3_600_000;
const FLOATS =
  'time DateTime64(6), icao24 String, latitude Float64, longitude Float64, altitude Nullable(Float64), speed Nullable(Float64), track Nullable(Float64)';

export const historyQueryBench = (rows: number): Bench => ({
  name: 'history-query',
  summary: `queries of the history store while it takes ${LIVE_ROWS.toLocaleString('en')} rows a second, ${rows.toLocaleString('en')} rows`,
  async run() {
    const { met, reason } = historyEngine();
    if (!met) throw new Error(reason);
    const processFile = new URL('../../infra/history-store/store-process.js', import.meta.url);
    const store = await startHistoryStore({ start: { processFile } });
    try {
      return await queryFigures(store, rows);
    } finally {
      await store.stop();
    }
  },
});

async function queryFigures(store: TestHistoryStore, rows: number): Promise<Figure[]> {
  const { client } = store;
  const day = new SimulatedDay(AIRCRAFT, DAY_START_MS);
  const block = new NativeBlock(positions.columns);
  const writer = storeWriter(client);
  const { signal } = new AbortController();
  let done = 0;
  const insert = async (count: number): Promise<void> => {
    block.clear();
    day.fill(block, count);
    await writer.insert({ table: positions.name, token: `bench-${done}`, rows: count, block }, signal);
    done += count;
  };
  while (done < rows) await insert(historyLimits.historyBatchRowsMax);
  await client.command(`CREATE TABLE float_positions (${FLOATS}) ENGINE = MergeTree ORDER BY time`);
  await client.command(
    `INSERT INTO float_positions SELECT time, lower(hex(icao24)), latitudeMicrodeg / 1e6, longitudeMicrodeg / 1e6, altitudeBaroFt, groundSpeedDeciKt / 10, trackCentideg / 100 FROM positions`,
    undefined,
    { secondsMax: 600 },
  );

  let stopping = false;
  const live = (async () => {
    while (!stopping) {
      const start = performance.now();
      await insert(LIVE_ROWS);
      await sleep(Math.max(0, 1000 - (performance.now() - start)));
    }
  })();
  const aircraft = await client.rows<{ icao24: number }>('SELECT DISTINCT icao24 FROM positions LIMIT 100');
  const hour = { from: new Date(DAY_START_MS), to: new Date(DAY_START_MS + HOUR_MS) };
  const keyOf = (i: number): number => aircraft[i % aircraft.length]!.icao24;
  const within = "time >= {from:DateTime64(6, 'UTC')} AND time < {to:DateTime64(6, 'UTC')}";
  const box = { from: new Date(DAY_START_MS + HOUR_MS / 2), to: new Date(DAY_START_MS + HOUR_MS / 2 + 60_000) };

  const empty = await times(() => client.rows('SELECT 1 AS a WHERE 0'));
  const ping = await times(() => client.plain.ping());
  // As `/v2/aircraft/{hex}/track` reads it.
  const spanMs = { fromMs: DAY_START_MS, toMs: DAY_START_MS + HOUR_MS - 1 };
  const trackCpu = cpuOf(store);
  const track = await times(async (i) => {
    const { count } = await storedPositions(client, signal, keyOf(i), spanMs);
    if (count !== HOUR_MS / 1000) throw new Error(`an hour has ${count} points`);
  });
  const trackCpuS = trackCpu();
  const jsonCpu = cpuOf(store);
  const jsonTrack = await times((i) =>
    client.rows(
      `SELECT time, latitudeMicrodeg, longitudeMicrodeg, altitudeBaroFt, groundSpeedDeciKt, trackCentideg FROM positions WHERE icao24 = {key:UInt32} AND ${within} ORDER BY time`,
      { key: keyOf(i), ...hour },
    ),
  );
  const jsonCpuS = jsonCpu();
  const floatTrack = await times(
    (i) =>
      client.rows(
        `SELECT time, latitude, longitude, altitude, speed, track FROM float_positions WHERE icao24 = {key:String} AND ${within} ORDER BY time`,
        { key: keyOf(i).toString(16), ...hour },
      ),
    QUERIES / 10,
  );
  const inBox = await times(
    () =>
      client.rows(
        `SELECT icao24, argMax(latitudeMicrodeg, time) AS lat, argMax(longitudeMicrodeg, time) AS lon FROM positions WHERE ${within} AND latitudeMicrodeg BETWEEN 45000000 AND 50000000 AND longitudeMicrodeg BETWEEN 0 AND 8000000 GROUP BY icao24`,
        box,
      ),
    QUERIES / 3,
  );
  const floatBox = await times(
    () =>
      client.rows(
        `SELECT icao24, argMax(latitude, time) AS lat, argMax(longitude, time) AS lon FROM float_positions WHERE ${within} AND latitude BETWEEN 45 AND 50 AND longitude BETWEEN 0 AND 8 GROUP BY icao24`,
        box,
      ),
    QUERIES / 10,
  );
  stopping = true;
  await live;
  const memory = (store.child.stats()?.memoryBytes ?? 0) / 1e6;
  const input = `${done.toLocaleString('en')} rows`;
  const figures = (name: string, ours: Times, reference: Times, what: string): Figure[] => [
    costFigure(`${name}, p50`, 'ms', ours.p50, reference.p50, what),
    costFigure(`${name}, p99`, 'ms', ours.p99, reference.p99, what),
  ];
  return [
    ...figures(
      'store: empty query',
      empty,
      ping,
      `a SELECT without rows; reference: a ping; the store's process has ${memory.toFixed(0)} MB`,
    ),
    ...figures(
      'store: track',
      track,
      floatTrack,
      `an hour of one aircraft, 3,600 points as /track reads them, of ${input}; reference: floats in the order of time`,
    ),
    ...figures(
      'store: track as JSON',
      jsonTrack,
      floatTrack,
      `the same points in JSONEachRow, of ${input}; reference: floats in the order of time`,
    ),
    costFigure(
      'store: track, CPU',
      'ms/query',
      (1e3 * trackCpuS) / QUERIES,
      (1e3 * jsonCpuS) / QUERIES,
      `of the store's process, with the inserts meanwhile; reference: the same points in JSONEachRow`,
    ),
    ...figures('store: box', inBox, floatBox, `newest positions of a minute in a box, of ${input}; reference: floats in the order of time`),
  ];
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

async function times(query: (i: number) => Promise<unknown>, count = QUERIES): Promise<Times> {
  const all: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const start = performance.now();
    await query(i);
    all.push(performance.now() - start);
    await sleep(PAUSE_MS);
  }
  all.sort((a, b) => a - b);
  return { p50: all[Math.floor(count / 2)]!, p99: all[Math.floor(count * 0.99)]! };
}
