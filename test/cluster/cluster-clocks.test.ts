// Two ingests on a real broker, one with a wall clock that is an hour ahead (libfaketime) and then set right: aircraft of both stay in
// the snapshot, which advances, and responses, readiness, logs and metrics report how far event time is ahead.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { READY_MS_MAX, type ServiceProcess, TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { faketime } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const library = faketime();
const HOUR_S = 3600;
/** Patience for processes on a busy machine. */
const LATE_S = 60;
const AIRCRAFT = 40;
const FEED_S = 240;

interface Picture {
  readonly status: number;
  readonly nowS: number;
  readonly aheadS: number;
  readonly ageS: number;
  /** Addresses heard in the last 3 s. */
  readonly heard: ReadonlySet<string>;
}

async function picture(api: ServiceProcess): Promise<Picture> {
  const response = await api.get('/v2/all');
  const { now = 0, ac = [] } = (await response.json()) as { now?: number; ac?: { hex: string; seen: number }[] };
  const { headers, status } = response;
  const heard = new Set(ac.filter(({ seen }) => seen <= 3).map(({ hex }) => hex));
  return {
    status,
    nowS: now,
    aheadS: Number(headers.get('x-service-data-ahead') ?? 0),
    ageS: Number(headers.get('x-service-data-age')),
    heard,
  };
}

/** Addresses of simulated aircraft. */
function addresses(seed: number): string[] {
  return createTraffic({ aircraft: AIRCRAFT, seed, startUs: 0 }).fleet.map(({ address }) => address.toString(16).padStart(6, '0'));
}

async function metric(service: ServiceProcess, name: string): Promise<number> {
  return sumOf(await service.metrics(), name);
}

describeWithKafka(`ingests whose clocks differ ${library.reason}`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  it.skipIf(!library.met)('by an hour: no aircraft is lost, and every service reports it until the clocks agree', async () => {
    const folder = temporaryFolder();
    cleanups.push(folder.remove);
    const clockFile = join(folder.path, 'clock');
    writeFileSync(clockFile, `+${HOUR_S}\n`);
    const wrongClock = {
      ...{ ...process.env, LD_PRELOAD: library.path, FAKETIME_TIMESTAMP_FILE: clockFile },
      ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    };
    const cluster = await TestCluster.create({
      brokers: brokers(),
      registry: registry(),
      prefix: `clocks.${Date.now()}.`,
      partitions: 4,
    });
    cleanups.push(() => cluster.close());
    const feeders: PacedFeeder[] = [];
    const feed = async (name: string, seed: number, env?: NodeJS.ProcessEnv): Promise<ServiceProcess> => {
      const ingest = await cluster.start('ingest', name, ['--listen', '127.0.0.1:0'], env);
      const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, FEED_S, seed));
      feeder.target = await ingest.listenPort();
      feeder.start();
      feeders.push(feeder);
      cleanups.push(() => feeder.stop());
      return ingest;
    };
    const fold = await cluster.supervise('fold');
    const right = await feed('right', 1);
    const api = await cluster.start('query-api', 'query-api');
    await until(async () => (await picture(api)).heard.size > 10, 'one ingest feeds the picture', READY_MS_MAX);
    expect((await picture(api)).aheadS).toBe(0);

    const ahead = await feed('ahead', 2, wrongClock);
    const fleets = [addresses(1), addresses(2)].map((own, i, all) => own.filter((hex) => !all[1 - i]!.includes(hex)));
    const bothAreShown = ({ heard }: Picture): boolean => fleets.every((own) => own.filter((hex) => heard.has(hex)).length > 10);
    await until(
      async () => {
        const seen = await picture(api);
        return seen.aheadS > HOUR_S - LATE_S && bothAreShown(seen);
      },
      'the aircraft of both are shown, an hour ahead',
      READY_MS_MAX,
    );
    expect((await picture(api)).status).toBe(200);
    await until(async () => (await picture(api)).ageS < 10, 'data are fresh', READY_MS_MAX);
    const ready = await api.get('/readyz');
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({ status: 'ready', warnings: [expect.stringContaining('ahead of the clock of this machine')] }),
    ]);
    expect(await metric(api, 'squitter_view_ahead_seconds')).toBeGreaterThan(HOUR_S - LATE_S);
    expect(await metric(right, 'squitter_ingest_ahead_seconds')).toBeGreaterThan(HOUR_S - LATE_S);
    expect(await metric(ahead, 'squitter_ingest_ahead_seconds')).toBe(0);
    expect([await right.isReady(), await ahead.isReady()]).toEqual([true, true]);
    expect(right.output()).toContain('another ingest appends frames that are newer than the wall clock of this machine');

    // Set right: event time continues from its value at half speed, and so do the aircraft of both.
    writeFileSync(clockFile, '+0\n');
    await until(async () => (await metric(ahead, 'squitter_ingest_ahead_seconds')) > 0, 'the step is seen', READY_MS_MAX);
    const from = await picture(api);
    const startMs = performance.now();
    await until(async () => (await picture(api)).nowS >= from.nowS + 10, 'event time goes on by 10 s', READY_MS_MAX);
    const last = await picture(api);
    expect((last.nowS - from.nowS) / ((performance.now() - startMs) / 1000)).toBeLessThan(0.8);
    expect([last.status, bothAreShown(last)]).toEqual([200, true]);
    const steps = (await ahead.metrics()).filter(({ name }) => name === 'squitter_ingest_clock_steps_total');
    expect(steps.map(({ labels, value }) => [labels['direction'], value])).toEqual(
      expect.arrayContaining([
        ['forward', 0],
        ['back', 1],
      ]),
    );
    expect(ahead.output()).toContain('the wall clock was set back: event time runs at half speed');

    // Records contain the effect of the clocks: a repeated fold gives the same.
    for (const feeder of feeders) await feeder.stop();
    for (const service of [right, ahead, api]) expect(await service.stop(), service.output()).toBe(0);
    await cluster.drained([fold]);
    expect(await fold.stop()).toBe(0);
    const audit = await cluster.audit();
    expect(audit.stdout, audit.stderr).toMatch(/^audit: equal: /m);
  });
});
