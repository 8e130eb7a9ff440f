// Kept heat map files on the real engine: a sink that is hours late leaves no file without its positions.
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HeatMapFiles } from '../../query-api/queries/history/heat-map-files.ts';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { trackLimits } from '../../schemas/track-limits.ts';
import { readHeatMap } from '../support/heat-map-reader.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { storePositions } from '../support/stored-positions.ts';

const engine = historyEngine();
const START_MS = Date.parse('2026-11-20T08:00:00Z');
const MINUTE_MS = 60_000;
const HALF_HOUR_MS = 30 * MINUTE_MS;
const DAY_MS = 86_400_000;

describe.skipIf(!engine.met)(`heat map files that are kept ${engine.reason}`, () => {
  let store: TestHistoryStore;
  let nowMs = START_MS + DAY_MS;
  let inserts = 0;

  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());
  beforeEach(() => store.client.command('TRUNCATE TABLE positions'));

  const files = (partitions?: number) =>
    new HeatMapFiles(new HistoryStore(store.client, partitions === undefined ? {} : { partitions }), () => nowMs);
  /** Positions of one aircraft per partition, a minute apart. */
  const insert = (partition: number, fromMinute: number, toMinute: number) => {
    const positions = Array.from({ length: toMinute - fromMinute }, (_, n) => ({
      ...{ icao24: 0x400000 + partition, timeMs: START_MS + (fromMinute + n) * MINUTE_MS, partition },
    }));
    inserts += 1;
    return storePositions(store.client, positions, `kept-${inserts}`);
  };
  const shown = async (maps: HeatMapFiles) => {
    const { gzipped, isSettled } = await maps.file(START_MS);
    const hexes = readHeatMap(gunzipSync(gzipped)).flatMap(({ positions }) => positions.map(({ hex }) => hex));
    return { first: hexes.filter((hex) => hex === '400000').length, second: hexes.filter((hex) => hex === '400001').length, isSettled };
  };

  it('get the positions of a sink that was hours late, and are kept once every partition is beyond them', async () => {
    const maps = files(2);
    await insert(0, 0, 120);
    await insert(1, 0, 10);
    expect(await shown(maps)).toEqual({ first: 30, second: 10, isSettled: false });
    await insert(1, 10, 30);
    expect(await shown(maps)).toEqual({ first: 30, second: 10, isSettled: false });
    nowMs += trackLimits.heatMapFreshMs;
    // Everything is there, but nothing proves it.
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: false });
    await insert(1, 30, 120);
    nowMs += trackLimits.heatMapFreshMs;
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: true });
    // Kept: without the store's rows, and for ever.
    await store.client.command('TRUNCATE TABLE positions');
    nowMs += DAY_MS;
    expect(await shown(maps)).toEqual({ first: 30, second: 30, isSettled: true });
  });

  it('are not complete while a partition has nothing of them at all', async () => {
    await insert(0, 0, 120);
    expect(await shown(files(2))).toMatchObject({ first: 30, second: 0, isSettled: false });
    expect(await shown(files(1))).toMatchObject({ isSettled: true });
    expect(await shown(files())).toMatchObject({ isSettled: false });
  });

  it('are not made again while the store has no more positions of them', async () => {
    const maps = files(1);
    await insert(0, 0, 35);
    const { gzipped } = await maps.file(START_MS);
    nowMs += trackLimits.heatMapFreshMs;
    expect((await maps.file(START_MS)).gzipped).toBe(gzipped);
    // Of the next half hour, but not from well behind this one.
    await insert(0, 35, 39);
    nowMs += trackLimits.heatMapFreshMs;
    expect(await maps.file(START_MS)).toMatchObject({ gzipped, isSettled: false });
    await expect(maps.file(START_MS + 4 * HALF_HOUR_MS)).rejects.toMatchObject({ code: 'api.no_recording' });
  });
});
