// Real Kafka and Redis that want TLS, passwords and certificates, reached through our own connections.
import { readFileSync } from 'node:fs';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificates } from '../../infra/local/certificates.ts';
import { startSecureKafka } from '../../infra/local/kafka.ts';
import { startRedis } from '../../infra/local/redis.ts';
import { type KafkaConnection, KafkaSockets, kafkaClient, SHORT_RETRY } from '../../pipeline/log/kafka/connection.ts';
import { describeWithKafka, KAFKA_START_MS_MAX } from '../support/kafka.ts';
import { localPrograms } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const redisNeeds = localPrograms('redis-server', 'openssl');

/** Ids of the nodes that answer over this connection. */
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
      'lets a user in by %s, but not with another password',
      async (mechanism) => {
        const connection = kafka.withPassword(mechanism);
        expect(await nodes(connection)).toEqual([1]);
        await expect(nodes({ ...connection, sasl: { ...connection.sasl!, password: 'wrong' } })).rejects.toThrow(/authentication/i);
      },
    );

    it('lets a client in by its certificate, but not without', async () => {
      const connection = kafka.withCertificate;
      expect(await nodes(connection)).toEqual([1]);
      const { caFile } = connection.tls as { caFile: string };
      await expect(nodes({ ...connection, tls: { caFile } })).rejects.toThrow();
    });

    it('has a certificate that only its own authority vouches for', async () => {
      await expect(nodes({ ...kafka.withPassword('plain'), tls: true })).rejects.toThrow(/certificate/);
    });
  },
  'openssl',
);

describe.skipIf(!redisNeeds.met)(`secure Redis ${redisNeeds.met ? '' : redisNeeds.reason}`, () => {
  it('speaks TLS and wants its password', async () => {
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
