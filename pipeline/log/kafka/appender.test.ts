// Appends through a producer that we hold: one request under way per partition, what waits shares the next, and nothing is sent after an error.
import kafkajs, { type Kafka, type ProducerRecord } from 'kafkajs';
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import type { OutgoingRecord } from '../event-log.ts';
import { KafkaAppender } from './appender.ts';
import { KafkaNames } from './names.ts';

interface Sent {
  readonly producer: number;
  readonly partition: number;
  readonly values: string[];
  answer(): void;
  fail(error: Error): void;
}

/** Producers whose sends are answered when the test says so; offsets count as a broker counts them. */
function heldKafka() {
  const sends: Sent[] = [];
  const closed: number[] = [];
  const ends = new Map<number, number>();
  let producers = 0;
  const producer = () => {
    producers += 1;
    const number = producers;
    return {
      connect: async () => undefined,
      disconnect: async () => void closed.push(number),
      send: ({ messages }: ProducerRecord) =>
        new Promise((resolve, reject) => {
          const partition = messages[0]!.partition!;
          sends.push({
            producer: number,
            partition,
            values: messages.map(({ value }) => String(value)),
            answer() {
              const baseOffset = ends.get(partition) ?? 0;
              ends.set(partition, baseOffset + messages.length);
              resolve([{ baseOffset: String(baseOffset) }]);
            },
            fail: reject,
          });
        }),
    };
  };
  return { kafka: { producer } as unknown as Kafka, sends, closed };
}

const open = (kafka: Kafka, sequenceMax?: number) =>
  new KafkaAppender({
    kafka,
    names: new KafkaNames(''),
    brokers: ['here:1'],
    compression: kafkajs.CompressionTypes.None,
    before: async () => undefined,
    ...(sequenceMax === undefined ? {} : { sequenceMax }),
  });
const records = (...values: string[]): OutgoingRecord[] =>
  values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: 1 }));
const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test('a partition has one request under way; what waits shares the next one, and each append learns its own offset', async () => {
  const { kafka, sends } = heldKafka();
  const appender = open(kafka);
  const first = appender.append('frames', 0, records('a'));
  const other = appender.append('frames', 1, records('x', 'y'));
  await turns();
  const later = [records('b', 'c'), records('d'), []].map((each) => appender.append('frames', 0, each));
  await turns();
  expect(sends.map(({ partition, values }) => [partition, values])).toEqual([
    [0, ['a']],
    [1, ['x', 'y']],
  ]);
  sends[0]!.answer();
  sends[1]!.answer();
  await turns();
  expect(sends.length).toBe(3);
  expect(sends[2]!.values).toEqual(['b', 'c', 'd']);
  sends[2]!.answer();
  expect(await Promise.all([first, other, ...later])).toEqual([0, 1, 2, 3, 3]);
});

test('an append larger than a record batch is sent in parts', async () => {
  const { kafka, sends } = heldKafka();
  const appended = open(kafka).append('frames', 0, records('a'.repeat(700_000), 'b'.repeat(700_000)));
  await turns();
  sends[0]!.answer();
  await turns();
  sends[1]!.answer();
  expect(await appended).toBe(1);
  expect(sends.map(({ values }) => values.map((value) => value[0]))).toEqual([['a'], ['b']]);
});

test('after an error another producer goes on; what was under way in other partitions ends as it ends', async () => {
  const { kafka, sends, closed } = heldKafka();
  const appender = open(kafka);
  const failing = appender.append('frames', 0, records('a'));
  const failed = expect(failing).rejects.toThrow('broken');
  const other = appender.append('frames', 1, records('x'));
  await turns();
  const next = appender.append('frames', 0, records('b'));
  sends[0]!.fail(new Error('broken'));
  await failed;
  await turns();
  expect(sends.map(({ producer }) => producer)).toEqual([1, 1, 2]);
  expect(closed).toEqual([]);
  sends[1]!.answer();
  await other;
  await turns();
  expect(closed).toEqual([1]);
  sends[2]!.answer();
  await next;
});

test('a producer is renewed long before its sequence numbers end', async () => {
  const { kafka, sends, closed } = heldKafka();
  const appender = open(kafka, 3);
  for (const value of ['a', 'b', 'c', 'd']) {
    const appended = appender.append('frames', 0, records(value, value));
    await turns();
    sends.at(-1)!.answer();
    await appended;
  }
  expect(sends.map(({ producer }) => producer)).toEqual([1, 1, 2, 2]);
  expect(closed).toEqual([1, 2]);
});

test('what waits is limited, and refused when the log is closed', async () => {
  const { kafka, sends } = heldKafka();
  const appender = open(kafka);
  const megabyte = [{ key: null, value: Buffer.alloc(1_000_000), timestampMs: 1 }];
  const waiting: Promise<unknown>[] = [];
  const accepted = Math.floor(limits.kafkaWaitingBytesMax / 1_000_100);
  for (let i = 0; i < accepted; i += 1) waiting.push(appender.append('frames', i % 4, megabyte).catch((error: unknown) => error));
  await expect(appender.append('frames', 0, [...megabyte, ...megabyte])).rejects.toMatchObject({
    code: 'log.too_much_waiting',
    retriable: true,
  });
  await turns();
  sends[0]!.answer();
  await turns();
  void appender.append('frames', 0, megabyte).catch(() => undefined);
  await appender.close();
  const outcomes = await Promise.all(waiting);
  expect(outcomes[0]).toBe(0);
  for (const outcome of outcomes.slice(1)) expect(outcome).toMatchObject({ code: 'log.closed' });
});
