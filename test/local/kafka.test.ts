// Real Kafka as infra/local starts it: acknowledged records survive kill -9, and three nodes tolerate the loss of one.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterEach, expect, it, vi } from 'vitest';
import { type LocalKafka, startKafka } from '../../infra/local/kafka.ts';
import { describeWithKafka } from '../support/kafka.ts';
import { temporaryFolder } from '../support/service.ts';

const topic = 'local-test';

function client(brokers: string[]): Kafka {
  // By default a request to a paused node fails after half a minute, and one to a loading coordinator after a few seconds.
  return new Kafka({ brokers, clientId: 'local-test', logLevel: logLevel.NOTHING, requestTimeout: 2000, retry: { retries: 20 } });
}

async function createTopic(kafka: LocalKafka): Promise<void> {
  const admin = client(kafka.brokers).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

/** Ids of the nodes in the cluster. */
async function liveNodes(brokers: string[]): Promise<number[]> {
  const admin = client(brokers).admin();
  await admin.connect();
  const cluster = await admin.describeCluster();
  await admin.disconnect();
  return cluster.brokers.map(({ nodeId }) => nodeId).sort();
}

/** Appends values to the topic one by one, each acknowledged by all copies in sync. */
async function produce({ brokers }: { brokers: string[] }, values: readonly string[]): Promise<void> {
  const producer = client(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner, idempotent: true });
  // Right after the loss of a node kafkajs may send to that node and not try another.
  await expect.poll(() => producer.connect().then(() => true), { timeout: 20_000 }).toBe(true);
  for (const value of values) await producer.send({ topic, acks: -1, messages: [{ value }] });
  await producer.disconnect();
}

/** The first `count` values of the topic. */
async function consume(kafka: LocalKafka, count: number): Promise<string[]> {
  const consumer = client(kafka.brokers).consumer({ groupId: `local-test-${Math.random()}` });
  const values: string[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await new Promise<void>((resolve) => {
    const eachMessage = async ({ message }: { message: { value: Buffer | null } }): Promise<void> => {
      values.push(message.value!.toString());
      if (values.length === count) resolve();
    };
    void consumer.run({ eachMessage });
  });
  await consumer.disconnect();
  return values;
}

const numbers = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => String(from + i));

describeWithKafka('local Kafka', () => {
  vi.setConfig({ testTimeout: 120_000 });

  let kafka: LocalKafka | undefined;
  afterEach(async () => {
    await kafka?.stop();
    kafka = undefined;
  });

  it('has every acknowledged record after kill -9 and a start on the same port', async () => {
    kafka = await startKafka();
    const { brokers } = kafka;
    const firstPid = kafka.node(0).pid;
    await createTopic(kafka);
    await produce(kafka, numbers(0, 100));
    await kafka.node(0).kill();
    await kafka.node(0).restart();
    expect(kafka.brokers).toEqual(brokers);
    expect(kafka.node(0).pid).not.toBe(firstPid);
    await produce(kafka, numbers(100, 110));
    expect(await consume(kafka, 110)).toEqual(numbers(0, 110));
  });

  it('accepts records while one of three nodes is killed, and while one is paused', async () => {
    kafka = await startKafka({ nodes: 3 });
    await createTopic(kafka);
    await produce(kafka, numbers(0, 10));
    await kafka.node(0).kill();
    await produce(kafka, numbers(10, 20));
    await kafka.node(0).restart();
    kafka.node(1).pause();
    // kafkajs waits forever for a paused leader: it connects only to the others, once they have elected a new one.
    const others = { brokers: [kafka.brokers[0]!, kafka.brokers[2]!] };
    await expect.poll(() => liveNodes(others.brokers), { timeout: 20_000, interval: 250 }).toEqual([1, 3]);
    await produce(others, numbers(20, 30));
    kafka.node(1).resume();
    expect(await consume(kafka, 30)).toEqual(numbers(0, 30));
  });

  it('starts with the data of its folder on other ports', async () => {
    const folder = temporaryFolder();
    kafka = await startKafka({ dir: folder.path });
    await createTopic(kafka);
    await produce(kafka, numbers(0, 3));
    await kafka.stop();
    kafka = await startKafka({ dir: folder.path });
    expect(await consume(kafka, 3)).toEqual(numbers(0, 3));
    await kafka.stop();
    expect(existsSync(folder.path)).toBe(true);
    folder.remove();
  });

  it('reports a port in use, and starts once the port is free', async () => {
    kafka = await startKafka();
    await kafka.node(0).kill();
    const [host, port] = kafka.brokers[0]!.split(':');
    const other = createServer().listen(Number(port), host);
    await once(other, 'listening');
    await expect(kafka.node(0).restart()).rejects.toThrow(/Kafka did not start: the program ended with 1.*Address already in use/s);
    other.close();
    await kafka.node(0).restart();
  });
});
