// An upgrade under load: the service starts on what commit d8ce8ee (fold version 1) wrote before it was killed. Frames arrive while it starts, it is killed
// meanwhile, and an audit proves what it wrote since and names what it cannot compare.
import { afterEach, expect, it } from 'vitest';
import { simulatedSlices, startBeastSource } from '../support/feeder.ts';
import { squitter, startService } from '../support/service.ts';
import { version1Data } from '../support/version-1-data.ts';

const AIRCRAFT = 100;
const FEED_S = 120;
const RUN_MS = 1500;
const TAKE_OVERS = /^squitter_fold_take_overs_total 2$/m;
/** Records since the old fold's offset are equal, and there are some. */
const PROVED =
  /^audit: equal: [1-9]\d{2,} frames, [1-9]\d+ positions, 2 partitions; 498 frame records not compared: written by fold version 1, this is version \d+$/m;

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

it('a data folder: opened while frames arrive, killed and opened again', async () => {
  const folder = version1Data();
  cleanups.push(folder.remove);
  const source = await startBeastSource(simulatedSlices(AIRCRAFT, FEED_S, 1));
  cleanups.push(source.close);
  const start = () => startService(folder.path, ['--no-simulation', '--feed', `127.0.0.1:${source.port}`]);
  let service = await start();
  expect(await (await service.get('/metrics')).text()).toMatch(TAKE_OVERS);
  expect(service.output()).toContain('another version of the fold wrote this partition');
  await wait(RUN_MS);
  await service.kill();
  service = await start();
  expect(await (await service.get('/metrics')).text()).not.toMatch(TAKE_OVERS);
  await wait(RUN_MS);
  expect(await service.stop(), service.output()).toBe(0);
  const audit = await squitter(['audit', '--data', folder.path]);
  expect(audit.stdout, audit.stderr).toMatch(PROVED);
  expect(audit.code).toBe(0);
});
