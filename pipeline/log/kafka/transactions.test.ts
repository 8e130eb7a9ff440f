// The rules of exactly-once, with brokers that fail on request.
import { beforeEach, expect, test } from 'vitest';
import { brokerError, plainCodec, readBatch } from '../../../test/support/brokers.ts';
import type { Commit } from '../event-log.ts';
import { KafkaNames } from './names.ts';
import { BatchEncoder } from './produce/record-batch.ts';
import type { CommittingMember } from './produce/transaction.ts';
import type { WriteRequests } from './produce/write-requests.ts';
import { KafkaTransactions } from './transactions.ts';
import type { MemberIdentity } from './wire/offset-commit-request.ts';

type Call = Exclude<keyof WriteRequests, 'recover'>;

/** State of the broker, its requests, and the next errors. */
let broker: {
  committed: number | null;
  calls: string[];
  /** Errors of the next calls, by name. */
  errors: Partial<Record<Call, Error[]>>;
  epoch: number;
};
let closing: AbortController;
let transactions: KafkaTransactions;

function fakeBrokers(): WriteRequests {
  let offset = 0;
  const call = async (name: Call, detail = ''): Promise<void> => {
    broker.calls.push(detail === '' ? name : `${name} ${detail}`);
    const error = broker.errors[name]?.shift();
    if (error !== undefined) throw error;
  };
  return {
    async initProducer(transactionalId) {
      await call('initProducer', transactionalId!);
      broker.epoch += 1;
      return { transactionalId, id: 4000n, epoch: broker.epoch };
    },
    async produce(_, { topic, partition }, batch) {
      const { records, firstSequence } = await readBatch(batch);
      await call('produce', `${topic}/${partition} ${firstSequence} ${records.map(({ value }) => String(value)).join()}`);
      return 0;
    },
    addPartitions: (_, partitions) => call('addPartitions', partitions.map(({ topic, partition }) => `${topic}/${partition}`).join()),
    addGroup: (_, group) => call('addGroup', group),
    async commitOffset(_, { nextOffset }, { memberId, generationId }) {
      await call('commitOffset', memberId === '' ? '' : `${memberId} ${generationId}`);
      offset = nextOffset;
    },
    async commit() {
      await call('commit');
      broker.committed = offset;
    },
    recover: async () => undefined,
  };
}

beforeEach(() => {
  broker = { committed: null, calls: [], errors: {}, epoch: 0 };
  closing = new AbortController();
  transactions = new KafkaTransactions({
    names: new KafkaNames('p.'),
    encoder: new BatchEncoder(plainCodec),
    writing: fakeBrokers(),
    requests: {
      committed: async () => broker.committed,
      ends: async (partitions) => partitions.map(() => Number.MAX_SAFE_INTEGER),
    },
    closing: closing.signal,
    before: async () => undefined,
  });
});

const input = { group: 'fold', topic: 'frames', partition: 3 } as const;
const commit = (fromOffset: number, nextOffset: number, outputs: Commit['outputs'] = []): Promise<void> =>
  transactions.commit({ ...input, fromOffset, nextOffset, outputs });
const record = (value: string) => ({ key: null, value: Buffer.from(value), timestampMs: 1 });
const called = (name: Call): string[] => broker.calls.filter((call) => call.split(' ')[0] === name);
const kafkaNames = { positions: 'p.adsb.positions.v1', aircraft: 'p.adsb.aircraft.v1' };

test('one producer commits in order; records of a partition keep their order, with sequence numbers that continue through all commits', async () => {
  expect(await transactions.takeOver(input)).toBeNull();
  const outputs: Commit['outputs'] = [
    { topic: 'positions', partition: 3, records: [record('a')] },
    { topic: 'aircraft', partition: 3, records: [record('x')] },
    { topic: 'positions', partition: 3, records: [record('b')] },
  ];
  await Promise.all([commit(0, 5, outputs), commit(5, 6, outputs.slice(1))]);
  expect(broker.committed).toBe(6);
  expect(called('initProducer')).toEqual(['initProducer p.fold/adsb.frames.v1/3']);
  expect(called('produce')).toEqual([
    `produce ${kafkaNames.positions}/3 0 a,b`,
    `produce ${kafkaNames.aircraft}/3 0 x`,
    `produce ${kafkaNames.aircraft}/3 1 x`,
    `produce ${kafkaNames.positions}/3 2 b`,
  ]);
});

