// What releases wrote: of each a data folder, and the folder of a Kafka with its schemas. Every later version reads and continues both.
// `ARCHIVE=new npx vitest run test/cluster/release-archive` writes the archive of this version, and then tests all.
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { frameRecords } from '../../pipeline/ingest/frame-records.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { dataSecretPath } from '../../pipeline/runtime/installation-secret.ts';
import { type TopicId, topicIds, topics } from '../../schemas/topics.ts';
import { batches, simulatedFrames } from '../bench/frames.ts';
import { readAll, whole } from '../contract/event-log-support.ts';
import { startKafka } from '../local/kafka.ts';
import { startRegistry } from '../local/registry.ts';
import { START_US } from '../properties/traffic.ts';
import { TestCluster } from '../support/cluster.ts';
import { PacedFeeder, simulatedSlices } from '../support/feeder.ts';
import { foldToEnd } from '../support/folded-log.ts';
import { describeWithKafka, KAFKA_START_MS_MAX } from '../support/kafka.ts';
import { projectDir } from '../support/requirements.ts';
import { TEST_SECRET_FILE } from '../support/secret.ts';
import { type Run, squitter, startService, temporaryFolder } from '../support/service.ts';

const ARCHIVES = join(projectDir, 'test/cluster/archives');
const AIRCRAFT = 12;
const FEED_S = 6;
/** Topics that have records after a few seconds of traffic. */
const WRITTEN: readonly TopicId[] = ['frames', 'positions', 'aircraft', 'progress', 'snapshots', 'flights', 'feeders'];
const PARTITIONS = 2;
/** Time of the first simulated frame. */

/** Kafka, the registry on it, and the services' topics in this folder. */
async function openCluster(folder: string) {
  const kafka = await startKafka({ dir: join(folder, 'kafka') });
  const registry = await startRegistry({ brokers: kafka.brokers });
  const options = { brokers: kafka.brokers, registry: registry.url, prefix: '', partitions: PARTITIONS, retention: 'forever' as const };
  const cluster = await TestCluster.create(options);
  const close = async (): Promise<void> => {
    await cluster.close();
    await registry.stop();
    await kafka.stop();
  };
  /** Receives, folds and observes the traffic of some seconds. */
  const feed = async (): Promise<void> => {
    const ingest = await cluster.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    const fold = await cluster.supervise('fold');
    const flights = await cluster.start('flights', 'flights');
    const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, FEED_S, 1));
    feeder.target = await ingest.listenPort();
    feeder.start();
    await feeder.done;
    expect(await ingest.stop(), ingest.output()).toBe(0);
    await cluster.drained([fold]);
    for (const service of [fold, flights]) expect(await service.stop()).toBe(0);
  };
  return { cluster, feed, close };
}

async function writeArchive(): Promise<void> {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  mkdirSync(data);
  copyFileSync(TEST_SECRET_FILE, dataSecretPath(data));
  chmodSync(dataSecretPath(data), 0o600);
  const service = await startService(data, ['--simulate', String(AIRCRAFT)]);
  await sleep(1000 * FEED_S);
  expect(await service.stop(), service.output()).toBe(0);
  const { feed, close } = await openCluster(folder.path);
  await feed();
  await close();
  const without = ['log4j2.xml', 'kafka.log', 'server.properties', 'lock.mdb'].map((name) => `--exclude=${name}`);
  execFileSync('tar', ['-C', folder.path, '-S', '-czf', join(ARCHIVES, `${version}.tar.gz`), ...without, 'data', 'kafka']);
  folder.remove();
}

/** Frames of the audit. */
function framesOf({ stdout, stderr }: Run): number {
  const [, frames] = /^audit: equal: (\d+) frames, [1-9]\d* positions/m.exec(stdout) ?? [];
  expect(frames, stdout + stderr).toBeDefined();
  return Number(frames);
}

/** Every value is read by this version. */
async function expectReadable(log: EventLog, codecs: Codecs): Promise<void> {
  for (const topic of topicIds) {
    const { value: name } = topics[topic];
    let count = 0;
    for (let partition = 0; partition < log.partitions(topic); partition += 1)
      for (const { value } of await readAll(log, whole(topic, partition))) {
        if (value !== null && name !== 'bytes') codecs[name].decode(value);
        count += 1;
      }
    if (WRITTEN.includes(topic)) expect([topic, count > 0]).toEqual([topic, true]);
  }
}

const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
const isNew = process.env['ARCHIVE'] === 'new';
const released = readdirSync(ARCHIVES).map((name) => name.replace('.tar.gz', ''));

describeWithKafka('an archive', () => {
  beforeAll(() => (isNew ? writeArchive() : undefined), 2 * KAFKA_START_MS_MAX);

  describe.each([...new Set([...released, ...(isNew ? [version] : [])])])('of version %s', (name) => {
    const folder = temporaryFolder();
    beforeAll(() => execFileSync('tar', ['-C', folder.path, '-xzf', join(ARCHIVES, `${name}.tar.gz`)]));
    afterAll(folder.remove);

    it('has a data folder that is whole, equals its frames, and is continued', async () => {
      const data = ['--data', join(folder.path, 'data')];
      expect((await squitter(['log', 'check', ...data])).stdout).toMatch(/^log: whole: /m);
      const frames = framesOf(await squitter(['audit', ...data]));
      const opened = await openData(join(folder.path, 'data'), 'write');
      await expectReadable(opened.log, opened.codecs);
      const later = 1000 * Date.now() - START_US;
      const more = simulatedFrames(AIRCRAFT, FEED_S).map((frame) => ({ ...frame, timeUs: frame.timeUs + later }));
      await opened.log.append('frames', 0, frameRecords(opened.codecs, batches(more)));
      await foldToEnd(opened);
      await opened.log.close();
      expect(framesOf(await squitter(['audit', ...data]))).toBe(frames + more.length);
    });

    it('has topics that are read by a cluster, equal their frames, and are continued', async () => {
      const { cluster, feed, close } = await openCluster(folder.path);
      try {
        const { log, codecs } = await cluster.cluster();
        await expectReadable(log, codecs);
        const frames = framesOf(await cluster.audit());
        await feed();
        expect(framesOf(await cluster.audit())).toBeGreaterThan(frames);
      } finally {
        await close();
      }
    });
  });
});
