// Ingests of the cluster that are killed under load, at named points of their work and at random moments: what Kafka acknowledged is there, once.
import { afterEach, expect, it } from 'vitest';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import { TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { appendPoints, KillJournal, type KillPoint, keptFrames } from '../support/kill-journal.ts';
import { temporaryFolder } from '../support/service.ts';

const POINTS: readonly (KillPoint | null)[] = [...appendPoints, null];
/** Longer than the test: the feed is stopped at its end. */
const FEED_S = 300;
const AIRCRAFT = 200;
/** Appends of a partition come twenty times a second. */
const PASSES_MAX = 60;
const MOMENT_MS_MAX = 1500;
const SEED = Number(process.env['SQUITTER_FAULT_SEED'] ?? (Date.now() % 1_000_000) + 1);

describeWithKafka(`an ingest on a real broker (seed ${SEED})`, () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });

  it('kill -9 under load loses nothing that was acknowledged, and the next one writes nothing again', { timeout: 600_000 }, async () => {
    const random = new Random(SEED);
    const folder = temporaryFolder();
    cleanUps.push(folder.remove);
    const journal = new KillJournal(folder.path);
    const cluster = await TestCluster.create({ brokers: brokers(), registry: registry(), prefix: 'ingests.', partitions: 4 });
    cleanUps.push(() => cluster.close());
    const slices = [...simulatedSlices(AIRCRAFT, FEED_S, 1)];
    const feeder = new PacedFeeder(slices);
    cleanUps.push(() => feeder.stop());
    feeder.start();
    const start = async (point: KillPoint | null, nth: number) => {
      const env = { ...process.env, ...journal.env(point, nth) };
      const ingest = cluster.launch('ingest', 'ingest', ['--listen', '127.0.0.1:0'], env);
      feeder.target = await ingest.listenPort();
      return ingest;
    };

    const expected: KillPoint[] = [];
    for (const point of POINTS) {
      const ingest = await start(point, 1 + random.below(PASSES_MAX));
      if (point === null) {
        await ingest.untilReady();
        await new Promise((resolve) => setTimeout(resolve, random.between(0, MOMENT_MS_MAX)));
        await ingest.kill();
      } else expected.push(point);
      expect(await ingest.ended, ingest.output()).toBe('SIGKILL');
    }
    // Proof of the fault.
    expect(journal.hits()).toEqual(expected);

    const last = await start(null, 1);
    await last.untilReady();
    await feeder.stop();
    expect(await last.stop(), last.output()).toBe(0);
    const found = await keptFrames(await cluster.cluster(), journal, slices);
    expect([found.lost, found.twice]).toEqual([[], []]);
    expect(found.acknowledged).toBeGreaterThan(1000);
  });
});
