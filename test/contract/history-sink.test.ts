// The sink on a real log and the real engine: what the log has is in the tables, once, whatever happens to the store meanwhile.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { type KeptSink, keepSink } from '../../pipeline/project/kept-sink.ts';
import { positionProjection } from '../../pipeline/project/position-projection.ts';
import { planGroupOf, sinkGroup } from '../../pipeline/project/sink.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { auditedTables, auditHistory, type HistoryAudit } from '../../pipeline/tools/audit/history.ts';
import { historyEngine, startHistoryStore, type TestHistoryStore } from '../support/history-store.ts';
import { appendPositions, LEAP_DAY_END_MS } from '../support/positions.ts';
import { until } from '../support/until.ts';

const engine = historyEngine();

describe.skipIf(!engine.met)(`the sink and the store ${engine.reason}`, () => {
  let store: TestHistoryStore;
  let folder: string;
  let data: OpenData;

  beforeAll(async () => {
    store = await startHistoryStore();
  });
  afterAll(() => store?.stop());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'squitter-sink-'));
    data = await openData(folder, 'write');
    for (const table of ['positions', 'flights']) await store.client.command(`TRUNCATE TABLE ${table}`);
  });
  afterEach(async () => {
    await data.log.close();
    await rm(folder, { recursive: true });
  });

  type Insert = ReturnType<typeof storeWriter>['insert'];
  /** A sink of positions; `after` runs after each insert, before it is confirmed. */
  const startPositions = (after: (insert: Parameters<Insert>[0]) => Promise<void> = async () => {}): Promise<KeptSink> => {
    const writer = storeWriter(store.client);
    const insert: Insert = async (rows, signal) => {
      await writer.insert(rows, signal);
      await after(rows);
    };
    return keepSink({ log: data.log, projection: positionProjection(data.codecs.PositionBatch), writer: { ...writer, insert } });
  };
  const isDone = (sink: KeptSink, rows: number) => until(() => sink.stats.rows >= rows);
  const audit = async () => {
    const options = { log: data.log, client: store.client, onProgress: () => {}, signal: new AbortController().signal };
    const audits = [];
    for (const table of auditedTables(data.codecs)) audits.push(...(await auditHistory(options, table)));
    return audits;
  };
  const number = async (sql: string): Promise<number> => Number(Object.values((await store.client.rows<object>(sql))[0]!)[0]);

  test('over midnight of a leap day, with batches that are repeated: rows, content, days and counts are those of the log', async () => {
    await appendPositions(data, { partition: 0, records: 20, rows: 900, startMs: LEAP_DAY_END_MS - 10_000 });
    await appendPositions(data, { partition: 1, records: 20, rows: 100, startMs: LEAP_DAY_END_MS - 10_000 });
    let lost = 3;
    const sink = await startPositions(async () => {
      lost -= 1;
      if (lost >= 0) throw new Error('the confirmation is lost');
    });
    await isDone(sink, 20_000);
    await sink.stop();
    expect([...sink.stats.retries]).toEqual([['other', 3]]);
    const audits = await audit();
    expect(audits.map(({ expected, stored, differences }) => ({ expected, stored, differences }))).toEqual([
      { expected: 18_000, stored: 18_000, differences: [] },
      { expected: 2000, stored: 2000, differences: [] },
      { expected: 0, stored: 0, differences: [] },
      { expected: 0, stored: 0, differences: [] },
    ]);
    const days = await store.client.rows<{ day: string }>(
      'SELECT toDate(time) AS day, count() AS rows FROM positions GROUP BY day ORDER BY day',
    );
    expect(days.map(({ day }) => day)).toEqual(['2024-02-29', '2024-03-01']);
    for (const table of ['aircraft_days', 'density_hours']) expect(await number(`SELECT sum(positions) FROM ${table}`)).toBe(20_000);
    expect(store.lines.filter((line) => line.startsWith('error'))).toEqual([]);
  });

  test.each([
    // One row stays: an empty part is removed at some time, and its token with it.
    ['one row of its first day', `time < '2024-03-01' AND NOT (frameOffset = 0 AND frameIndex = 0)`],
    ['a part of its rows', 'frameOffset = 2 AND frameIndex % 2 = 1'],
  ])('a store that died with the token of a batch and %s gets them, each once', async (_, lost) => {
    await appendPositions(data, { partition: 0, records: 4, rows: 50, startMs: LEAP_DAY_END_MS - 1000 });
    await appendPositions(data, { partition: 1, records: 4, rows: 50, startMs: LEAP_DAY_END_MS - 1000 });
    let died = false;
    const sink = await startPositions(async ({ token }) => {
      if (died || !token.startsWith('positions-0-')) return;
      died = true;
      // A mutation leaves the token in the log of the table, as a kill between token and part does.
      await store.client.command(`ALTER TABLE positions DELETE WHERE partition = 0 AND ${lost} SETTINGS mutations_sync = 1`);
      throw new Error('the connection is lost');
    });
    await isDone(sink, 400);
    await sink.stop();
    expect(sink.stats.restored).toBeGreaterThan(20);
    expect((await audit()).map(({ expected, stored, differences }) => [expected, stored, differences]).slice(0, 2)).toEqual([
      [200, 200, []],
      [200, 200, []],
    ]);
  });

  test('a store that lost rows, or all of them, is filled again from the log; a group whose offset is gone or was reset repeats nothing', async () => {
    await appendPositions(data, { partition: 0, records: 30, rows: 40, startMs: LEAP_DAY_END_MS });
    const projection = positionProjection(data.codecs.PositionBatch);
    const run = async () => {
      const moved: string[] = [];
      const sink = await keepSink({
        ...{ log: data.log, projection, writer: storeWriter(store.client), size: { rowsMax: 200, ageMsMax: 5, plannedRowsMax: 300 } },
        onRejoin: ({ code, message }) => moved.push(`${code}: ${message}`),
      });
      await until(
        async () => (await data.log.committed(sinkGroup(projection), 'positions', 0)) === (await data.log.bounds('positions', 0)).next,
      );
      await sink.stop();
      return moved;
    };
    const isWhole = async () => {
      const [{ expected, stored, differences }] = (await audit()) as [HistoryAudit];
      expect([expected, stored, differences]).toEqual([await rowsInLog(), await rowsInLog(), []]);
    };
    const rowsInLog = async () => 40 * (await data.log.bounds('positions', 0)).next;
    const more = async () =>
      appendPositions(data, {
        partition: 0,
        records: 1,
        rows: 40,
        startMs: LEAP_DAY_END_MS + 1e6,
        first: (await data.log.bounds('positions', 0)).next,
      });
    const move = async (group: string, offset: number) => {
      const fromOffset = (await data.log.committed(group, 'positions', 0))!;
      await data.log.commit({ group, topic: 'positions', partition: 0, fromOffset, nextOffset: offset, outputs: [] });
    };
    expect(await run()).toEqual([]);
    await isWhole();
    // Rows that were not on the disk when the power failed.
    await store.client.command('ALTER TABLE positions DELETE WHERE frameOffset >= 17 SETTINGS mutations_sync = 1');
    await more();
    expect(await run()).toEqual([
      'history.offset_moved: the history of adsb.positions.v1/0 continues at offset 17 instead of 30: the rows in the store end there',
    ]);
    await isWhole();
    await store.client.command('TRUNCATE TABLE positions');
    await more();
    expect((await run())[0]).toContain('offset 0 instead of 31');
    await isWhole();
    // A tool reset the group, and its plan is where it was.
    await move(sinkGroup(projection), 5);
    await more();
    expect((await run())[0]).toContain('offset 32 instead of 5');
    await move(sinkGroup(projection), 5);
    await move(planGroupOf(sinkGroup(projection)), 3);
    await more();
    expect((await run())[0]).toContain('offset 33 instead of 5');
    await isWhole();
  });

  test('an audit finds a row that is missing, one too many and one that differs', async () => {
    await appendPositions(data, { partition: 0, records: 5, rows: 20, startMs: LEAP_DAY_END_MS });
    const sink = await startPositions();
    await isDone(sink, 100);
    await sink.stop();
    expect((await audit())[0]!.differenceCount).toBe(0);
    await store.client.command('INSERT INTO positions SELECT * FROM positions WHERE frameOffset = 2 AND frameIndex = 3');
    await store.client.command('ALTER TABLE positions DELETE WHERE frameOffset = 3 AND frameIndex = 7 SETTINGS mutations_sync = 1');
    await store.client.command(
      'ALTER TABLE positions UPDATE nic = 99 WHERE frameOffset = 4 AND frameIndex = 1 SETTINGS mutations_sync = 1',
    );
    expect((await audit())[0]!.differences).toEqual([
      'records 0 to 4: the store has one more row 2,3',
      'records 0 to 4: the store lacks the row 3,7',
      'records 0 to 4: the row 4,1 differs in nic',
    ]);
    await store.client.command(
      "INSERT INTO positions SELECT * REPLACE (toDateTime64('2020-01-01 00:00:00', 6) AS time) FROM positions WHERE frameOffset = 1 AND frameIndex = 1",
    );
    expect((await audit())[0]!.differences.at(-1)).toContain('the table has 101 rows of these records, 100 of them');
  });
});
