// An upgrade under load: the service, and folds on a real Kafka, start on what commit d8ce8ee (fold version 1) wrote before it was killed. Frames arrive
// while they start, they are killed meanwhile, and an audit proves what they wrote since and names what it cannot compare.
import { afterEach, expect, it } from 'vitest';
import { sumOf } from '../../infra/cluster/runner/metrics-page.ts';
import { PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { latestSnapshot, type StoredSnapshot, versionStarts } from '../../pipeline/fold/snapshot-store.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import { framePartition } from '../../pipeline/ingest/partition.ts';
import type { OpenCluster } from '../../pipeline/log/open-cluster.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { READY_MS_MAX, TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices, startBeastSource } from '../support/feeder.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { squitter, startService } from '../support/service.ts';
import { until } from '../support/until.ts';
import { loadVersion1, VERSION_1_COMMITTED, version1Data } from '../support/version-1-data.ts';

const AIRCRAFT = 100;
const FEED_S = 120;
const PARTITIONS = [0, 1];
/** Heartbeats of idle partitions are always a moment behind. */
const ONE_BATCH_BYTES = 1024;
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

describeWithKafka('folds on a real broker', () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  /** Number of runs so far: each has its own topics. */
  let tries = 0;

  it('take over the topics of version 1 while frames arrive, and one is killed meanwhile', async () => {
    tries += 1;
    const names = { prefix: `upgrade${tries}.`, partitions: PARTITIONS.length };
    const options = { brokers: brokers(), registry: registry(), retention: 'forever', ...names } as const;
    const cluster = await TestCluster.create(options);
    cleanups.push(() => cluster.close());
    const opened = await cluster.cluster();
    await loadVersion1(opened.log, options.registry);
    await appendWaiting(opened);
    const waiting = await framesOfAll(opened, VERSION_1_COMMITTED);
    const ingest = await cluster.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, FEED_S, 1));
    feeder.target = await ingest.listenPort();
    feeder.start();
    cleanups.push(() => feeder.stop());
    const folds = [await cluster.supervise('fold-0'), await cluster.supervise('fold-1')];
    const takeOvers = (): string[] => folds.flatMap(({ process }) => process.output().match(/"versionBefore":1,/g) ?? []);
    await until(() => takeOvers().length === 2, 'both partitions are taken over', READY_MS_MAX);
    await wait(RUN_MS);
    expect(takeOvers()).toHaveLength(2);
    await folds[0]!.process.kill();
    await wait(RUN_MS);
    await feeder.stop();
    await until(
      async () => {
        const samples = await ingest.metrics();
        const received = sumOf(samples, 'squitter_ingest_frames_total');
        return received === feeder.framesSent && sumOf(samples, 'squitter_ingest_backlog_bytes') < ONE_BATCH_BYTES;
      },
      'everything sent is in Kafka',
      READY_MS_MAX,
    );
    expect(await ingest.stop(), ingest.output()).toBe(0);
    await cluster.drained(folds);
    for (const fold of folds) expect(await fold.stop(), fold.process.output()).toBe(0);
    expect(folds.map(({ ends }) => ends)).toEqual([['SIGKILL'], []]);

    const audit = await cluster.audit();
    expect(audit.stdout, audit.stderr).toMatch(PROVED);
    expect(audit.stdout).toContain(`audit: equal: ${waiting + feeder.framesSent} frames, `);
    expect(audit.code).toBe(0);
    // Each frame was folded once, those of version 1 too: a state counts all its messages.
    for (const partition of PARTITIONS) {
      const [begun] = await versionStarts(opened.log, partition);
      const { frames, aircraft } = progressOf(begun!);
      expect(frames).toBe(await framesOf(opened, partition, 'earliest', VERSION_1_COMMITTED));
      expect(aircraft).toBeGreaterThan(2);
      const newest = await latestSnapshot(opened.log, partition, Number.POSITIVE_INFINITY);
      expect(progressOf(newest!).frames).toBe(await framesOf(opened, partition, 'earliest', 'end'));
    }
  });
});

/** Frames that an ingest wrote while no fold ran: the aircraft of version 1 continue, and are folded from its states. */
async function appendWaiting({ log, codecs }: OpenCluster): Promise<void> {
  const frames = simulatedFrames(8, 185).filter(({ timeUs }) => timeUs > 125e6);
  for (const partition of PARTITIONS) {
    const own = frames.filter(({ bytes }) => framePartition(bytes, 0, bytes.length === 7 ? 7 : 14, PARTITIONS.length) === partition);
    await log.append('frames', partition, frameRecords(codecs, batches(own, 20)));
  }
}

async function framesOfAll(cluster: OpenCluster, from: number): Promise<number> {
  let sum = 0;
  for (const partition of PARTITIONS) sum += await framesOf(cluster, partition, from, 'end');
  return sum;
}

async function framesOf({ log, codecs }: OpenCluster, partition: number, from: number | 'earliest', to: number | 'end'): Promise<number> {
  let sum = 0;
  for await (const { records } of log.read({ topic: 'frames', partition, from, to }))
    for (const { value } of records) sum += codecs.FrameBatch.decode(value!).count;
  return sum;
}

const progressOf = ({ bytes, tickMs }: StoredSnapshot) =>
  PartitionFold.restore(bytes, { tickMs: TICK_MS, receiver: null }).progress(tickMs);