test.each<[string, typeof broker.errors, string]>([
  ['whose response is lost', { commit: [new Error('the response is lost')] }, 'log.commit_failed'],
  ['with a batch that is refused', { produce: [brokerError('OUT_OF_ORDER_SEQUENCE_NUMBER')] }, 'log.commit_failed'],
  ['of a fenced producer', { addGroup: [brokerError('INVALID_PRODUCER_EPOCH')] }, 'log.commit_conflict'],
])('after a commit %s nothing is sent until the partition is taken over again', async (_, errors, code) => {
  await transactions.takeOver(input);
  broker = { ...broker, committed: 12, errors };
  const outputs: Commit['outputs'] = [{ topic: 'positions', partition: 3, records: [record('a')] }];
  await expect(commit(0, 5, outputs)).rejects.toMatchObject({ code, retriable: false });
  expect(called('commit').length).toBe('commit' in errors ? 1 : 0);
  const before = broker.calls.length;
  await expect(commit(0, 6)).rejects.toMatchObject({ code });
  expect(broker.calls.length).toBe(before);
  expect(await transactions.takeOver(input)).toBe(12);
  await commit(12, 13);
  expect(called('initProducer').length).toBe(2);
});

test('errors that pass are retried with the same bytes: the end of the previous transaction, unavailable brokers, other leaders', async () => {
  const waits = [brokerError('CONCURRENT_TRANSACTIONS', true), brokerError('CONCURRENT_TRANSACTIONS', true)];
  const lost = Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' });
  broker.errors = { initProducer: [...waits], addPartitions: [...waits], addGroup: [...waits], commit: [...waits, lost] };
  broker.errors.produce = [brokerError('NOT_LEADER_FOR_PARTITION', true), lost];
  broker.errors.commitOffset = [brokerError('NOT_COORDINATOR_FOR_GROUP', true)];
  await commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  expect(called('produce')).toEqual(Array(3).fill(`produce ${kafkaNames.positions}/3 0 a`));
  expect(broker.committed).toBe(5);
});

test('a commit that hangs ends when the log is closed', async () => {
  await transactions.takeOver(input);
  const hanging = commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  closing.abort();
  await expect(hanging).rejects.toMatchObject({ code: 'log.commit_failed' });
});

/** A member of the group with the identities of its membership. */
function memberNow(generationId: number) {
  const refusals: MemberIdentity[] = [];
  const member = {
    identity: { memberId: 'me', generationId } as MemberIdentity | null,
    refused(identity: MemberIdentity) {
      refusals.push(identity);
      member.identity = null;
    },
  };
  return { member: member satisfies CommittingMember, refusals };
}

test('a member that stays commits with its new generation once it has it', async () => {
  const { member, refusals } = memberNow(7);
  await transactions.takeOver(input, member);
  broker.errors = { commitOffset: [brokerError('ILLEGAL_GENERATION')] };
  const committing = commit(0, 5);
  await expect.poll(() => called('commitOffset').length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(called('commitOffset').length).toBe(1);
  member.identity = { memberId: 'me', generationId: 8 };
  await committing;
  expect(called('commitOffset')).toEqual(['commitOffset me 7', 'commitOffset me 8']);
  expect([broker.committed, refusals]).toEqual([5, []]);
});

test('a member that its group has removed commits nothing, regardless of who detects it first', async () => {
  const { member, refusals } = memberNow(7);
  await transactions.takeOver(input, member);
  broker.errors = { commitOffset: [brokerError('UNKNOWN_MEMBER_ID')] };
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_conflict' });
  expect(refusals).toEqual([{ memberId: 'me', generationId: 7 }]);
  await transactions.takeOver(input, member);
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_conflict' });
  expect([called('commitOffset').length, called('commit').length]).toEqual([1, 0]);
});

test('releasing a partition does not affect its later owner', async () => {
  const { member: before } = memberNow(7);
  const { member: after } = memberNow(8);
  await transactions.takeOver(input, before);
  await transactions.takeOver(input, after);
  await transactions.release(input, before);
  await commit(0, 5);
  expect(called('commitOffset')).toEqual(['commitOffset me 8']);
  expect(called('initProducer').length).toBe(2);
});
