// A block returns the records written to it, also after reuse, and its Kafka batches equal those of the same records in a list.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batchCodec } from './kafka/compression.ts';
import { BatchEncoder } from './kafka/produce/record-batch.ts';
import { listOf, type OutgoingRecord, RecordBlock, recordsOf } from './record-block.ts';

const records: fc.Arbitrary<OutgoingRecord[]> = fc.array(
  fc.record({
    key: fc.oneof(fc.stringMatching(/^~?[0-9a-f]{6}$/), fc.string({ unit: 'grapheme', maxLength: 80 })),
    value: fc.option(
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      { nil: null },
    ),
    timestampMs: fc.integer({ min: 1_700_000_000_000, max: 1_700_000_100_000 }),
  }),
  { minLength: 1, maxLength: 1000 },
);

test('a block returns its records, and is written to Kafka like a list of them', () => {
  const block = new RecordBlock();
  const producer = { id: 7n, epoch: 1, isTransactional: true };
  const encoder = new BatchEncoder(batchCodec('none'));
  fc.assert(
    fc.property(records, (written) => {
      block.clear();
      const { writer } = block;
      for (const { key, value, timestampMs } of written) {
        writer.characters(key!);
        block.endKey();
        if (value === null) {
          block.endTombstone(timestampMs);
          continue;
        }
        writer.reserve(value.length);
        writer.copy(value, 0, value.length);
        block.end(timestampMs);
      }
      expect(listOf(block)).toEqual(written);
      for (const from of [0, written.length >> 1])
        expect(encoder.encode(block, from, 5, producer)).toEqual(encoder.encode(recordsOf(written), from, 5, producer));
    }),
    { numRuns: 50 },
  );
});
