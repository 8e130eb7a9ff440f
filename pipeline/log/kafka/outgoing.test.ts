// Outgoing records: records that are too large are rejected.
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import { checkRecords } from './outgoing.ts';

const record = (bytes: number, key: string | null = null) => ({ key, value: Buffer.alloc(bytes), timestampMs: 1000 });

test('a record that is too large is rejected before anything is sent', () => {
  expect(() => checkRecords('frames', [record(1_000_001)])).toThrowError(expect.objectContaining({ code: 'log.record_too_large' }));
  expect(() => checkRecords('deadletter', [record(1_000_000, 'k'.repeat(20_000))])).toThrowError(
    expect.objectContaining({ code: 'log.record_too_large' }),
  );
  expect(checkRecords('frames', [record(1_000_000)])).toBeGreaterThan(1_000_000);
  // A full batch fits the topic even if compression makes it slightly larger.
  expect(limits.kafkaBatchBytesMax * 1.01).toBeLessThan(limits.kafkaMessageBytesMax);
  expect(limits.kafkaFetchBytesMax).toBeGreaterThanOrEqual(limits.kafkaMessageBytesMax);
});
