// Appends to brokers that respond when the test says so: one pending request per partition, shared by waiting appends, and none after an error.
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { brokerError, heldBrokers, plainCodec } from '../../../test/support/brokers.ts';
import type { OutgoingRecord } from '../record-block.ts';
import { KafkaAppender } from './appender.ts';
import { KafkaNames } from './names.ts';
import { BatchEncoder } from './produce/record-batch.ts';
import type { WriteRequests } from './produce/write-requests.ts';

const open = (writing: WriteRequests) =>
  new KafkaAppender({
    writing,
    names: new KafkaNames(''),
    brokers: ['here:1'],
    encoder: new BatchEncoder(plainCodec),
    before: async () => undefined,
  });
const records = (...values: string[]): OutgoingRecord[] =>
  values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: 1 }));
const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test('after an error a new producer continues; batches that brokers were not ready for are sent again unchanged', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const failed = expect(appender.append('frames', 0, records('a'))).rejects.toThrow('broken');
  const other = appender.append('frames', 1, records('x', 'y'));
  await turns();
  const next = appender.append('frames', 0, records('b'));
  sends[0]!.fail(new Error('broken'));
  await failed;
  sends[1]!.fail(brokerError('NOT_LEADER_FOR_PARTITION', true));
  await expect.poll(() => sends.length).toBe(4);
  for (const send of sends.slice(2)) send.respond();
  expect([await other, await next]).toEqual([1, 0]);
  void appender.append('frames', 1, records('z'));
  await turns();
  const sent = sends.map(({ partition, producer, sequence, values }) => [partition, producer, sequence, values.join()].join(' '));
  // The former producer finishes its pending batches, and a new one begins. Sequence numbers continue from accepted batches.
  expect(sent.sort()).toEqual(['0 1 0 a', '0 2 0 b', '1 1 0 x,y', '1 1 0 x,y', '1 2 0 z']);
});

test('waiting appends are limited, and rejected when the log is closed, after which nothing is sent again', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const megabyte = [{ key: null, value: Buffer.alloc(1_000_000), timestampMs: 1 }];
  const accepted = Math.floor(limits.kafkaWaitingBytesMax / 1_000_100);
  const waiting = Array.from({ length: accepted }, (_, i) => appender.append('frames', i % 4, megabyte).catch((error: unknown) => error));
  await expect(appender.append('frames', 0, [...megabyte, ...megabyte])).rejects.toMatchObject({
    code: 'log.too_much_waiting',
    retriable: true,
  });
  await turns();
  sends[0]!.respond();
  await turns();
  void appender.append('frames', 0, megabyte).catch(() => undefined);
  appender.close();
  const outcomes = await Promise.all(waiting);
  expect(outcomes[0]).toBe(0);
  for (const outcome of outcomes.slice(1)) expect(outcome).toMatchObject({ code: 'log.closed' });
  const before = sends.length;
  sends[1]!.fail(brokerError('NOT_LEADER_FOR_PARTITION', true));
  await new Promise((resolve) => setTimeout(resolve, 2 * limits.kafkaRetryMs));
  expect(sends.length).toBe(before);
});
