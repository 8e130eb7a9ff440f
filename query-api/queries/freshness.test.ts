// When data are shown and when they are refused: while they are old or ahead of the wall clock, while clocks are set, without a feeder.
import { expect, it } from 'vitest';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { FeedWatch } from '../../pipeline/view/feed-watch.ts';
import { limits } from '../../schemas/limits/index.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestApi } from '../../test/support/live-view.ts';

const HOUR_MS = 3_600_000;

async function scene(aircraft: number, options: Parameters<typeof createTestApi>[1] = {}) {
  const { app, view } = await createTestApi(aircraft, options);
  const get = async (url: string) => {
    const { statusCode: status, headers, json } = await app.inject(url);
    return { status, headers, body: json() };
  };
  const status = async (url = '/v2/all'): Promise<number> => (await get(url)).status;
  /** A message of an aircraft at a time of the feed, and the tick of that time. */
  const hear = (ms: number, i = 0): void => {
    view.table.applyState(fullState(i, ms));
    view.tick(ms);
  };
  /** Ticks of a silent feed. */
  const pass = (seconds: number): void => {
    view.clockMs += 1000 * seconds;
    view.tick();
  };
  const ageS = async (): Promise<number> => Number((await get('/v2/all')).headers['x-service-data-age']);
  return { view, get, status, hear, pass, ageS };
}

it('responds with 503 before the first snapshot, and once the data are older than 60 s', async () => {
  const { view, get, status, hear, ageS } = await scene(0);
  const early = await get('/v2/all');
  expect([early.status, early.body.code, Number(early.headers['retry-after']) > 0]).toEqual([503, 'no-snapshot', true]);
  expect(await status('/healthz')).toBe(200);
  hear(NOW_MS);
  view.clockMs = NOW_MS + limits.snapshotAgeMsMax;
  expect(await ageS()).toBe(60);
  view.clockMs += 1;
  for (const url of ['/v2/all', '/readyz']) expect(await status(url)).toBe(503);
  view.tick(view.clockMs);
  expect(await status()).toBe(200);
});

it('shows a recording of long ago while it advances, and says how old it is', async () => {
  const { view, status, hear, ageS } = await scene(0);
  const yearAgoMs = NOW_MS - 365 * 24 * HOUR_MS;
  hear(yearAgoMs);
  expect([await status(), await ageS()]).toEqual([200, 3600]);
  view.clockMs += limits.snapshotAgeMsMax + 1;
  expect(await status()).toBe(503);
  view.tick(yearAgoMs + 1000);
  expect(await status()).toBe(200);
});

it('is ready when the view is, and nothing else stands in the way', async () => {
  let reason: string | null = null;
  const { view, get } = await scene(2, { readiness: new Readiness().require('fold', () => reason) });
  expect((await get('/readyz')).body).toEqual({ status: 'ready', aircraft: 2, data_age_seconds: 0 });
  view.ready = false;
  expect((await get('/readyz')).body).toMatchObject({ code: 'not-ready' });
  view.ready = true;
  reason = 'the fold is 90 s behind';
  expect((await get('/readyz')).body).toMatchObject({ status: 503, detail: expect.stringContaining('90 s behind') });
});

it('measures by a steady clock whether data that are ahead of the wall clock advance, and says how far ahead they are', async () => {
  const { view, get, status, hear, ageS } = await scene(0);
  hear(NOW_MS, 1);
  // The wall clock of the whole machine was 5 h ahead until now: data lie in the future.
  const aheadMs = NOW_MS + 5 * HOUR_MS;
  hear(aheadMs);
  const ahead = await get('/v2/all');
  expect([ahead.status, ahead.headers['x-service-data-age'], ahead.headers['x-service-data-ahead']]).toEqual([200, '0', '17999']);
  expect((await get('/readyz')).body).toMatchObject({ status: 'ready', data_age_seconds: 0, data_ahead_seconds: 17_999 });
  view.clockMs += 40_000;
  expect(await ageS()).toBe(40);
  // A wall clock that is set, forward or back, hides nothing.
  for (const byMs of [HOUR_MS, -2 * HOUR_MS]) {
    view.clockMs += byMs;
    view.steadyOffsetMs -= byMs;
    expect(await ageS()).toBe(40);
  }
  view.clockMs += 20_001;
  for (const url of ['/v2/all', '/readyz']) expect(await status(url)).toBe(503);
  hear(aheadMs + 1000);
  expect([await status(), await ageS()]).toEqual([200, 0]);
});

