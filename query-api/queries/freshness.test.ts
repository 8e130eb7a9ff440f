// When data are shown and when they are refused: while they are ahead of the wall clock, while clocks are set, without a feeder.
import { expect, it } from 'vitest';
import { FeedWatch } from '../../pipeline/view/feed-watch.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';

const HOUR_MS = 3_600_000;

it('measures by a steady clock whether data that are ahead of the wall clock advance, and says how far ahead they are', async () => {
  const { app, view } = await createTestApi(0);
  view.table.applyState(fullState(1));
  view.tick(NOW_MS);
  // The wall clock of the whole machine was 5 h ahead until now: data lie in the future.
  const aheadMs = NOW_MS + 5 * HOUR_MS;
  view.table.applyState(fullState(0, aheadMs));
  view.tick(aheadMs);
  const ahead = await app.inject('/v2/all');
  expect([ahead.statusCode, ahead.headers['x-service-data-age'], ahead.headers['x-service-data-ahead']]).toEqual([200, '0', '17999']);
  expect((await app.inject('/readyz')).json()).toMatchObject({ status: 'ready', data_age_seconds: 0, data_ahead_seconds: 17_999 });
  view.clockMs += 40_000;
  expect((await app.inject('/v2/all')).headers['x-service-data-age']).toBe('40');
  // A wall clock that is set, forward or back, hides nothing.
  for (const byMs of [HOUR_MS, -2 * HOUR_MS]) {
    view.clockMs += byMs;
    view.steadyOffsetMs -= byMs;
    expect((await app.inject('/v2/all')).headers['x-service-data-age']).toBe('40');
  }
  view.clockMs += 20_001;
  expect((await app.inject('/v2/all')).statusCode).toBe(503);
  expect((await app.inject('/readyz')).statusCode).toBe(503);
  view.table.applyState(fullState(0, aheadMs + 1000));
  view.tick(aheadMs + 1000);
  const again = await app.inject('/v2/all');
  expect([again.statusCode, again.headers['x-service-data-age']]).toEqual([200, '0']);
  await app.close();
});

it('shows data of the future after a start only once they advance', async () => {
  const { app, view } = await createTestApi(0);
  view.table.applyState(fullState(1));
  view.tick(NOW_MS + HOUR_MS);
  const early = await app.inject('/v2/all');
  expect([early.statusCode, early.json().code]).toEqual([503, 'no-snapshot']);
  view.tick(NOW_MS + HOUR_MS + 1000);
  expect((await app.inject('/v2/all')).statusCode).toBe(200);
  await app.close();
});

it('counts the age of the data from the newest message: ticks of a silent feed make them no younger', async () => {
  const { app, view } = await createTestApi(0);
  const ageS = async (): Promise<unknown[]> => [
    (await app.inject('/readyz')).json().data_age_seconds,
    Number((await app.inject('/v2/all')).headers['x-service-data-age']),
  ];
  const pass = (seconds: number): void => {
    view.clockMs += 1000 * seconds;
    view.tick();
  };
  view.tick();
  pass(20);
  expect(await ageS()).toEqual([20, 20]);
  view.table.applyState(fullState(0, view.clockMs));
  pass(0);
  expect(await ageS()).toEqual([0, 0]);
  pass(48);
  expect(await ageS()).toEqual([48, 48]);
  // It is forgotten, and nothing newer was heard.
  view.table.remove(fullState(0).hex);
  pass(100);
  expect(await ageS()).toEqual([148, 148]);
  await app.close();
});

it('names the disk when the log accepts nothing, and serves what is fresh meanwhile', async () => {
  let held: string | null = 'the disk is nearly full';
  const feeds = new FeedWatch(NOW_MS + 300, { heldReason: () => held });
  const { app, view } = await createTestApi(1, { feeds });
  view.clockMs += 30_000;
  feeds.note({ ingest: { feeders: 1, withoutFeederMs: 0, aheadMs: 0 } }, view.clockMs);
  view.clockMs += 29_000;
  expect((await app.inject('/v2/all')).statusCode).toBe(200);
  // First the data are too old, then the status of the ingest is missing, too: the disk is the cause of both.
  for (const ms of [2000, 60_000]) {
    view.clockMs += ms;
    const { code, detail } = (await app.inject('/v2/all')).json();
    expect([code, detail]).toEqual(['no-feed', 'no live data: the disk is nearly full']);
  }
  held = null;
  expect((await app.inject('/v2/all')).json().detail).toContain('no ingest has written to the log for 91 s');
  await app.close();
});

it('responds with 503 after 60 s without a feeder, and with 200 while a feeder hears nothing', async () => {
  const feeds = new FeedWatch(NOW_MS + 300);
  const { app, view } = await createTestApi(0, { feeds });
  const pass = (seconds: number): void => {
    view.clockMs += 1000 * seconds;
    view.tick();
  };
  const report = (feeders: number, withoutFeederMs: number): void =>
    feeds.note({ ingest: { feeders, withoutFeederMs, aheadMs: 0 } }, view.clockMs);
  view.tick();
  // Ingests of an earlier version say nothing: the age of the data decides.
  pass(300);
  expect((await app.inject('/v2/all')).statusCode).toBe(200);
  report(1, 0);
  pass(60);
  expect((await app.inject('/v2/all')).json()).toMatchObject({ total: 0, ac: [] });
  report(0, 30_000);
  pass(30);
  expect((await app.inject('/v2/all')).statusCode).toBe(200);
  report(0, 60_000);
  pass(1);
  for (const path of ['/v2/all', '/v2/hex/abc123', '/v2/stats', '/data/aircraft.json', '/re-api/?all', '/compat/v2/mil', '/readyz']) {
    const response = await app.inject(path);
    expect([response.statusCode, response.json().code], path).toEqual([503, 'no-feed']);
    expect(response.json().detail).toContain('no feeder has been connected for 61 s');
    expect(Number(response.headers['retry-after'])).toBeGreaterThan(0);
  }
  // One of several ingests with a feeder is enough.
  report(0, 500_000);
  report(3, 0);
  report(0, 500_000);
  expect((await app.inject('/v2/all')).statusCode).toBe(200);
  pass(61);
  expect((await app.inject('/v2/all')).json().detail).toContain('no ingest has written to the log for 61 s');
  await app.close();
});
