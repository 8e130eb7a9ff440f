// The counts of positions on the real engine: each part keeps them ready as projections, and the queries read those.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptyReference } from '../../pipeline/reference/reference.ts';
import type { HistoryClient, QueryOptions } from '../../pipeline/store/client.ts';
import { type CellSize, density } from '../../query-api/queries/history/density.ts';
import type { DensityFilters } from '../../query-api/queries/history/density-filters.ts';
import type { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';

const engine = historyEngine();
const DAYS = ['2028-02-28', '2028-02-29', '2028-03-01'];
const ROWS = 5000;
const SPAN = { fromMs: Date.parse('2028-02-29T09:10:00Z'), toMs: Date.parse('2028-02-29T10:50:00Z') };
const WORLD = { southDeg: -90, northDeg: 90, westDeg: -180, eastDeg: 180 };
/** Over the antimeridian. */
const PACIFIC = { southDeg: -20, northDeg: 40, westDeg: 150, eastDeg: -130 };

describe.skipIf(!engine.met)(`counts of positions ${engine.reason}`, () => {
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
    await store.client.command('SYSTEM STOP MERGES positions');
    for (const day of DAYS)
      for (const part of [0, 1])
        await store.client.command(
          `INSERT INTO positions (time, icao24, latitudeMicrodeg, longitudeMicrodeg, frameOffset)
           SELECT toDateTime64({time:String}, 6, 'UTC') + toIntervalSecond(number * 2), number % 50, toInt32(sipHash64(number) % 180000000) - 90000000,
             toInt32(sipHash64(number, 1) % 360000000) - 180000000, number FROM numbers(${ROWS})`,
          { time: `${day} 0${8 + part}:30:00` },
        );
  });
  afterAll(() => store.stop());

  /** The client with settings of its own in each query. */
  const withSettings = (settings: NonNullable<QueryOptions['settings']>): HistoryClient => ({
    ...store.client,
    rows: (sql, parameters, options) => store.client.rows(sql, parameters, { ...options, settings: { ...options?.settings, ...settings } }),
  });
  const forced = (): HistoryClient => withSettings({ force_optimize_projection: 1 });
  const plain = (): HistoryClient => withSettings({ optimize_use_projections: 0 });

  const map = (client: HistoryClient, box: typeof WORLD, size: CellSize, filters: DensityFilters = {}) => {
    const history = { query: (run) => run(client, new AbortController().signal) } as Pick<HistoryStore, 'query'> as HistoryStore;
    return density({ history, reference: emptyReference }, box, SPAN, size, filters);
  };

  it.each([
    ['a box', WORLD],
    ['a box over the antimeridian', PACIFIC],
  ] as const)('the heat map of %s reads counts, which are those of the positions', async (_, box) => {
    const counted = await map(forced(), box, '5');
    expect(counted).toEqual(await map(plain(), box, '5'));
    expect(counted.cells.length).toBeGreaterThan(10);
    // A filter that all positions pass.
    expect(await map(plain(), box, '5', { on_ground: false })).toEqual(counted);
    if (box !== WORLD) return;
    // Two hours of a position each two seconds, and those of the later part, which begins at half past nine.
    expect(counted.cells.reduce((sum, cell) => sum + cell.positions, 0)).toBe(3600 + 2700);
  });

  it('the days of an aircraft are read from counts, of these days alone', async () => {
    const sql =
      "SELECT day, toUInt32(sum(positions)) AS n, min(firstTime) AS first, max(lastTime) AS last FROM aircraft_days WHERE icao24 = 7 AND day >= '2028-02-29' GROUP BY day ORDER BY day";
    const rows = await forced().rows(sql);
    expect(rows).toEqual(await plain().rows(sql));
    expect(rows).toEqual(
      DAYS.slice(1).map((day) => ({
        ...{ day, n: (2 * ROWS) / 50 },
        ...{ first: `${day} 08:30:14.000000`, last: `${day} 12:15:14.000000` },
      })),
    );
  });
});
