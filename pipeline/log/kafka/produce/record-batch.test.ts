// Record batches: kafkajs decodes any batch correctly; the exact bytes; and the limits of a batch.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../../schemas/limits.ts';
import { readBatch } from '../../../../test/support/record-batches.ts';
import type { OutgoingRecord } from '../../record-block.ts';
import { batchCodec, type KafkaCompression } from '../compression.ts';
import { recordBytes } from '../outgoing.ts';
import { crc32c } from './crc32c.ts';
import { BatchEncoder, sequenceAfter } from './record-batch.ts';

const CODECS: readonly KafkaCompression[] = ['none', 'gzip', 'zstd'];
const plainEncoder = new BatchEncoder(batchCodec('none'));
const plain = { id: 0n, epoch: 0, isTransactional: false };

const records: fc.Arbitrary<OutgoingRecord[]> = fc.array(
  fc.record({
    key: fc.option(fc.oneof(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.stringMatching(/^[0-9a-f]{6}$/)), { nil: null }),
    value: fc.option(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      { nil: null },
    ),
    timestampMs: fc.oneof(fc.nat(100), fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }), fc.nat(2 ** 51)),
  }),
  { minLength: 1, maxLength: 200 },
);
const producers = fc.record({
  id: fc.bigInt({ min: -1n, max: 2n ** 63n - 1n }),
  epoch: fc.integer({ min: -1, max: 0x7fff }),
  isTransactional: fc.boolean(),
});

test.each(CODECS)('kafkajs reads back what was written, compressed with %s', async (wanted) => {
  const encoder = new BatchEncoder(batchCodec(wanted));
  await fc.assert(
    fc.asyncProperty(records, producers, fc.nat(0x7fff_ffff), async (written, producer, sequence) => {
      const { bytes, count } = encoder.encode(written, 0, sequence, producer);
      expect(count).toBe(written.length);
      const times = written.map(({ timestampMs }) => timestampMs);
      const batch = await readBatch(bytes);
      expect(batch).toMatchObject({
        firstOffset: '0',
        lastOffsetDelta: count - 1,
        firstTimestamp: String(times[0]),
        maxTimestamp: String(Math.max(...times)),
        inTransaction: producer.isTransactional,
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
    }),
    { numRuns: 100 },
  );
});

test('the bytes of a batch', () => {
  const written = [
    { key: '4ca1fa', value: Buffer.from([1, 2, 3]), timestampMs: 1_700_000_000_000 },
    { key: null, value: null, timestampMs: 1_699_999_999_000 },
    { key: 'é', value: Buffer.alloc(0), timestampMs: 1_700_000_000_064 },
  ];
  const { bytes } = plainEncoder.encode(written, 0, 7, { id: 4000n, epoch: 2, isTransactional: true });
  const fields = [
    '0000000000000000', // base offset
    '00000053', // 83 bytes follow
    'ffffffff', // leader epoch
    '02', // magic
    '079c2f97', // CRC
    '0010', // transactional
    '00000002', // last offset delta
    '0000018bcfe56800', // 2023-11-14T22:13:20Z
    '0000018bcfe56840',
    '0000000000000fa0', // producer 4000
    '0002', // epoch
    '00000007', // sequence
    '00000003', // records
    '1e000000', // 15 bytes, no attributes, 0 ms, offset 0
    `0c${Buffer.from('4ca1fa').toString('hex')}06010203`,
    '00', // no headers
    '0e00cf0f02010100', // 7 bytes, -1000 ms, offset 1, no key, no value
    '12008001', // 9 bytes, 64 ms
    '0404c3a90000', // offset 2, two bytes of key, no bytes of value, no headers
  ];
  expect(bytes.toString('hex')).toBe(fields.join(''));
});

describe('a batch ends', () => {
  const record = (bytes: number, key: string | null = null): OutgoingRecord => ({ key, value: Buffer.alloc(bytes), timestampMs: 1000 });

  test('before it is too large, in order, with no record left out', async () => {
    const all = Array.from({ length: 50 }, (_, i) => record(1 + ((i * 7919) % 400_000), `${i}`));
    const keys: string[] = [];
    for (let at = 0; at < all.length; ) {
      const { bytes, count } = plainEncoder.encode(all, at, 0, plain);
      const share = all.slice(at, at + count);
      const sum = share.reduce((total, each) => total + recordBytes(each), 0);
      expect(count === 1 || sum <= limits.kafkaBatchBytesMax).toBe(true);
      expect(bytes.length).toBeLessThan(limits.kafkaMessageBytesMax);
      keys.push(...(await readBatch(bytes)).records.map(({ key }) => key!.toString()));
      at += count;
    }
    expect(keys).toEqual(all.map(({ key }) => key));
  });

  test('but holds at least one record, and thousands of small ones', () => {
    expect(plainEncoder.encode([record(1_000_000), record(1_000_000)], 0, 0, plain).count).toBe(1);
    expect(plainEncoder.encode(Array(20_000).fill(record(1)), 0, 0, plain).count).toBe(20_000);
  });
});

test('sequence numbers continue with 0 after the largest', () => {
  expect(sequenceAfter(0, 5)).toBe(5);
  expect(sequenceAfter(0x7fff_ffff, 1)).toBe(0);
  expect(sequenceAfter(0x7fff_fffe, 5)).toBe(3);
});
