// Errors in responses that a broker gives seldom. All requests and their ordinary responses are proved with a real broker (test/cluster).
import { expect, test } from 'vitest';
import { joinRequest } from './group-requests.ts';
import { committedRequest } from './read-requests.ts';
import { WireWriter } from './wire.ts';

const join = (memberId: string) =>
  joinRequest({ group: 'g', sessionMs: 6000, rebalanceMs: 9000, memberId, protocol: 'x', metadata: Buffer.from('abc') });

test('a member without an id is given one to join with; other errors are thrown by name', () => {
  const response = (code: number): Buffer => {
    const writer = new WireWriter().int32(0).int16(code).int32(7).string('x').string('m1').string('m2');
    return writer.list(['m1'], (id) => writer.string(id).string(null).block(Buffer.from('abc'))).written;
  };
  expect(join('').read(response(79))).toMatchObject({ isIdOnly: true, memberId: 'm2' });
  expect(join('').read(response(0))).toEqual({
    isIdOnly: false,
    generationId: 7,
    leaderId: 'm1',
    memberId: 'm2',
    members: [{ memberId: 'm1', metadata: Buffer.from('abc') }],
  });
  expect(() => join('').read(response(25))).toThrow(expect.objectContaining({ type: 'UNKNOWN_MEMBER_ID' }));
});

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
