// Record batches: kafkajs decodes any batch correctly, of a list and of a block, which returns its records; and the limits of a batch.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../../schemas/limits/index.ts';
import { plainCodec, readBatch } from '../../../../test/support/brokers.ts';
import { listOf, type OutgoingRecord, RecordBlock, recordsOf } from '../../record-block.ts';
import { type BatchCodec, batchCodec, gzip } from '../compression.ts';
import { crc32c } from './crc32c.ts';
import { BatchEncoder } from './record-batch.ts';

const plainEncoder = new BatchEncoder(plainCodec);
const plain = { id: 0n, epoch: 0, transactionalId: null };

const records: fc.Arbitrary<OutgoingRecord[]> = fc.array(
  fc.record({
    key: fc.option(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.stringMatching(/^[0-9a-f]{6}$/)), { nil: null }),
    value: fc.option(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      { nil: null },
    ),
    timestampMs: fc.oneof(fc.nat(100), fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }), fc.nat(2 ** 51)),
  }),
  { minLength: 1, maxLength: 500 },
);
const producers = fc.record({
  id: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
  epoch: fc.integer({ min: -1, max: 0x7fff }),
  transactionalId: fc.constantFrom(null, 'fold/frames/0'),
});

/** Writes a block again, as a stage does. */
function fill(block: RecordBlock, records: readonly OutgoingRecord[]): void {
  block.clear();
  for (const { key, value, timestampMs } of records) {
    block.writer.characters(key!);
    block.endKey();
    if (value === null) {
      block.endTombstone(timestampMs);
      continue;
    }
    block.writer.reserve(value.length);
    block.writer.copy(value, 0, value.length);
    block.end(timestampMs);
  }
}

test.each<[string, BatchCodec]>([
  ['no codec', plainCodec],
  ['gzip', gzip],
  ['zstd', batchCodec()],
])('kafkajs reads back what was written, compressed with %s', async (_, codec) => {
  const encoder = new BatchEncoder(codec);
  const block = new RecordBlock();
  await fc.assert(
    fc.asyncProperty(records, producers, fc.nat(0x7fff_ffff), async (written, producer, sequence) => {
      const { bytes, count } = encoder.encode(recordsOf(written), 0, sequence, producer);
      expect(count).toBe(written.length);
      const times = written.map(({ timestampMs }) => timestampMs);
      const batch = await readBatch(bytes);
      expect(batch).toMatchObject({
        firstOffset: '0',
        lastOffsetDelta: count - 1,
        firstTimestamp: String(times[0]),
        maxTimestamp: String(Math.max(...times)),
        inTransaction: producer.transactionalId !== null,
        isControlBatch: false,
        producerId: String(producer.id),
        producerEpoch: producer.epoch,
        firstSequence: sequence,
      });
      expect(
        batch.records.map(({ offset, timestamp, key, value }) => [Number(offset), Number(timestamp), key?.toString() ?? null, value]),
      ).toEqual(written.map(({ key, value, timestampMs }, i) => [i, timestampMs, key, value]));
      expect(bytes.readInt32BE(8)).toBe(bytes.length - 12);
      expect(bytes.readUInt32BE(17)).toBe(crc32c(bytes.subarray(21)));
      const keyed = written.filter(({ key }) => key !== null);
      fill(block, keyed);
      expect(listOf(block)).toEqual(keyed);
      if (keyed.length === 0) return;
      const from = keyed.length >> 1;
      expect(encoder.encode(block, from, sequence, producer)).toEqual(encoder.encode(recordsOf(keyed), from, sequence, producer));
    }),
    { numRuns: 100 },
  );
});

// RFC 3720 §B.4, and the check value of checksum catalogues.
test.each([
  [Buffer.alloc(32, 0xff), 0x62a8_ab43],
  [Buffer.from('123456789'), 0xe306_9283],
])('CRC-32C has its published values', (bytes, crc) => expect(crc32c(bytes)).toBe(crc));

describe('a batch ends', () => {
  const record = (bytes: number, key: string | null = null): OutgoingRecord => ({ key, value: Buffer.alloc(bytes), timestampMs: 1000 });

  test('before it is too large, in order, with no record left out', async () => {
    const all = Array.from({ length: 50 }, (_, i) => record(1 + ((i * 7919) % 400_000), `${i}`));
    const keys: string[] = [];
    for (let at = 0; at < all.length; ) {
      const { bytes, count } = plainEncoder.encode(recordsOf(all), at, 0, plain);
      expect(bytes.length).toBeLessThan(limits.kafkaMessageBytesMax);
      keys.push(...(await readBatch(bytes)).records.map(({ key }) => key!.toString()));
      at += count;
    }
    expect(keys).toEqual(all.map(({ key }) => key));
  });

  test('but holds at least one record, and thousands of small ones; a full one fits the topic even if compression makes it slightly larger', () => {
    expect(limits.kafkaBatchBytesMax * 1.01).toBeLessThan(limits.kafkaMessageBytesMax);
    expect(limits.kafkaFetchBytesMax).toBeGreaterThanOrEqual(limits.kafkaMessageBytesMax);
    expect(plainEncoder.encode(recordsOf([record(1_000_000), record(1_000_000)]), 0, 0, plain).count).toBe(1);
    expect(plainEncoder.encode(recordsOf(Array(20_000).fill(record(1))), 0, 0, plain).count).toBe(20_000);
  });
});
