// Batches of the same turn share a request, and each has its own result.
import { expect, test } from 'vitest';
import { kafkaCode } from '../failures.ts';
import type { PartitionBatch } from '../wire/produce-request.ts';
import { SharedProduce } from './shared-produce.ts';

const batch = (partition: number): PartitionBatch => ({ topic: 't', partition, batch: Buffer.alloc(3) });

test('a refused batch fails alone; a lost response fails its whole request', async () => {
  const refusing = new SharedProduce(async (_node, _id, batches) =>
    batches
      .filter(({ partition }) => partition !== 2)
      .map(({ topic, partition }) => ({ topic, partition, code: partition === 1 ? 45 : 0, baseOffset: 7 })),
  );
  const outcome = (write: Promise<number>): Promise<unknown> => write.catch((error: unknown) => kafkaCode(error));
  const writes = [0, 1, 2].map((partition) => outcome(refusing.write('1', null, batch(partition))));
  expect(await Promise.all(writes)).toEqual([7, 'OUT_OF_ORDER_SEQUENCE_NUMBER', 'UNKNOWN']);
  const lost = new SharedProduce(async () => {
    throw new Error('the connection broke');
  });
  const both = [0, 1].map((partition) => lost.write('1', null, batch(partition)));
  for (const write of both) await expect(write).rejects.toThrow('the connection broke');
});
