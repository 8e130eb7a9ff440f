// Records on their way out: what is too large is refused.
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import { checkRecords } from './outgoing.ts';

const record = (bytes: number, key: string | null = null) => ({ key, value: Buffer.alloc(bytes), timestampMs: 1000 });

test('what is too large is refused before anything is sent', () => {
  expect(() => checkRecords('frames', [record(1_000_001)])).toThrowError(expect.objectContaining({ code: 'log.record_too_large' }));
  expect(() => checkRecords('deadletter', [record(1_000_000, 'k'.repeat(20_000))])).toThrowError(
    expect.objectContaining({ code: 'log.record_too_large' }),
  );
  expect(checkRecords('frames', [record(1_000_000)])).toBeGreaterThan(1_000_000);
  // A batch that is full fits the topic, also where compression makes it a little larger.
  expect(limits.kafkaBatchBytesMax * 1.01).toBeLessThan(limits.kafkaMessageBytesMax);
  expect(limits.kafkaFetchBytesMax).toBeGreaterThanOrEqual(limits.kafkaMessageBytesMax);
});
