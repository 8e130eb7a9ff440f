// Errors in responses that a broker gives seldom. All requests and their ordinary responses are proved with a real broker (test/cluster).
import { expect, test } from 'vitest';
import { committedRequest } from './read-requests.ts';
import { WireWriter } from './wire.ts';

test('offsets of a group: none, one, or an error of the partition or of all', () => {
  const response = (offset: bigint, partitionCode: number, code: number): Buffer => {
    const writer = new WireWriter().int32(0);
    writer.topics([{ topic: 'a' }], () => writer.int32(5).int64(offset).string(null).int16(partitionCode));
    return writer.int16(code).written;
  };
  const { read } = committedRequest('g', 'a', 5);
  expect([read(response(-1n, 0, 0)), read(response(42n, 0, 0))]).toEqual([null, 42]);
  expect(() => read(response(-1n, 3, 0))).toThrow(expect.objectContaining({ type: 'UNKNOWN_TOPIC_OR_PARTITION' }));
  expect(() => read(response(-1n, 0, 16))).toThrow(expect.objectContaining({ type: 'NOT_COORDINATOR_FOR_GROUP' }));
});