it('shows data of the future after a start only once they advance', async () => {
  const { view, get, status, hear } = await scene(0);
  hear(NOW_MS + HOUR_MS);
  expect((await get('/v2/all')).body).toMatchObject({ status: 503, code: 'no-snapshot' });
  view.tick(NOW_MS + HOUR_MS + 1000);
  expect(await status()).toBe(200);
});

it('counts the age of the data from the newest message: ticks of a silent feed make them no younger', async () => {
  const { view, get, pass, ageS } = await scene(0);
  const agesS = async (): Promise<unknown[]> => [(await get('/readyz')).body.data_age_seconds, await ageS()];
  view.tick();
  pass(20);
  expect(await agesS()).toEqual([20, 20]);
  view.table.applyState(fullState(0, view.clockMs));
  pass(0);
  expect(await agesS()).toEqual([0, 0]);
  pass(48);
  expect(await agesS()).toEqual([48, 48]);
  // It is forgotten, and nothing newer was heard.
  view.table.remove(fullState(0).hex);
  pass(100);
  expect(await agesS()).toEqual([148, 148]);
});

it('names the disk when the log accepts nothing, and serves what is fresh meanwhile', async () => {
  let held: string | null = 'the disk is nearly full';
  const feeds = new FeedWatch(NOW_MS + 300, { heldReason: () => held });
  const { view, get, status } = await scene(1, { feeds });
  view.clockMs += 30_000;
  feeds.note({ ingest: { feeders: 1, withoutFeederMs: 0, aheadMs: 0 } }, view.clockMs);
  view.clockMs += 29_000;
  expect(await status()).toBe(200);
  // First the data are too old, then the status of the ingest is missing, too: the disk is the cause of both.
  for (const ms of [2000, 60_000]) {
    view.clockMs += ms;
    expect((await get('/v2/all')).body).toMatchObject({ code: 'no-feed', detail: 'no live data: the disk is nearly full' });
  }
  held = null;
  expect((await get('/v2/all')).body.detail).toContain('no ingest has written to the log for 91 s');
});

it('responds with 503 after 60 s without a feeder, and with 200 while a feeder hears nothing', async () => {
  const feeds = new FeedWatch(NOW_MS + 300);
  const { view, get, status, pass } = await scene(0, { feeds });
  const report = (feeders: number, withoutFeederMs: number): void =>
    feeds.note({ ingest: { feeders, withoutFeederMs, aheadMs: 0 } }, view.clockMs);
  view.tick();
  // Until an ingest reports, the age of the data decides.
  pass(300);
  expect(await status()).toBe(200);
  report(1, 0);
  pass(60);
  expect((await get('/v2/all')).body).toMatchObject({ total: 0, ac: [] });
  report(0, 30_000);
  pass(30);
  expect(await status()).toBe(200);
  report(0, 60_000);
  pass(1);
  for (const path of ['/v2/all', '/v2/hex/abc123', '/v2/stats', '/data/aircraft.json', '/re-api/?all', '/compat/v2/mil', '/readyz']) {
    const { headers, body } = await get(path);
    const detail = expect.stringContaining('no feeder has been connected for 61 s');
    expect([path, body]).toEqual([path, expect.objectContaining({ status: 503, code: 'no-feed', detail })]);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  }
  // One of several ingests with a feeder is enough.
  for (const [feeders, withoutMs] of [[0, 500_000], [3, 0], [0, 500_000]] as const) report(feeders, withoutMs); // biome-ignore format: a line
  expect(await status()).toBe(200);
  pass(61);
  expect((await get('/v2/all')).body.detail).toContain('no ingest has written to the log for 61 s');
});
