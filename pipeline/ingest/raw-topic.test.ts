// RAW_TOPIC.md is a contract: its numbers match the code, and its partitions match another Kafka client.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { frameBatchSchema } from '../../schemas/avro/frame-batch.ts';
import { limits } from '../../schemas/limits/index.ts';
import {
  FLAG_LONG,
  FLAG_MLAT,
  FLAG_REPAIRED_SHIFT,
  PACKED_COUNTER,
  PACKED_DATA,
  PACKED_FLAGS,
  PACKED_FRAME_BYTES,
  PACKED_RECEIVER,
  PACKED_SIGNAL,
  PACKED_TIME,
} from '../../schemas/packed-frame.ts';
import { FRAME_PARTITIONS_CLUSTER, FRAME_PARTITIONS_EMBEDDED, topics } from '../../schemas/topics.ts';
import { addressPartition, frameAddress, framePartition, murmur2OfAddress } from './partition.ts';

const text = readFileSync(join(import.meta.dirname, 'RAW_TOPIC.md'), 'utf8');

/** Rows of the table whose first column is named `head`, as cells without back quotes. */
function rows(head: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

test('the layout table has the offsets of the code', () => {
  const starts = rows('byte').map(([bytes]) => Number(bytes!.split('-')[0]));
  expect(starts).toEqual([PACKED_TIME, PACKED_COUNTER, PACKED_SIGNAL, PACKED_FLAGS, PACKED_RECEIVER, PACKED_DATA]);
  expect(rows('byte').at(-1)![0]!.split('-')[1]).toBe(String(PACKED_FRAME_BYTES - 1));
  expect([FLAG_LONG, FLAG_MLAT, 1 << FLAG_REPAIRED_SHIFT, 2 << FLAG_REPAIRED_SHIFT]).toEqual([1, 2, 4, 8]);
});

test('the contract has the numbers of the topic table and the limits', () => {
  const { frames } = topics;
  expect(text).toContain(`# The raw topic: \`${frames.name}\``);
  expect(text).toContain(`| ${FRAME_PARTITIONS_CLUSTER} in a cluster, ${FRAME_PARTITIONS_EMBEDDED} embedded;`);
  expect(text).toContain(
    `| \`${frames.cleanup}\`, ${frames.retentionMs / 86_400_000} days (embedded: also ${frames.bytesMax / 1024 ** 3} GiB`,
  );
  expect(text).toContain(`at most ${frames.recordBytesMax.toLocaleString('en-US')} bytes`);
  expect(text).toContain(`up to ${limits.frameBatchBytesMax / 1024} KB, or the frames of ${limits.frameBatchAgeMsMax} ms`);
  expect(text).toContain(`gets one every ${limits.heartbeatIdleMs} ms`);
  for (const { name } of frameBatchSchema.fields) expect(text).toMatch(new RegExp(`^  ${name} `, 'm'));
});

test('the partition vectors are right for our partitioner and for kafkajs', () => {
  const vectors = rows('address');
  expect(vectors.length).toBeGreaterThan(5);
  for (const [address, hash, of12, of2] of vectors) {
    const number = Number.parseInt(address!, 16);
    expect([murmur2OfAddress(number), addressPartition(number, 12), addressPartition(number, 2)].map(String)).toEqual([hash, of12, of2]);
    expect(String(partitionOfKafkajs(address!, 12))).toBe(of12);
  }
});

test('the frame vectors are right', () => {
  const vectors = rows('frame');
  expect(vectors.length).toBe(3);
  for (const [frame, address, of12] of vectors) {
    const bytes = Buffer.from(frame!.split(' ')[0]!, 'hex');
    const length = bytes.length === 7 ? 7 : 14;
    expect(frameAddress(bytes, 0, length).toString(16)).toBe(address);
    expect(String(framePartition(bytes, 0, length, 12))).toBe(of12);
  }
});

function partitionOfKafkajs(key: string, partitions: number): number {
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, leader: 1 }));
  return kafkajs.Partitioners.DefaultPartitioner()({
    topic: topics.frames.name,
    partitionMetadata: partitionMetadata as never,
    message: { key, value: null },
  });
}
