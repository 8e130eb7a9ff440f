// Real Kafka and Redis that require TLS, passwords and certificates, over our own connections.
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type KafkaConnection, KafkaSockets, kafkaClient, SHORT_RETRY } from '../../pipeline/log/kafka/connection.ts';
import { openKafkaLog } from '../../pipeline/log/kafka/kafka-log.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { readAll, record, valuesOf, whole } from '../contract/event-log-support.ts';
import { makeCertificates } from '../local/certificates.ts';
import { startSecureKafka } from '../local/kafka.ts';
import { startRedis } from '../local/redis.ts';
import { describeWithKafka, KAFKA_START_MS_MAX } from '../support/kafka.ts';
import { localPrograms } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const redisNeeds = localPrograms('redis-server', 'openssl');

/** Ids of the nodes that respond over this connection. */
async function nodes(connection: KafkaConnection): Promise<number[]> {
  const sockets = new KafkaSockets();
  const admin = kafkaClient(connection, { sockets, retry: { ...SHORT_RETRY, retries: 2 } }).admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).brokers.map(({ nodeId }) => nodeId);
  } finally {
    await admin.disconnect();
    await sockets.close();
  }
}

describeWithKafka(
  'secure Kafka',
  () => {
    let kafka: Awaited<ReturnType<typeof startSecureKafka>>;
    beforeAll(async () => {
      kafka = await startSecureKafka();
    }, KAFKA_START_MS_MAX);
    afterAll(() => kafka?.stop());

    it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
      'accepts a user by %s, and refuses another password',
      async (mechanism) => {
        const connection = kafka.withPassword(mechanism);
        expect(await nodes(connection)).toEqual([1]);
        await expect(nodes({ ...connection, sasl: { ...connection.sasl!, password: 'wrong' } })).rejects.toThrow(/authentication/i);
      },
    );

    it('accepts a client with its certificate, and refuses one without', async () => {
      const connection = kafka.withCertificate;
      expect(await nodes(connection)).toEqual([1]);
      const { caFile } = connection.tls as { caFile: string };
      await expect(nodes({ ...connection, tls: { caFile } })).rejects.toThrow();
    });

    it('carries the log; a refused client gets the reason at once, without a password in it', async () => {
      for (const connection of [kafka.withPassword('scram-sha-512'), kafka.withCertificate]) {
        const namePrefix = `${connection.sasl?.mechanism ?? 'certificate'}.`;
        await ensureTopics(connection, { create: true, replicationFactor: 1, framePartitions: 1, namePrefix });
        const log = await openKafkaLog({ connection, namePrefix });
        await log.append('frames', 0, [record(null, 'over TLS', Date.now())]);
        expect(valuesOf(await readAll(log, whole('frames')))).toEqual(['over TLS']);
        await log.commit({ group: 'g', topic: 'frames', partition: 0, fromOffset: 0, nextOffset: 1, outputs: [] });
        await log.close();
      }
      const said: unknown[] = [];
      const right = kafka.withPassword('plain');
      const refused = [
        { ...right, sasl: { ...right.sasl!, password: 'hunter2' } },
        { ...right, tls: true },
      ];
      for (const connection of refused) {
        const failure = await openKafkaLog({ connection, say: (...what) => said.push(what) }).catch((error: unknown) => error);
        expect(failure).toMatchObject({ code: 'connect.failed' });
        expect(inspect(failure, { depth: 9 }) + JSON.stringify(said)).not.toMatch(new RegExp(`hunter2|${right.sasl!.password}`));
      }
    });

    it('has a certificate that is signed only by its own authority', async () => {
      await expect(nodes({ ...kafka.withPassword('plain'), tls: true })).rejects.toThrow(/certificate/);
    });
  },
  'openssl',
);

describe.skipIf(!redisNeeds.met)(`secure Redis ${redisNeeds.met ? '' : redisNeeds.reason}`, () => {
  it('requires TLS and its password', async () => {
    const folder = temporaryFolder();
    const certificates = makeCertificates(folder.path);
    const redis = await startRedis({ tls: certificates, password: 'secret' });
    expect(redis.url).toMatch(/^rediss:\/\/:secret@/);
    const client = new Redis(redis.url, { tls: { ca: readFileSync(certificates.caFile) } });
    expect(await client.ping()).toBe('PONG');
    client.disconnect();
    const distrustful = new Redis(redis.url, { lazyConnect: true, retryStrategy: null });
    distrustful.on('error', () => {});
    await expect(distrustful.connect()).rejects.toThrow();
    distrustful.disconnect();
    await redis.stop();
    folder.remove();
  });
});
