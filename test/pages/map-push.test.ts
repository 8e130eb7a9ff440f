// The map over a cluster whose push service is killed: it says so, and goes on with the next one, with no reload.
import { afterAll, expect, test } from 'vitest';
import { openBrowser } from '../support/browser.ts';
import { TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { COUNTED, elsewhere, WATCHED } from '../support/map-page.ts';
import { chromium } from '../support/requirements.ts';
import { freePort } from '../support/service.ts';

const program = chromium();
const AIRCRAFT = 30;
const env = { ...process.env, SQUITTER_PUSH_SECRET: 'a-secret-of-this-test' };

describeWithKafka(`the map and a push service ${program.met ? '' : program.reason}`, () => {
  const [brokers, registry] = [sharedKafka(), sharedRegistry()];
  const cleanups: (() => unknown)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups.reverse()) await cleanup();
  });

  test.skipIf(!program.met)('goes on after kill -9 of the push service', async () => {
    const cluster = await TestCluster.create({ brokers: brokers(), registry: registry(), prefix: `map.${Date.now()}.`, partitions: 1 });
    cleanups.push(() => cluster.close());
    const push = `127.0.0.1:${await freePort()}`;
    const startPush = (name: string) => cluster.start('push', name, ['--push', push], env);
    const [ingest, api, first] = await Promise.all([
      cluster.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']),
      cluster.start('query-api', 'query-api', ['--push-upstream', push], env),
      startPush('push'),
      cluster.start('fold', 'fold'),
    ]);
    const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, Number.POSITIVE_INFINITY, 1));
    feeder.target = await ingest.listenPort();
    feeder.start();
    const browser = await openBrowser(program.path);
    cleanups.push(
      () => feeder.stop(),
      () => browser.close(),
    );
    const page = await browser.open(`${api.url}/`, { init: WATCHED });
    await page.until(COUNTED);
    await page.until('globalThis.picture.count > 0');
    await page.evaluate('globalThis.isSame = true');
    expect(page.complaints).toEqual([]);
    await first.kill();
    await page.until("/trying again/.test(document.getElementById('counts').textContent)");
    const before = await page.evaluate<number>('globalThis.picture.nowMs');
    await startPush('push-again');
    await page.until(`globalThis.picture.nowMs > ${before} && globalThis.picture.count > 0`);
    await page.until("/^\\d+ aircraft, \\d+ with a position$/.test(document.getElementById('counts').textContent)");
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
    expect(elsewhere(page.requests, `${api.url}/`)).toEqual([]);
  });
});
