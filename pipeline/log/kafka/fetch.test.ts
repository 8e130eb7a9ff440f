// A fetch returns committed records only, and never stops at batches that compaction emptied.
import { expect, test } from 'vitest';
import { brokerThat, emptiedBatch, fetchResponseOf } from '../../../test/support/brokers.ts';
import { committedRecords, fetchAlone } from './fetch.ts';
import type { AbortedTransaction, Message } from './kafkajs-transport.ts';

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
    batchContext: { producerId: producer, inTransaction: transactional },
  };
}

const control = { control: true };
const one = [{ producerId: '1', firstOffset: '0' }];

test.each<[string, Message[], AbortedTransaction[], number[]]>([
  [
    'records of aborted transactions and control records are left out',
    [message(0), message(1, { producer: '2' }), message(2, control), message(3), message(4, control)],
    one,
    [1, 3],
  ],
  [
    'overlapping transactions may be listed in any order',
    [message(0), message(1, { producer: '3' }), message(2, { producer: '2' }), message(3, { producer: '2', ...control }), message(4)],
    [{ producerId: '2', firstOffset: '2' }, ...one],
    [1],
  ],
  [
    'a record may have any key, including one that looks like the end of a transaction',
    [message(0, { key: Buffer.alloc(4) }), message(1), message(2, { ...control, key: Buffer.alloc(4) })],
    one,
    [],
  ],
  ['a producer that aborts may also write outside transactions', [message(0), message(1, { transactional: false })], one, [1]],
])('%s', (_, messages, aborted, expected) => {
  expect(committedRecords(messages, aborted, 0).map(({ offset }) => offset)).toEqual(expected);
});

async function fetched(offset: number, batches: Buffer, stableEnd: number) {
  const broker = brokerThat(async (request) => request.read(fetchResponseOf(batches, stableEnd)));
  const { nextOffset, records } = await fetchAlone(broker, { topic: 't', partition: 0, offset }, 0);
  return [nextOffset, records.length];
}

test('batches that compaction emptied are crossed in one step; one that is cut off is fetched again', async () => {
  const cut = emptiedBatch(5000, 10).subarray(0, 60);
  expect(await fetched(3, emptiedBatch(0, 5000), 9000)).toEqual([5000, 0]);
  expect(await fetched(3, Buffer.concat([emptiedBatch(0, 5000), emptiedBatch(6000, 10)]), 9000)).toEqual([6010, 0]);
  expect(await fetched(3, Buffer.concat([emptiedBatch(0, 5000), cut]), 9000)).toEqual([5000, 0]);
  expect(await fetched(5000, cut, 9000)).toEqual([5000, 0]);
});
