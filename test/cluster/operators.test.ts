// `squitter feeders` and `squitter keys` with --brokers: they read and append by themselves, and the services follow.
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import type { FeederReport } from '../../infra/services/feeder-report.ts';
import { appendPart } from '../../pipeline/feeders/feeder-writer.ts';
import { beastUuidMessage } from '../../pipeline/ingest/beast-writer.ts';
import { dataSecretPath, openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import { TestCluster } from '../support/cluster.ts';
import { simulatedSlices } from '../support/feeder.ts';
import { describeWithKafka, sharedKafka, sharedRegistry } from '../support/kafka.ts';
import { TEST_SECRET_FILE, testIds } from '../support/secret.ts';
import { type Run, squitter, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const PREFIX = 'operators.';
const UUID = '01234567-89ab-cdef-0123-456789abcdef';
const id = testIds.ofUuid(UUID);

describeWithKafka("operators' commands on a real broker", () => {
  const brokers = sharedKafka();
  const registry = sharedRegistry();
  const cleanUps: (() => unknown)[] = [];
  afterEach(async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  });
  const command = (words: readonly string[], secretFile = TEST_SECRET_FILE): Promise<Run> => {
    const cluster = ['--brokers', brokers().join(','), '--registry', registry(), '--secret-file', secretFile];
    return squitter([...words, ...cluster], { env: { SQUITTER_KAFKA_PREFIX: PREFIX } });
  };
  const reportFrom = async (...words: string[]): Promise<FeederReport> => {
    const run = await command([...words, '--json']);
    expect([run.code, run.stderr]).toEqual([0, '']);
    return JSON.parse(run.stdout) as FeederReport;
  };

  it('show, ban and unban a feeder of a running ingest, and revoke its keys', async () => {
    const folder = temporaryFolder();
    cleanUps.push(folder.remove);
    openDataSecret(folder.path);
    const cluster = await TestCluster.create({ brokers: brokers(), registry: registry(), prefix: PREFIX, partitions: 2 });
    cleanUps.push(() => cluster.close());
    const ingest = cluster.launch('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
    const port = await ingest.listenPort();
    const feed = (): Socket => {
      const socket = connect(port, '127.0.0.1');
      cleanUps.push(() => socket.destroy());
      socket.on('error', () => {});
      socket.write(beastUuidMessage(UUID));
      for (const { bytes } of simulatedSlices(10, 1, 1)) socket.write(bytes);
      return socket;
    };
    const feeder = feed();
    const target = await cluster.cluster();
    const part = { generation: 1, previousEndsMs: 0, revokedBelow: 0 };
    await appendPart(target, 'keys', { id, part, timeMs: Date.now() });
    await until(async () => (await command(['feeders', 'list'])).stdout.includes(`${id}  connected`), 'the feeder in the list');

    // Another secret would make other ids: nothing is read or written with it.
    const other = await command(['feeders', 'ban', UUID], dataSecretPath(folder.path));
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('[secret.differs]')]);
    expect(await reportFrom('keys', 'revoke', UUID)).toMatchObject({ id, key: { generation: 2, revoked_below: 2 }, ban: null });
    expect(await reportFrom('feeders', 'ban', UUID, '--reason', 'noise')).toMatchObject({ ban: { reason: 'noise', with_address: false } });
    await until(() => feeder.destroyed, 'the end of its connection');
    const again = feed();
    await until(() => again.destroyed, 'the end of the next one');
    expect(await reportFrom('feeders', 'unban', id)).toMatchObject({ ban: null });
    const last = feed();
    await until(async () => (await reportFrom('feeders', 'show', id)).connected, 'its connection');
    expect(last.destroyed).toBe(false);
  });
});
