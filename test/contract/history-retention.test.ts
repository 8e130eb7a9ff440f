// Retention of the history on the real engine: by age, by size, within one day.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { retain } from '../../pipeline/store/retention.ts';
import { positions } from '../../schemas/clickhouse/tables.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';

const engine = historyEngine();
const ROWS = 2000;
const NOON = Date.parse('2028-03-01T12:00:00Z');

describe.skipIf(!engine.met)(`retention of the history ${engine.reason}`, () => {
  let store: TestHistoryStore;
  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store.stop());
  beforeEach(async () => {
    await store.client.command('TRUNCATE TABLE positions');
  });

  /** Positions of one second, from this time on. */
  const fill = (time: string): Promise<void> =>
    store.client.command(
      `INSERT INTO positions (time, icao24, latitudeMicrodeg, longitudeMicrodeg, frameOffset)
       SELECT toDateTime64({time:String}, 6, 'UTC') + toIntervalMicrosecond(number), number % 50, rand() % 90000000, rand(1) % 180000000, rand64(2) FROM numbers(${ROWS})`,
      { time },
    );
  const days = async (table: string): Promise<string[]> => {
    const rows = await store.client.rows<{ partition: string }>(
      'SELECT DISTINCT partition FROM system.parts WHERE active AND table = {table:String} AND database = currentDatabase() ORDER BY partition',
      { table },
    );
    return rows.map(({ partition }) => partition);
  };

  const drops = () => {
    const dropped: string[] = [];
    const onDropped = (reason: string, day: string, rows: number): number => dropped.push(`${reason} ${day} ${rows}`);
    return { dropped, onDropped };
  };

  it('drops days that are too old, over a leap day, with their counts, and the oldest ones when the tables are too large', async () => {
    for (const day of ['2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01']) await fill(`${day} 10:00:00`);
    const { dropped, onDropped } = drops();
    const report = await retain(store.client, { daysMax: 3, bytesMax: null }, NOON, { onDropped });
    expect(dropped).toEqual([`age 2028-02-27 ${ROWS}`]);
    expect(report.oldestDay).toBe('2028-02-28');
    const remaining = ['2028-02-28', '2028-02-29', '2028-03-01'];
    expect(await days('positions')).toEqual(remaining);
    expect(await store.client.rows('SELECT day, toUInt32(sum(positions)) AS n FROM aircraft_days GROUP BY day ORDER BY day')).toEqual(
      remaining.map((day) => ({ day, n: ROWS })),
    );
    expect(report.tables.find(({ table }) => table === positions.name)!.rows).toBe(3 * ROWS);
    // No more than needed.
    const bytes = report.tables.reduce((sum, table) => sum + table.bytes, 0);
    await retain(store.client, { daysMax: null, bytesMax: Math.floor(bytes * 0.9) }, NOON, { onDropped });
    expect(dropped.slice(1)).toEqual([`size 2028-02-28 ${ROWS}`]);
    expect(await days('positions')).toEqual(remaining.slice(1));
  });

  it('drops the oldest hours of a day that alone is too large', async () => {
    await store.client.command('SYSTEM STOP MERGES positions');
    for (const hour of ['08', '09', '10', '11']) await fill(`2028-03-01 ${hour}:00:00`);
    const { tables } = await retain(store.client, { daysMax: null, bytesMax: null }, NOON);
    const bytes = tables.reduce((sum, table) => sum + table.bytes, 0);
    const { dropped, onDropped } = drops();
    await retain(store.client, { daysMax: 30, bytesMax: Math.floor(bytes * 0.6) }, NOON, { onDropped });
    expect(dropped).toEqual([`size 2028-03-01 ${ROWS}`, `size 2028-03-01 ${ROWS}`]);
    expect(await store.client.rows('SELECT toString(min(time)) AS first FROM positions')).toEqual([
      { first: '2028-03-01 10:00:00.000000' },
    ]);
    expect(await store.client.rows("SELECT DISTINCT formatDateTime(hour, '%H') AS hour FROM density_hours ORDER BY hour")).toEqual([
      { hour: '10' },
      { hour: '11' },
    ]);
    await store.client.command('SYSTEM START MERGES positions');
  });
});
