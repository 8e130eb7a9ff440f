// Real Kafka as infra/local starts it: what was acknowledged is there after kill -9, and three nodes bear the loss of one.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalKafka, startKafka } from '../../infra/local/kafka.ts';
import { localPrograms } from '../support/requirements.ts';
import { temporaryFolder } from '../support/service.ts';

const needed = localPrograms('java', 'mvn');
const topic = 'local-test';

function client(kafka: LocalKafka): Kafka {
  // A paused node keeps a request: by default half a minute passes before it is sent to another one.
  return new Kafka({ brokers: kafka.brokers, clientId: 'local-test', logLevel: logLevel.NOTHING, requestTimeout: 3000 });
}

async function createTopic(kafka: LocalKafka): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

/** Appends values to the topic one by one, each acknowledged by all copies in sync. */
async function produce(kafka: LocalKafka, values: readonly string[]): Promise<void> {
  const producer = client(kafka).producer({ createPartitioner: Partitioners.DefaultPartitioner, idempotent: true });
  await producer.connect();
  for (const value of values) await producer.send({ topic, acks: -1, messages: [{ value }] });
  await producer.disconnect();
}

/** The first `count` values of the topic. */
async function consume(kafka: LocalKafka, count: number): Promise<string[]> {
  const consumer = client(kafka).consumer({ groupId: `local-test-${Math.random()}` });
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

describe.skipIf(!needed.met)(`local Kafka ${needed.met ? '' : needed.reason}`, { timeout: 120_000 }, () => {
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

  it('takes records on while one of three nodes is killed, and while one is paused', async () => {
    kafka = await startKafka({ nodes: 3 });
    await createTopic(kafka);
    await produce(kafka, numbers(0, 10));
    await kafka.node(0).kill();
    await produce(kafka, numbers(10, 20));
    await kafka.node(0).restart();
    kafka.node(1).pause();
    await produce(kafka, numbers(20, 30));
    kafka.node(1).resume();
    await kafka.node(2).kill();
    expect(await consume(kafka, 30)).toEqual(numbers(0, 30));
  });

  it('goes on with the data of its folder on other ports', async () => {
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

  it('says why it does not start where its port is taken, and starts once the port is free', async () => {
    kafka = await startKafka();
    await kafka.node(0).kill();
    const [host, port] = kafka.brokers[0]!.split(':');
    const other = createServer().listen(Number(port), host);
    await once(other, 'listening');
    await expect(kafka.node(0).restart()).rejects.toThrow(/Kafka did not start: it ended with 1.*Address already in use/s);
    other.close();
    await kafka.node(0).restart();
  });
});
