// Real Kafka as infra/local starts it: acknowledged records survive kill -9. Three nodes: three-brokers.test.ts.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { promisify } from 'node:util';
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

/** Appends values to the topic one by one, each acknowledged by all copies in sync. */
async function produce({ brokers }: { brokers: string[] }, values: readonly string[]): Promise<void> {
  const producer = client(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner, idempotent: true });
  // Right after the loss of a node kafkajs may send to that node and not try another.
  await expect.poll(() => producer.connect().then(() => true), { timeout: 240_000 }).toBe(true);
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
  vi.setConfig({ testTimeout: 300_000 });

  let kafka: LocalKafka | undefined;
  afterEach(async () => {
    await kafka?.stop();
    kafka = undefined;
  });

  it('has every acknowledged record after kill -9, on the same port once that is free, and in its folder on another one', async () => {
    const folder = temporaryFolder();
    kafka = await startKafka({ dir: folder.path });
    const { brokers } = kafka;
    const firstPid = kafka.node(0).pid;
    await createTopic(kafka);
    await produce(kafka, numbers(0, 100));
    await kafka.node(0).kill();

    const [host, port] = brokers[0]!.split(':');
    const other = createServer((socket) => socket.destroy()).listen(Number(port), host);
    await once(other, 'listening');
    await expect(kafka.node(0).restart()).rejects.toThrow(/Kafka did not start: the program ended with 1.*Address already in use/s);
    await promisify(other.close.bind(other))();

    await kafka.node(0).restart();
    expect(kafka.brokers).toEqual(brokers);
    expect(kafka.node(0).pid).not.toBe(firstPid);
    await produce(kafka, numbers(100, 110));
    expect(await consume(kafka, 110)).toEqual(numbers(0, 110));

    await kafka.stop();
    kafka = await startKafka({ dir: folder.path });
    expect(await consume(kafka, 110)).toEqual(numbers(0, 110));
    await kafka.stop();
    expect(existsSync(folder.path)).toBe(true);
    folder.remove();
  });
});
