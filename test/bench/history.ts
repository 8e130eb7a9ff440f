// The history store as the sink, the query API and the exporter use it: rows per second and CPU per row of inserts, bytes per row, queries while rows come, and
// the export of a day. The engine is an optional dependency.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { storeSource } from '../../exporters/daily/from-store.ts';
import { writeDay } from '../../exporters/daily/write-day.ts';
import { NativeBlock } from '../../pipeline/project/native-block.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { programFile } from '../../pipeline/runtime/package-root.ts';
import { storedPositions } from '../../query-api/queries/history/positions.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { limits } from '../../schemas/limits/index.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { processCpuSeconds } from '../support/service.ts';
import { bareMemory, withFolder } from './children.ts';
import { type Bench, costFigure, type Figure, latencyFigures, rateFigure } from './harness.ts';
import { cpuSeconds } from './push/clock.ts';
import { SimulatedDay } from './simulated-day.ts';

const DAY = '2026-11-22';
const DAY_START_MS = Date.parse(DAY);
const DAY_S = 86_400;
const HOUR_MS = 3_600_000;
/** Rows of one aircraft in ten minutes are as close together as those of 15,000: the sort puts them into one or two granules. */
const AIRCRAFT = 600;
const BATCH_ROWS = limits.historyBatchRowsMax;
const LIVE_ROWS = 15_000;
const QUERIES = 300;
const PAUSE_MS = 20;
const SOURCE_COLUMNS = ['partition', 'frameOffset', 'frameIndex'];

/** Rows are made while the store takes the ones before. */
class Filling {
  done = 0;
  /** CPU seconds of making rows, which are not the client's. */
  madeS = 0;
  private readonly day: SimulatedDay;
  private readonly writer: ReturnType<typeof storeWriter>;
  private readonly blocks = [new NativeBlock(positions.columns), new NativeBlock(positions.columns)];

  constructor({ client }: TestHistoryStore, aircraft: number) {
    this.day = new SimulatedDay(aircraft, DAY_START_MS);
    this.writer = storeWriter(client);
  }

  async insert(rows: number, size: number = BATCH_ROWS): Promise<void> {
    const end = this.done + rows;
    const { signal } = new AbortController();
    for (this.make(size); this.done < end; this.done += size) {
      this.blocks.reverse();
      const sent = this.writer.insert({ table: positions.name, token: `bench-${this.done}`, block: this.blocks[1]! }, signal);
      if (this.done + size < end) this.make(size);
      await sent;
    }
  }

  private make(rows: number): void {
    const before = cpuSeconds();
    this.blocks[0]!.clear();
    this.day.fill(this.blocks[0]!, rows);
    this.madeS += cpuSeconds() - before;
  }
}

function historyBench(name: string, summary: string, work: (store: TestHistoryStore) => Promise<Figure[]>): Bench {
  return {
    name,
    summary,
    async run() {
      const { met, reason } = historyEngine();
      if (!met) throw new Error(reason);
      const store = await startHistoryStore({ start: { processFile: programFile('infra/history-store/store-process') } });
      try {
        return await work(store);
      } finally {
        await store.stop();
      }
    },
  };
}

export const historyInsertBench = (rows: number): Bench =>
  historyBench('history-insert', `${rows.toLocaleString('en')} positions into the history store`, async (store) => {
    const filling = new Filling(store, Math.max(AIRCRAFT, Math.ceil(rows / DAY_S)));
    const storeS = (): number => processCpuSeconds(store.child.pid()!);
    const [storeBefore, before, start] = [storeS(), cpuSeconds(), performance.now()];
    await filling.insert(rows);
    const wallS = (performance.now() - start) / 1000;
    const { done, madeS } = filling;
    const clientUs = (1e6 * (cpuSeconds() - before - madeS)) / done;
    const storeUs = (1e6 * (storeS() - storeBefore)) / done;
    const sizes = await bytesPerRow(store);
    const input = `${done.toLocaleString('en')} rows of a simulated day in batches of ${BATCH_ROWS.toLocaleString('en')}`;
    const plain = { value: sizes.plain, what: 'the same columns without compression' };
    return [
      rateFigure('store: insert', 'rows/s', done / wallS, `${input}, made meanwhile, by the clock`),
      costFigure('store: CPU of the store', 'us/row', storeUs, `${input}, with merges meanwhile`),
      costFigure('store: CPU of the client', 'us/row', clientUs, `${input}, without making them`),
      costFigure('store: bytes', 'B/row', sizes.own, `without source columns, after merges: ${sizes.columns}`, plain),
    ];
  });

