// Appends to brokers that respond when the test says so: one pending request per partition, shared by waiting appends, and none after an error.
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { brokerError, heldBrokers } from '../../../test/support/held-brokers.ts';
import type { OutgoingRecord } from '../record-block.ts';
import { KafkaAppender } from './appender.ts';
import { batchCodec } from './compression.ts';
import { KafkaNames } from './names.ts';
import { BatchEncoder } from './produce/record-batch.ts';
import type { WriteRequests } from './produce/write-requests.ts';

const open = (writing: WriteRequests) =>
  new KafkaAppender({
    writing,
    names: new KafkaNames(''),
    brokers: ['here:1'],
    encoder: new BatchEncoder(batchCodec('none')),
    before: async () => undefined,
  });
const records = (...values: string[]): OutgoingRecord[] =>
  values.map((value) => ({ key: null, value: Buffer.from(value), timestampMs: 1 }));
const turns = () => new Promise((resolve) => setTimeout(resolve, 5));

test('after an error a new producer continues; pending requests of other partitions finish', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const failing = appender.append('frames', 0, records('a'));
  const failed = expect(failing).rejects.toThrow('broken');
  const other = appender.append('frames', 1, records('x'));
  await turns();
  const next = appender.append('frames', 0, records('b'));
  sends[0]!.fail(new Error('broken'));
  await failed;
  await turns();
  expect(sends.map(({ producer }) => producer)).toEqual([1, 1, 2]);
  expect(sends.map(({ sequence }) => sequence)).toEqual([0, 0, 0]);
  sends[1]!.respond();
  await other;
  sends[2]!.respond();
  await next;
});

test('a batch that brokers were not ready for is sent again unchanged; sequence numbers continue only from accepted batches', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const appended = appender.append('frames', 0, records('a', 'b'));
  await turns();
  sends[0]!.fail(brokerError('NOT_LEADER_FOR_PARTITION', true));
  await expect.poll(() => sends.length).toBe(2);
  sends[1]!.respond();
  expect(await appended).toBe(1);
  void appender.append('frames', 0, records('c'));
  await turns();
  expect(sends.map(({ producer, sequence, values }) => [producer, sequence, values])).toEqual([
    [1, 0, ['a', 'b']],
    [1, 0, ['a', 'b']],
    [1, 2, ['c']],
  ]);
});

test('nothing is sent again after the log is closed', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const appended = expect(appender.append('frames', 0, records('a'))).rejects.toMatchObject({ code: 'log.closed' });
  await turns();
  appender.close();
  await appended;
  sends[0]!.fail(brokerError('NOT_LEADER_FOR_PARTITION', true));
  await new Promise((resolve) => setTimeout(resolve, 2 * limits.kafkaRetryMs));
  expect(sends.length).toBe(1);
});

test('waiting appends are limited, and rejected when the log is closed', async () => {
  const { writing, sends } = heldBrokers();
  const appender = open(writing);
  const megabyte = [{ key: null, value: Buffer.alloc(1_000_000), timestampMs: 1 }];
  const waiting: Promise<unknown>[] = [];
  const accepted = Math.floor(limits.kafkaWaitingBytesMax / 1_000_100);
  for (let i = 0; i < accepted; i += 1) waiting.push(appender.append('frames', i % 4, megabyte).catch((error: unknown) => error));
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
});
