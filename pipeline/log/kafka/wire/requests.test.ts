// Requests have the same bytes as kafkajs 2.2.4 writes in the same versions; responses are read correctly.
import { expect, test } from 'vitest';
import type { BrokerRequest } from '../transport.ts';
import { heartbeatRequest, joinRequest, leaveRequest, syncRequest } from './group-requests.ts';
import { committedRequest, END, fetchRequest, listOffsetsRequest } from './read-requests.ts';
import { addOffsetsRequest, addPartitionsRequest, commitRequest, initProducerRequest } from './transaction-requests.ts';
import { WireReader, WireWriter } from './wire.ts';

const member = { group: 'g', generationId: 4, memberId: 'm' };
const producer = { transactionalId: 'tx', id: 12_345_678_901n, epoch: 3 };
const join = (memberId: string) =>
  joinRequest({ group: 'g', sessionMs: 6000, rebalanceMs: 9000, memberId, protocol: 'x', metadata: Buffer.from('abc') });
const partitions = [
  { topic: 'a', partition: 1 },
  { topic: 'b', partition: 0 },
  { topic: 'a', partition: 7 },
];
const wanted = [
  { topic: 'a', partition: 1, timestampMs: END },
  { topic: 'a', partition: 2, timestampMs: 1_700_000_000_000 },
];
const fetch = fetchRequest({
  partitions: [
    { topic: 'a', partition: 1, offset: 77 },
    { topic: 'b', partition: 0, offset: 99 },
  ],
  waitMs: 500,
  bytesMax: 55 * 1024 * 1024,
  partitionBytesMax: 1024 * 1024,
});

test.each<[string, BrokerRequest<unknown>, string]>([
  ['11/5', join('m'), '000167000017700000232800016dffff0008636f6e73756d65720000000100017800000003616263'],
  ['11/5', join(''), '00016700001770000023280000ffff0008636f6e73756d65720000000100017800000003616263'],
  ['14/3', syncRequest(member, [{ memberId: 'm', assignment: Buffer.from('zz') }]), '0001670000000400016dffff0000000100016d000000027a7a'],
  ['14/3', syncRequest(member, []), '0001670000000400016dffff00000000'],
  ['12/3', heartbeatRequest(member), '0001670000000400016dffff'],
  ['13/3', leaveRequest('g', 'm'), '0001670000000100016dffff'],
  ['22/1', initProducerRequest('tx', 60_000), '000274780000ea60'],
  ['22/1', initProducerRequest(null, 60_000), 'ffff0000ea60'],
  [
    '24/1',
    addPartitionsRequest(producer, partitions),
    '0002747800000002dfdc1c350003000000020001610000000200000001000000070001620000000100000000',
  ],
  ['25/1', addOffsetsRequest(producer, 'g'), '0002747800000002dfdc1c350003000167'],
  ['26/1', commitRequest(producer), '0002747800000002dfdc1c35000301'],
  ['2/3', listOffsetsRequest(wanted), 'ffffffff01000000010001610000000200000001ffffffffffffffff000000020000018bcfe56800'],
  ['9/4', committedRequest('g', 'a', 5), '000167000000010001610000000100000005'],
  [
    '1/11',
    fetch,
    'ffffffff000001f400000001037000000100000000ffffffff000000020001610000000100000001ffffffff000000000000004dffffffffffffffff00100000' +
      '0001620000000100000000ffffffff0000000000000063ffffffffffffffff00100000000000000000',
  ],
])('%s: the bytes of its body', (version, { apiKey, apiVersion, body }, hex) => {
  expect(`${apiKey}/${apiVersion}`).toBe(version);
  expect(body.toString('hex')).toBe(hex);
});

test('a join or a fetch may take longer than other requests', () => {
  expect([join('m').responseMsMax, fetch.responseMsMax, heartbeatRequest(member).responseMsMax]).toEqual([14_000, 600, undefined]);
});

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

test('an error of one partition is that of the request', () => {
  const offsets = new WireWriter().int32(0);
  offsets.topics(
    [
      { topic: 'a', code: 0 },
      { topic: 'a', code: 6 },
    ],
    ({ code }) => offsets.int32(1).int16(code).int64(0n).int64(9n),
  );
  expect(() => listOffsetsRequest(wanted).read(offsets.written)).toThrow(expect.objectContaining({ type: 'NOT_LEADER_FOR_PARTITION' }));
  const added = new WireWriter().int32(0);
  added.topics(
    [
      { topic: 'a', code: 0 },
      { topic: 'a', code: 47 },
    ],
    ({ code }) => added.int32(1).int16(code),
  );
  expect(() => addPartitionsRequest(producer, partitions).read(added.written)).toThrow(
    expect.objectContaining({ type: 'INVALID_PRODUCER_EPOCH' }),
  );
});

test('a writer grows, and a reader reads back what it wrote', () => {
  const text = 'é'.repeat(300);
  const writer = new WireWriter(4).int8(-1).string(text).block(Buffer.alloc(1000, 7)).int64(-5n).varint(300);
  const reader = new WireReader(writer.written);
  expect([reader.int8(), reader.string(), reader.block().length, reader.int64(), reader.varint()]).toEqual([-1, text, 1000, -5n, 300]);
});