async function bytesPerRow({ client }: TestHistoryStore): Promise<{ own: number; plain: number; columns: string }> {
  await client.command(`OPTIMIZE TABLE ${positions.name} FINAL`, undefined, { secondsMax: 600 });
  const perRow = (bytes: string): string => `sum(column_data_${bytes}_bytes) / (SELECT count() FROM ${positions.name})`;
  const rows = await client.rows<{ column: string; own: number; plain: number }>(
    `SELECT column, ${perRow('compressed')} AS own, ${perRow('uncompressed')} AS plain FROM system.parts_columns WHERE active AND database = currentDatabase() AND table = '${positions.name}' GROUP BY column ORDER BY own DESC`,
  );
  const columns = rows.filter(({ column }) => !SOURCE_COLUMNS.includes(column));
  const sum = (member: 'own' | 'plain'): number => columns.reduce((total, column) => total + Number(column[member]), 0);
  const text = columns.map(({ column, own }) => `${column} ${Number(own).toFixed(2)}`).join(', ');
  return { own: sum('own'), plain: sum('plain'), columns: text };
}

export const historyQueryBench = (rows: number): Bench =>
  historyBench('history-query', `queries while ${LIVE_ROWS.toLocaleString('en')} rows a second come`, async (store) => {
    const { client } = store;
    const filling = new Filling(store, AIRCRAFT);
    await filling.insert(rows);
    let stopping = false;
    const live = (async () => {
      while (!stopping) {
        const start = performance.now();
        await filling.insert(LIVE_ROWS, LIVE_ROWS);
        await sleep(Math.max(0, 1000 - (performance.now() - start)));
      }
    })();
    const { signal } = new AbortController();
    const aircraft = await client.rows<{ icao24: number }>(`SELECT DISTINCT icao24 FROM ${positions.name} LIMIT 100`);
    const ping = await times(() => client.plain.ping());
    // `/v2/aircraft/{hex}/track` reads it like this.
    const track = await times(async (i) => {
      const spanMs = { fromMs: DAY_START_MS, toMs: DAY_START_MS + HOUR_MS - 1 };
      const { count } = await storedPositions(client, signal, aircraft[i % aircraft.length]!.icao24, spanMs);
      if (count !== HOUR_MS / 1000) throw new Error(`an hour has ${count} points`);
    });
    const minute = { from: new Date(DAY_START_MS + HOUR_MS / 2), to: new Date(DAY_START_MS + HOUR_MS / 2 + 60_000) };
    const within = "time >= {from:DateTime64(6, 'UTC')} AND time < {to:DateTime64(6, 'UTC')}";
    const inBox = `${within} AND latitudeMicrodeg BETWEEN 45000000 AND 50000000 AND longitudeMicrodeg BETWEEN 0 AND 8000000`;
    const newest = 'argMax(latitudeMicrodeg, time) AS lat, argMax(longitudeMicrodeg, time) AS lon';
    const box = await times(() => client.rows(`SELECT icao24, ${newest} FROM ${positions.name} WHERE ${inBox} GROUP BY icao24`, minute));
    stopping = true;
    await live;
    const figures = (name: string, found: readonly number[], what: string): Figure[] =>
      latencyFigures(`store: ${name}, `, found, `${what}, of ${filling.done.toLocaleString('en')} rows`, ping, 'a ping of the store');
    return [
      ...figures('track', track, 'an hour of one aircraft, 3,600 points as /track reads them'),
      ...figures('box', box, 'newest positions of a minute in a box'),
    ];
  });

/** Milliseconds of queries, one after another. */
async function times(query: (i: number) => Promise<unknown>): Promise<number[]> {
  const all: number[] = [];
  for (let i = 0; i < QUERIES; i += 1) {
    const start = performance.now();
    await query(i);
    all.push(performance.now() - start);
    await sleep(PAUSE_MS);
  }
  return all;
}

export const exportBench = (rows: number): Bench =>
  historyBench('export', `a day of ${rows.toLocaleString('en')} positions from the history store to its Parquet file`, async (store) => {
    await new Filling(store, Math.ceil(rows / DAY_S)).insert(rows);
    return withFolder(async (folder) => {
      const start = performance.now();
      const { manifest } = await writeDay({
        ...{ day: DAY, outDir: folder, source: storeSource(store.client), licence: 'ODbL-1.0', attribution: 'Squitter' },
        ...{ facts: () => null, replaces: false, signal: new AbortController().signal },
      });
      const seconds = (performance.now() - start) / 1000;
      const file = manifest!.files[0]!;
      const megabytes = process.resourceUsage().maxRSS / 1024;
      const { plain } = await bytesPerRow(store);
      return [
        rateFigure('export', 'rows/s', file.rows / seconds, 'from the store to the published files, by the clock'),
        costFigure('export: bytes', 'B/row', file.bytes / file.rows, 'of the Parquet file of positions', {
          value: plain,
          what: "the store's columns without compression",
        }),
        costFigure('export: memory', 'MB', megabytes, 'most memory of the process, the making of the rows included', await bareMemory()),
      ];
    });
  });
