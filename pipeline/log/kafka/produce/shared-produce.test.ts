// Batches of the same turn share a request, and each has its own result.

import { expect, test } from 'vitest';
import { limits } from '../../../../schemas/limits/index.ts';
import { kafkaCode } from '../failures.ts';
import type { PartitionBatch, ProduceResponse } from '../wire/produce-request.ts';
import { SharedProduce } from './shared-produce.ts';

interface Sent {
  readonly node: string;
  readonly transactionalId: string | null;
  readonly batches: readonly PartitionBatch[];
}

function recorded(respond: (sent: Sent) => ProduceResponse[]): { shared: SharedProduce; sent: Sent[] } {
  const sent: Sent[] = [];
  const shared = new SharedProduce(async (node, transactionalId, batches) => {
    sent.push({ node, transactionalId, batches: [...batches] });
    return respond(sent.at(-1)!);
  });
  return { shared, sent };
}
const batch = (partition: number, bytes = 3, topic = 't'): PartitionBatch => ({ topic, partition, batch: Buffer.alloc(bytes) });
/** Base offset 100 plus the partition for each batch, in another order than requested. */
const allWritten = ({ batches }: Sent): ProduceResponse[] =>
  batches.map(({ topic, partition }) => ({ topic, partition, code: 0, baseOffset: 100 + partition })).reverse();
const partitions = (sent: readonly Sent[]): number[][] => sent.map(({ batches }) => batches.map(({ partition }) => partition));

test('batches of one turn share a request; each node and each transaction has its own', async () => {
  const { shared, sent } = recorded(allWritten);
  const written = [shared.write('1', null, batch(0)), shared.write('1', null, batch(1)), shared.write('2', null, batch(2))];
  written.push(shared.write('1', 'x', batch(3)), shared.write('1', 'x', batch(4, 3, 'other')), shared.write('1', 'y', batch(5)));
  expect(await Promise.all(written)).toEqual([100, 101, 102, 103, 104, 105]);
  expect(partitions(sent)).toEqual([[0, 1], [2], [3, 4], [5]]);
  expect(await shared.write('1', null, batch(0))).toBe(100);
  expect(sent.length).toBe(5);
});

test('a request has each partition once, and at most the allowed bytes', async () => {
  const { shared, sent } = recorded(allWritten);
  const large = limits.kafkaProduceBytesMax - 3;
  await Promise.all([batch(0), batch(0), batch(1), batch(2, large), batch(3), batch(4)].map((each) => shared.write('1', null, each)));
  expect(partitions(sent)).toEqual([[0], [0, 1], [2, 3], [4]]);
});

test('a refused batch fails alone; a lost response fails its whole request', async () => {
  const refusing = recorded(({ batches }) =>
    batches
      .filter(({ partition }) => partition !== 2)
      .map(({ topic, partition }) => ({ topic, partition, code: partition === 1 ? 45 : 0, baseOffset: 7 })),
  );
  const outcome = (write: Promise<number>): Promise<unknown> => write.catch((error: unknown) => kafkaCode(error));
  const writes = [0, 1, 2].map((partition) => outcome(refusing.shared.write('1', null, batch(partition))));
  expect(await Promise.all(writes)).toEqual([7, 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN']);
  const lost = recorded(() => {
    throw new Error('the connection broke');
  });
  const both = [0, 1].map((partition) => lost.shared.write('1', null, batch(partition)));
  for (const write of both) await expect(write).rejects.toThrow('the connection broke');
});
