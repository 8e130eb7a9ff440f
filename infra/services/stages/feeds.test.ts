// The feeder status that an ingest writes and a query API reads, over a log, with a monotonic clock that the test advances.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { openData } from '../../../pipeline/log/open-data.ts';
import { FeedWatch, followFeeds } from '../../../pipeline/view/feed-watch.ts';
import { feederKey, feederRecord } from '../../../schemas/avro/feeder-record.ts';
import { testSecret } from '../../../test/support/secret.ts';
import { temporaryFolder } from '../../../test/support/service.ts';
import { until } from '../../../test/support/until.ts';
import { startIngest } from './ingest-service.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('distinguishes an ingest without feeders, a silent feeder, and no ingest', async () => {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const { log, codecs } = await openData(folder.path, 'write');
  cleanups.push(() => log.close());
  let skippedMs = 0;
  const steadyMs = (): number => performance.now() + skippedMs;
  const stop = new AbortController();
  let advice: string | null = null;
  const feeds = new FeedWatch(steadyMs(), { feedAdvice: () => advice });
  const taken = vi.spyOn(feeds, 'note');
  // The status of an earlier ingest, which must be ignored.
  const old = feederRecord({ ingest: { feeders: 0, withoutFeederMs: 1e9, aheadMs: 0 } });
  await log.append('feeders', 0, [{ key: feederKey('ingest', 'old'), value: codecs.FeederRecord.encode(old), timestampMs: 1 }]);
  const followed = followFeeds(feeds, { log, codecs, steadyMs, signal: stop.signal, lookMs: 10 });
  cleanups.push(() => {
    stop.abort();
    return followed;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(feeds.isFeedless(steadyMs())).toBe(false);
  const shared: EventLog = Object.assign(Object.create(log) as EventLog, { close: async () => {} });
  const ingest = await startIngest({
    log: shared,
    codecs,
    secret: testSecret,
    instance: 'a',
    listen: { host: '127.0.0.1', port: 0 },
    feeds: [],
    logger: { info() {}, warn() {} },
    time: { wallMs: () => Date.now() + skippedMs, steadyMs },
  });
  const hasNoFeeder = (): boolean => /^no feeder has been connected for \d+ s$/.test(String(feeds.reason(steadyMs())));
  const isFeedless = (): boolean => feeds.isFeedless(steadyMs());

  await until(() => taken.mock.calls.length > 0);
  skippedMs += 61_000;
  await until(hasNoFeeder);
  expect(ingest.stats().withoutFeederMs).toBeGreaterThan(61_000);
  advice = 'connect one';
  expect(feeds.reason(steadyMs())).toMatch(/^no feeder has been connected for \d+ s; connect one$/);
  advice = null;

  // A feeder that is connected and sends nothing.
  const silent: Socket = connect(Number(ingest.listening.split(':')[1]), '127.0.0.1');
  cleanups.push(() => silent.destroy());
  await until(() => !isFeedless());
  skippedMs += 61_000;
  await until(() => !isFeedless());
  silent.destroy();
  await until(() => ingest.stats().connections === 0);
  skippedMs += 61_000;
  await until(hasNoFeeder);

  // A recording counts as a feeder while it plays.
  const endSource = ingest.addSource();
  await until(() => !isFeedless());
  const before = taken.mock.calls.length;
  endSource();
  await until(() => taken.mock.calls.length > before);
  skippedMs += 61_000;
  await until(hasNoFeeder);

  await ingest.stop();
  skippedMs += 61_000;
  expect(isFeedless()).toBe(true);
  expect(feeds.reason(steadyMs())).toMatch(/^no ingest has written to the log for \d+ s$/);
  let last: unknown;
  for await (const { records } of log.read({ topic: 'feeders', partition: 0, from: 'earliest', to: 'end' }))
    for (const { key, value } of records) if (key === feederKey('ingest', 'a')) last = value;
  expect(last).toBeNull();
});
