// A fetch returns committed records only, and never stops at batches that compaction emptied.
import { expect, test } from 'vitest';
import { brokerThat, fetchAsked } from '../../../test/support/kafka-requests.ts';
import { committedRecords, fetchAlone } from './fetch.ts';
import type { AbortedTransaction, Message } from './kafkajs-transport.ts';
import type { BrokerConnection } from './transport.ts';

interface BatchAttributes {
  readonly producer?: string;
  readonly transactional?: boolean;
  readonly control?: boolean;
  readonly key?: Buffer | null;
}

function message(offset: number, { producer = '1', transactional = true, control = false, key = null }: BatchAttributes = {}): Message {
  return {
    offset: String(offset),
    timestamp: '1000',
    key,
    value: Buffer.from(String(offset)),
    isControlRecord: control,
    batchContext: { firstOffset: String(offset), lastOffsetDelta: 0, producerId: producer, inTransaction: transactional },
  };
}

const offsets = (messages: Message[], aborted: AbortedTransaction[], from = 0): number[] =>
  committedRecords(messages, aborted, from).map(({ offset }) => offset);

test('records of aborted transactions and control records are left out', () => {
  const messages = [message(0), message(1, { producer: '2' }), message(2, { control: true }), message(3), message(4, { control: true })];
  expect(offsets(messages, [{ producerId: '1', firstOffset: '0' }])).toEqual([1, 3]);
});

test('overlapping transactions may be listed in any order', () => {
  const aborted = [
    { producerId: '2', firstOffset: '2' },
    { producerId: '1', firstOffset: '0' },
  ];
  const messages = [
    message(0, { producer: '1' }),
    message(1, { producer: '3' }),
    message(2, { producer: '2' }),
    message(3, { producer: '2', control: true }),
    message(4, { producer: '1' }),
    message(5, { producer: '1', control: true }),
  ];
  expect(offsets(messages, aborted)).toEqual([1]);
});

test('a record may have any key, including one that looks like the end of a transaction', () => {
  const messages = [
    message(0, { key: Buffer.from([0, 0, 0, 0]) }),
    message(1),
    message(2, { control: true, key: Buffer.from([0, 0, 0, 0]) }),
  ];
  expect(offsets(messages, [{ producerId: '1', firstOffset: '0' }])).toEqual([]);
});

test('a producer that aborts may also write outside transactions', () => {
  expect(offsets([message(0), message(1, { transactional: false })], [{ producerId: '1', firstOffset: '0' }])).toEqual([1]);
});

test('records before the requested offset are left out', () => {
  expect(offsets([message(0), message(1), message(2)], [], 1)).toEqual([1, 2]);
});

/** A broker with emptied batches up to an offset and a record after it. */
function emptied(until: number): BrokerConnection {
  return brokerThat(async (request) => ({
    responses: fetchAsked(request).map(({ topic, partition, from }) => ({
      topicName: topic,
      partitions: [
        { partition, lastStableOffset: String(until + 1), abortedTransactions: [], messages: from >= until ? [message(until)] : [] },
      ],
    })),
  }));
}

test('batches that compaction emptied are skipped', async () => {
  const broker = emptied(7);
  let offset = 3;
  for (let steps = 0; offset <= 7 && steps < 20; steps += 1) {
    const { nextOffset, records } = await fetchAlone(broker, { topic: 't', partition: 0, offset }, 0);
    expect(records.length).toBe(offset === 7 ? 1 : 0);
    expect(nextOffset).toBe(offset + 1);
    offset = nextOffset;
  }
  expect(offset).toBe(8);
});

test('at the end a fetch does not advance', async () => {
  const { nextOffset } = await fetchAlone(emptied(7), { topic: 't', partition: 0, offset: 8 }, 0);
  expect(nextOffset).toBe(8);
});
