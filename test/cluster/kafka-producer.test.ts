// Broker behaviour that our own producer depends on, checked with a real Kafka: sequence numbers, fencing by epoch, fencing by the group's generation.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { batchCodec } from '../../pipeline/log/kafka/compression.ts';
import { KafkaSockets } from '../../pipeline/log/kafka/connection.ts';
import { kafkaCode } from '../../pipeline/log/kafka/failures.ts';
import { openTransport } from '../../pipeline/log/kafka/kafkajs-transport.ts';
import { Membership } from '../../pipeline/log/kafka/membership.ts';
import { KafkaNames } from '../../pipeline/log/kafka/names.ts';
import { BatchEncoder, sequenceAfter } from '../../pipeline/log/kafka/produce/record-batch.ts';
import { persistently } from '../../pipeline/log/kafka/produce/write-attempts.ts';
import { KafkaWriteRequests, type ProducerIdentity } from '../../pipeline/log/kafka/produce/write-requests.ts';
import { KafkaRequests } from '../../pipeline/log/kafka/requests.ts';
import { NO_MEMBER } from '../../pipeline/log/kafka/wire/offset-commit-request.ts';
import { recordsOf } from '../../pipeline/log/record-block.ts';
import { limits } from '../../schemas/limits.ts';
import { range, record } from '../contract/event-log-support.ts';
import { describeWithKafka, sharedKafka } from '../support/kafka.ts';
import { TestTopics } from '../support/kafka-topics.ts';

const never = new AbortController().signal;
const encoder = new BatchEncoder(batchCodec('zstd'));
const SEQUENCE_LAST = 0x7fff_ffff;

describeWithKafka('broker behaviour that writing depends on', () => {
  const brokers = sharedKafka();
  let sockets: KafkaSockets;
  let requests: KafkaRequests;
  let writing: KafkaWriteRequests;
  let names: KafkaNames;

  beforeEach(async () => {
    const { namePrefix } = await TestTopics.create(brokers(), 1);
    names = new KafkaNames(namePrefix);
    sockets = new KafkaSockets();
    requests = new KafkaRequests({ transport: newTransport(), names, brokers: brokers(), closing: never });
    writing = new KafkaWriteRequests(requests);
    await requests.open();
  });
  afterEach(() => sockets.close());

  const newTransport = () => openTransport({ brokers: brokers(), clientId: 'writing' }, { sockets });
  const patiently = <T>(request: () => Promise<T>): Promise<T> => persistently({ requests: writing, stopped: never }, request);
  const outcome = (request: Promise<unknown>): Promise<string | undefined> => request.then(() => 'done', kafkaCode);
  const topicPartition = () => ({ topic: names.topic('frames'), partition: 0 });
  const batchOf = ({ id, epoch, transactionalId }: ProducerIdentity, sequence: number, count: number): Buffer =>
    encoder.encode(recordsOf(range(count).map((i) => record(null, `${sequence}+${i}`, Date.now()))), 0, sequence, {
      id,
      epoch,
      isTransactional: transactionalId !== null,
    }).bytes;

  test('a batch that is sent twice is stored once, and both responses name its offset', async () => {
    const producer = await patiently(() => writing.initProducer(null));
    const batch = batchOf(producer, 0, 3);
    expect(await writing.produce(producer, topicPartition(), batch)).toBe(0);
    expect(await writing.produce(producer, topicPartition(), batch)).toBe(0);
    expect(await writing.produce(producer, topicPartition(), batchOf(producer, 3, 1))).toBe(3);
    expect(await outcome(writing.produce(producer, topicPartition(), batchOf(producer, 9, 1)))).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect((await requests.bounds('frames', 0)).next).toBe(4);
  });

  test('batches of one turn share a request, and the broker responds to each separately', async () => {
    const producer = await patiently(() => writing.initProducer(null));
    const positions = { topic: names.topic('positions'), partition: 0 };
    // A broker accepts any first sequence number of a producer that is new to the partition.
    await writing.produce(producer, positions, batchOf(producer, 0, 1));
    const writes = [
      writing.produce(producer, topicPartition(), batchOf(producer, 0, 3)),
      writing.produce(producer, positions, batchOf(producer, 8, 1)),
      writing.produce(producer, topicPartition(), batchOf(producer, 3, 2)),
    ];
    expect(await writes[0]).toBe(0);
    expect(await outcome(writes[1]!)).toBe('OUT_OF_ORDER_SEQUENCE_NUMBER');
    expect(await writes[2]).toBe(3);
    expect((await requests.bounds('frames', 0)).next).toBe(5);
  });

  test('sequence numbers wrap to 0 after the largest, also within a batch', async () => {
    const producer = await patiently(() => writing.initProducer(null));
    let sequence = SEQUENCE_LAST - 1;
    let offset = 0;
    for (const count of [1, 3, 2]) {
      const batch = batchOf(producer, sequence, count);
      expect(await writing.produce(producer, topicPartition(), batch)).toBe(offset);
      expect(await writing.produce(producer, topicPartition(), batch)).toBe(offset);
      sequence = sequenceAfter(sequence, count);
      offset += count;
    }
    expect(sequence).toBe(4);
  });

  test('a newer epoch of its id fences a producer in every request', async () => {
    const id = names.transactionalId('fold', 'frames', 0);
    const before = await patiently(() => writing.initProducer(id));
    await patiently(() => writing.addPartitions(before, [topicPartition()]));
    await writing.produce(before, topicPartition(), batchOf(before, 0, 1));
    const after = await patiently(() => writing.initProducer(id));
    expect(after).toEqual({ ...before, epoch: expect.any(Number) });
    expect(after.epoch).toBeGreaterThan(before.epoch);
    const group = names.group('fold');
    for (const request of [
      () => writing.produce(before, topicPartition(), batchOf(before, 1, 1)),
      () => writing.addPartitions(before, [topicPartition()]),
      () => writing.addGroup(before, group),
      () => writing.commitOffset(before, { ...topicPartition(), group, nextOffset: 1 }, NO_MEMBER),
      () => writing.commit(before),
    ])
      expect(await outcome(patiently<unknown>(request))).toBe('INVALID_PRODUCER_EPOCH');
  });

  test('an offset is refused from an unknown member, and from a member of another generation', async () => {
    const group = names.group('fold');
    const membership = new Membership({
      transport: newTransport(),
      groupId: group,
      topic: names.topic('frames'),
      partitions: 1,
      sessionMs: limits.kafkaSessionMs,
    });
    expect(await membership.join([], never)).toEqual([0]);
    const member = membership.identity!;
    const producer = await patiently(() => writing.initProducer(names.transactionalId('fold', 'frames', 0)));
    await patiently(() => writing.addGroup(producer, group));
    const offset = { ...topicPartition(), group, nextOffset: 5 };
    expect(await outcome(writing.commitOffset(producer, offset, { ...member, memberId: 'somebody' }))).toBe('UNKNOWN_MEMBER_ID');
    const { generationId } = member;
    expect(await outcome(writing.commitOffset(producer, offset, { ...member, generationId: generationId - 1 }))).toBe('ILLEGAL_GENERATION');
    await writing.commitOffset(producer, offset, member);
    await patiently(() => writing.commit(producer));
    await expect.poll(() => requests.committed('fold', 'frames', 0)).toBe(5);
    // The same again, as after a lost response.
    await patiently(() => writing.commit(producer));
    await membership.leave();
    await patiently(() => writing.addGroup(producer, group));
    expect(await outcome(writing.commitOffset(producer, offset, member))).toBe('UNKNOWN_MEMBER_ID');
  });
});
