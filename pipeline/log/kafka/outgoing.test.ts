// Records on their way out: cut into batches, in the form that kafkajs writes as it is meant.
import { expect, test } from 'vitest';
import { limits } from '../../../schemas/limits.ts';
import { checkRecords, cutRecords, messagesOf, recordBytes } from './outgoing.ts';

const record = (bytes: number, key: string | null = null, timestampMs = 1000) => ({ key, value: Buffer.alloc(bytes), timestampMs });

test('records are cut into batches within the limit, in order, none left out', () => {
  const records = Array.from({ length: 50 }, (_, i) => record(1 + ((i * 7919) % 400_000), `${i}`));
  const runs = cutRecords(records);
  expect(runs.flat()).toEqual(records);
  for (const run of runs) {
    const bytes = run.reduce((sum, each) => sum + recordBytes(each), 0);
    expect(run.length === 1 || bytes <= limits.kafkaBatchBytesMax).toBe(true);
  }
  expect(cutRecords([])).toEqual([]);
  expect(cutRecords([record(1_000_000), record(1_000_000)]).length).toBe(2);
  expect(cutRecords(Array.from({ length: limits.kafkaSendRecordsMax + 1 }, () => record(1))).length).toBe(2);
});

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

test('timestamps of different lengths sort as numbers, and bytes stay bytes', () => {
  const view = new Uint8Array([7, 8, 9, 10]).subarray(1, 3);
  const messages = messagesOf(3, [
    { key: 'a', value: view, timestampMs: 999 },
    { key: null, value: null, timestampMs: 1000 },
  ]);
  expect(messages.map(({ timestamp }) => timestamp!).sort()).toEqual(messages.map(({ timestamp }) => timestamp));
  expect(messages[0]!.value).toEqual(Buffer.from([8, 9]));
  expect(messages.map(({ partition }) => partition)).toEqual([3, 3]);
});
