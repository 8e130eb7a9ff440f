// The rules of exactly once, with a producer that fails when the test says so.
import kafkajs, { type Kafka, type ProducerRecord } from 'kafkajs';
import { beforeEach, expect, test } from 'vitest';
import type { Commit } from '../event-log.ts';
import { KafkaNames } from './names.ts';
import type { KafkaRequests } from './requests.ts';
import { KafkaTransactions } from './transactions.ts';

const kafkaError = (type: string, retriable = false): Error =>
  Object.assign(new Error(type), { name: 'KafkaJSProtocolError', type, retriable });

/** What the broker knows, what was asked of it, and what goes wrong next. */
let broker: {
  committed: number | null;
  calls: string[];
  /** Errors of the next calls, by their name. */
  errors: Record<string, Error[]>;
  /** Reads of offsets that fail. */
  isAway: boolean;
};
let closing: AbortController;
let transactions: KafkaTransactions;

function fakeKafka(): Kafka {
  const call = async (name: string, detail = ''): Promise<void> => {
    broker.calls.push(detail === '' ? name : `${name} ${detail}`);
    const error = broker.errors[name]?.shift();
    if (error !== undefined) throw error;
  };
  const transaction = async () => {
    let offset = '';
    return {
      send: async ({ topic, messages }: ProducerRecord) => {
        await call('send', `${topic} ${messages.map(({ value }) => String(value)).join()}`);
        return [{ baseOffset: '0' }];
      },
      sendOffsets: async ({ topics }: { topics: { partitions: { offset: string }[] }[] }) => {
        await call('sendOffsets');
        offset = topics[0]!.partitions[0]!.offset;
      },
      commit: async () => {
        await call('commit');
        broker.committed = Number(offset);
      },
      abort: async () => undefined,
    };
  };
  const producer = ({ transactionalId }: { transactionalId: string }) => ({
    connect: () => call('connect', transactionalId),
    disconnect: () => call('disconnect'),
    transaction,
  });
  return { producer } as unknown as Kafka;
}

beforeEach(() => {
  broker = { committed: null, calls: [], errors: {}, isAway: false };
  closing = new AbortController();
  const requests = {
    committed: async () => {
      if (broker.isAway) throw new Error('away');
      return broker.committed;
    },
    ends: async (places: readonly unknown[]) => places.map(() => Number.MAX_SAFE_INTEGER),
  } as unknown as KafkaRequests;
  transactions = new KafkaTransactions({
    kafka: fakeKafka(),
    names: new KafkaNames('p.'),
    compression: kafkajs.CompressionTypes.None,
    requests,
    closing: closing.signal,
    before: async () => undefined,
  });
});

const input = { group: 'fold', topic: 'frames', partition: 3 } as const;
const commit = (fromOffset: number, nextOffset: number, outputs: Commit['outputs'] = []): Promise<void> =>
  transactions.commit({ ...input, fromOffset, nextOffset, outputs });
const record = (value: string) => ({ key: null, value: Buffer.from(value), timestampMs: 1 });
const connects = (): number => broker.calls.filter((call) => call.startsWith('connect')).length;

test('the transactional id is group, topic and partition; one producer serves many commits', async () => {
  expect(await transactions.takeOver(input)).toBeNull();
  await commit(0, 5);
  await commit(5, 9);
  expect(broker.committed).toBe(9);
  expect(broker.calls.filter((call) => call.startsWith('connect'))).toEqual(['connect p.fold/adsb.frames.v1/3']);
});

test('a commit that does not begin where the group stands sends nothing', async () => {
  broker.committed = 7;
  expect(await transactions.takeOver(input)).toBe(7);
  await expect(commit(5, 9)).rejects.toMatchObject({ code: 'log.commit_conflict', details: { found: 7, wanted: 5 } });
  expect(broker.calls.some((call) => call.startsWith('send'))).toBe(false);
  await commit(7, 9);
});

test('after a failed commit nothing is sent until the partition is taken over anew', async () => {
  await transactions.takeOver(input);
  broker.errors = { commit: [new Error('the answer is lost')] };
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_failed', retriable: false });
  const before = broker.calls.length;
  await expect(commit(0, 6)).rejects.toMatchObject({ code: 'log.commit_failed' });
  expect(broker.calls.length).toBe(before);
  broker.committed = 5;
  expect(await transactions.takeOver(input)).toBe(5);
  await commit(5, 6);
  expect(connects()).toBe(2);
});

test('a producer that was fenced says that another worker took over, and where the group stands', async () => {
  await transactions.takeOver(input);
  broker.committed = 12;
  broker.errors = { sendOffsets: [kafkaError('INVALID_PRODUCER_EPOCH')] };
  await expect(commit(0, 5)).rejects.toMatchObject({ code: 'log.commit_conflict', details: { found: 12 } });
  expect(broker.calls.at(-1)).toBe('disconnect');
});

test('the end of the transaction before is waited for', async () => {
  broker.errors = { sendOffsets: [kafkaError('CONCURRENT_TRANSACTIONS', true), kafkaError('CONCURRENT_TRANSACTIONS', true)] };
  await commit(0, 5);
  expect(broker.calls.filter((call) => call === 'sendOffsets').length).toBe(3);
});

test('records of one topic and partition keep their order, in sends of their own', async () => {
  const outputs: Commit['outputs'] = [
    { topic: 'positions', partition: 3, records: [record('a')] },
    { topic: 'aircraft', partition: 3, records: [record('x')] },
    { topic: 'positions', partition: 3, records: [record('b')] },
  ];
  await commit(0, 5, outputs);
  expect(broker.calls.filter((call) => call.startsWith('send '))).toEqual(['send p.adsb.positions.v1 a,b', 'send p.adsb.aircraft.v1 x']);
});

test('what is committed stays committed, also when nobody can be asked whether readers see it', async () => {
  await transactions.takeOver(input);
  broker.isAway = true;
  await commit(0, 5);
  expect(broker.committed).toBe(5);
});

test('commits of one partition run one after the other', async () => {
  await Promise.all([commit(0, 1), commit(1, 2), commit(2, 3)]);
  expect(broker.committed).toBe(3);
  expect(connects()).toBe(1);
});

test('a commit that hangs ends when the log is closed', async () => {
  await transactions.takeOver(input);
  const hanging = commit(0, 5, [{ topic: 'positions', partition: 3, records: [record('a')] }]);
  broker.errors = {};
  closing.abort();
  await expect(hanging).rejects.toMatchObject({ code: 'log.commit_failed' });
});
