// The rules of exactly-once, with brokers that fail on request.
import { beforeEach, expect, test } from 'vitest';
import { brokerError } from '../../../test/support/held-brokers.ts';
import { readBatch } from '../../../test/support/record-batches.ts';
import type { Commit } from '../event-log.ts';
import { batchCodec } from './compression.ts';
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
  /** Number of offset reads that fail. */
  isAway: boolean;
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
  broker = { committed: null, calls: [], errors: {}, isAway: false, epoch: 0 };
  closing = new AbortController();
  transactions = new KafkaTransactions({
    names: new KafkaNames('p.'),
    encoder: new BatchEncoder(batchCodec('none')),
    writing: fakeBrokers(),
    requests: {
      committed: async () => {
        if (broker.isAway) throw new Error('away');
        return broker.committed;
      },
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

test('the transactional id is group, topic and partition; one producer serves many commits', async () => {
  expect(await transactions.takeOver(input)).toBeNull();
  await commit(0, 5);
  await commit(5, 9);
  expect(broker.committed).toBe(9);
  expect(called('initProducer')).toEqual(['initProducer p.fold/adsb.frames.v1/3']);
});

test('a commit from another offset than the committed one sends nothing', async () => {
  broker.committed = 7;
  expect(await transactions.takeOver(input)).toBe(7);
  await expect(commit(5, 9)).rejects.toMatchObject({ code: 'log.commit_conflict', details: { found: 7, wanted: 5 } });
  expect(broker.calls).toEqual(['initProducer p.fold/adsb.frames.v1/3']);
  await commit(7, 9);
});

test('after a failed commit nothing is sent until the partition is taken over again', async () => {
  await transactions.takeOver(input);
  broker.errors = { commit: [new Error('the response is lost')] };
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_failed', retriable: false });
  const before = broker.calls.length;
  await expect(commit(0, 6)).rejects.toMatchObject({ code: 'log.commit_failed' });
  expect(broker.calls.length).toBe(before);
  broker.committed = 5;
  expect(await transactions.takeOver(input)).toBe(5);
  await commit(5, 6);
  expect(called('initProducer').length).toBe(2);
});

test('a fenced producer reports that another worker took over, and the committed offset', async () => {
  await transactions.takeOver(input);
  broker.committed = 12;
  broker.errors = { addGroup: [brokerError('INVALID_PRODUCER_EPOCH')] };
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_conflict', details: { found: 12 } });
  expect(called('commit')).toEqual([]);
});

test('a commit waits for the end of the previous transaction', async () => {
  const waits = [brokerError('CONCURRENT_TRANSACTIONS', true), brokerError('CONCURRENT_TRANSACTIONS', true)];
  broker.errors = { initProducer: [...waits], addPartitions: [...waits], addGroup: [...waits], commit: [...waits] };
  await commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  for (const name of ['initProducer', 'addPartitions', 'addGroup', 'commit'] as const) expect(called(name).length).toBe(3);
  expect(called('produce').length).toBe(1);
});

test('requests to a broker that is unavailable or no longer the leader are retried with the same bytes', async () => {
  const moved = () => brokerError('NOT_LEADER_FOR_PARTITION', true);
  const lost = () => Object.assign(new Error('closed'), { name: 'KafkaJSConnectionClosedError' });
  broker.errors = { produce: [moved(), lost()], commitOffset: [brokerError('NOT_COORDINATOR_FOR_GROUP', true)], commit: [lost()] };
  await commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  expect(called('produce')).toEqual(Array(3).fill(`produce ${kafkaNames.positions}/3 0 a`));
  expect(broker.committed).toBe(5);
});

test('records of a topic partition keep their order in separate batches, with sequence numbers that continue through all commits', async () => {
  const outputs: Commit['outputs'] = [
    { topic: 'positions', partition: 3, records: [record('a')] },
    { topic: 'aircraft', partition: 3, records: [record('x')] },
    { topic: 'positions', partition: 3, records: [record('b')] },
  ];
  await commit(0, 5, outputs);
  await commit(5, 6, outputs.slice(1));
  expect(called('addPartitions')).toEqual([
    `addPartitions ${kafkaNames.positions}/3,${kafkaNames.aircraft}/3`,
    `addPartitions ${kafkaNames.aircraft}/3,${kafkaNames.positions}/3`,
  ]);
  expect(called('produce')).toEqual([
    `produce ${kafkaNames.positions}/3 0 a,b`,
    `produce ${kafkaNames.aircraft}/3 0 x`,
    `produce ${kafkaNames.aircraft}/3 1 x`,
    `produce ${kafkaNames.positions}/3 2 b`,
  ]);
});

test('nothing is committed before every record is written', async () => {
  broker.errors = { produce: [brokerError('OUT_OF_ORDER_SEQUENCE_NUMBER')] };
  const failing = commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  await expect(failing).rejects.toMatchObject({ code: 'log.commit_failed' });
  expect(called('commit')).toEqual([]);
});

test('commits of one partition run one after the other', async () => {
  await Promise.all([commit(0, 1), commit(1, 2), commit(2, 3)]);
  expect(broker.committed).toBe(3);
  expect(called('initProducer').length).toBe(1);
});

test('a commit that hangs ends when the log is closed', async () => {
  await transactions.takeOver(input);
  const hanging = commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  broker.errors = {};
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
