// `EventLog.commit`: outputs and the input offset in one Kafka transaction, with one transactional producer per group and input partition.
// kafkajs sends offsets without member id and generation, so brokers do not fence a worker that lost its partition. These rules do:
//   1. the transactional id is the group and the input partition (`names.ts`), so a new owner's producer fences the one before it;
//   2. after any error the producer is thrown away, its work is never tried again in place, and nothing more is committed for the partition
//      until it is taken over anew, from what is committed;
//   3. after every connect the group's committed offset is read, and work that begins elsewhere is refused;
//   4. and 5. concern members of groups: `membership.ts`, `member.ts`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { CompressionTypes, Kafka, Producer, Transaction } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { topics } from '../../../schemas/topics.ts';
import type { Commit, Output } from '../event-log.ts';
import { PRODUCER_RETRY } from './connection.ts';
import { isFenced, kafkaCode } from './failures.ts';
import type { Place } from './fetch.ts';
import type { KafkaNames } from './names.ts';
import { checkRecords, cutRecords, messagesOf, toldPartition } from './outgoing.ts';
import type { KafkaRequests } from './requests.ts';
import { linkedSignal, settledWithin, untilAborted } from './waiting.ts';

export interface TransactionsOptions {
  readonly kafka: Kafka;
  readonly names: KafkaNames;
  readonly compression: CompressionTypes;
  readonly requests: KafkaRequests;
  /** Aborted when the log is closed. */
  readonly closing: AbortSignal;
  /** Waited for before anything is sent. */
  readonly before: () => Promise<void>;
  /** Records after which a producer is renewed. */
  readonly sequenceMax?: number;
}

/** A connected producer: nobody else has committed since, or this one is fenced. */
interface Writer {
  readonly producer: Producer;
  /** Where the group stands; null when it never committed. */
  standsAt: number | null;
  records: number;
}

/** One input partition of a group. */
interface Slot {
  writer: Writer | null;
  /** What broke the last writer. */
  failure: SquitterError | null;
  /** Calls of one partition run one after the other. */
  last: Promise<unknown>;
}

type Input = Pick<Commit, 'group' | 'topic' | 'partition'>;

export class KafkaTransactions {
  private readonly options: TransactionsOptions;
  private readonly slots = new Map<string, Slot>();

  constructor(options: TransactionsOptions) {
    this.options = options;
  }

  /** Fences whoever worked on the partition before, ends their open transaction, and tells where the group stands. */
  takeOver(input: Input): Promise<number | null> {
    return this.inTurn(input, async (slot) => {
      await this.discard(slot);
      slot.failure = null;
      slot.writer = await this.open(input);
      return slot.writer.standsAt;
    });
  }

  /** Errors: `log.record_too_large`, `log.commit_conflict`, `log.commit_failed`. */
  async commit(commit: Commit): Promise<void> {
    for (const { topic, records } of commit.outputs) checkRecords(topic, records);
    await this.inTurn(commit, async (slot) => {
      // Rule 2: what the failed commit held is lost to its worker, and this one may be the rest of it.
      if (slot.failure !== null) throw slot.failure;
      slot.writer ??= await this.open(commit);
      const { writer } = slot;
      // A group that never committed may begin anywhere: its first commit decides.
      if (writer.standsAt !== null && writer.standsAt !== commit.fromOffset) throw conflict(commit, writer.standsAt);
      try {
        await withinTime(this.write(writer, commit), this.options.closing);
      } catch (error) {
        slot.failure = await this.explained(commit, error);
        await this.discard(slot);
        throw slot.failure;
      }
      writer.standsAt = commit.nextOffset;
      if (writer.records >= (this.options.sequenceMax ?? limits.kafkaSequenceMax)) await this.discard(slot);
    });
  }

  /** Ends the producer of a partition that is given back. */
  release(input: Input): Promise<void> {
    return this.inTurn(input, (slot) => this.discard(slot));
  }

  async idle(): Promise<void> {
    await Promise.all([...this.slots.values()].map(({ last }) => last));
  }

  async close(): Promise<void> {
    await Promise.all([...this.slots.values()].map((slot) => this.discard(slot)));
  }

  private inTurn<T>({ group, topic, partition }: Input, work: (slot: Slot) => Promise<T>): Promise<T> {
    const id = this.options.names.transactionalId(group, topic, partition);
    let slot = this.slots.get(id);
    if (slot === undefined) {
      slot = { writer: null, failure: null, last: Promise.resolve() };
      this.slots.set(id, slot);
    }
    const own = slot;
    const result = own.last.then(() => work(own));
    own.last = result.catch(() => undefined);
    return result;
  }

  private async open({ group, topic, partition }: Input): Promise<Writer> {
    const { kafka, names, requests } = this.options;
    const producer = kafka.producer({
      transactionalId: names.transactionalId(group, topic, partition),
      transactionTimeout: limits.kafkaTransactionMsMax,
      allowAutoTopicCreation: false,
      createPartitioner: toldPartition,
      retry: PRODUCER_RETRY,
    });
    try {
      await producer.connect();
      // The first transaction asks for the epoch that fences the older producer; it answers when that one's transaction is ended.
      await (await producer.transaction()).abort();
      // Rule 3.
      return { producer, standsAt: await requests.committed(group, topic, partition), records: 0 };
    } catch (error) {
      await settledWithin(producer.disconnect(), limits.kafkaCloseMsMax);
      throw error;
    }
  }

  private async write(writer: Writer, commit: Commit): Promise<void> {
    const { names, before } = this.options;
    await before();
    const transaction = await writer.producer.transaction();
    const written = await Promise.all(byPartition(commit.outputs).map((output) => this.send(writer, transaction, output)));
    const offsets = {
      consumerGroupId: names.group(commit.group),
      topics: [{ topic: names.topic(commit.topic), partitions: [{ partition: commit.partition, offset: String(commit.nextOffset) }] }],
    };
    await whileConcurrent(() => transaction.sendOffsets(offsets));
    await transaction.commit();
    // It is certain now, whatever comes.
    await settledWithin(this.untilVisible(commit, written), limits.kafkaVisibleMsMax);
  }

  /**
   * Gives where the records end. One topic and partition per request: where a leader moves while a request to several brokers is repeated,
   * kafkajs may leave out a partition that went to a broker which has answered already, and says nothing.
   */
  private async send(writer: Writer, transaction: Transaction, { topic, partition, records }: Output): Promise<Place> {
    const name = this.options.names.topic(topic);
    let offset = 0;
    for (const run of cutRecords(records)) {
      writer.records += run.length;
      const messages = messagesOf(partition, run);
      const [answer] = await transaction.send({ topic: name, messages, acks: -1, compression: this.options.compression });
      offset = Number(answer!.baseOffset) + run.length;
    }
    return { topic: name, partition, offset };
  }

  /**
   * The broker answers when the commit is certain, and only then tells the partitions. Whoever waited for the commit must find what it wrote.
   * A partition that another worker has an open transaction in shows nothing after that: this is not waited for.
   */
  private async untilVisible({ group, topic, partition, nextOffset }: Commit, written: readonly Place[]): Promise<void> {
    const { requests } = this.options;
    const deadline = performance.now() + limits.kafkaVisibleMsMax;
    while (performance.now() < deadline) {
      const [ends, committed] = await Promise.all([requests.ends(written), requests.committed(group, topic, partition)]);
      if (committed === nextOffset && written.every(({ offset }, i) => ends[i]! >= offset)) return;
      await sleep(limits.kafkaMarkersPollMs);
    }
  }

  private async discard(slot: Slot): Promise<void> {
    const { writer } = slot;
    slot.writer = null;
    // A socket that does not close must not keep anybody.
    if (writer !== null) await settledWithin(writer.producer.disconnect(), limits.kafkaCloseMsMax);
  }

  private async explained(commit: Commit, error: unknown): Promise<SquitterError> {
    const { group, topic, partition } = commit;
    if (!isFenced(error))
      return new SquitterError(
        'log.commit_failed',
        { group, topic: topics[topic].name, partition, detail: (error as Error).message },
        error,
      );
    const found = await this.options.requests.committed(group, topic, partition).catch(() => null);
    return conflict(commit, found, error);
  }
}

/** One output per topic and partition, in the order of the records. */
function byPartition(outputs: readonly Output[]): Output[] {
  const merged = new Map<string, Output>();
  for (const output of outputs) {
    const key = `${output.topic}/${output.partition}`;
    const before = merged.get(key);
    merged.set(key, before === undefined ? output : { ...output, records: [...before.records, ...output.records] });
  }
  return [...merged.values()];
}

function conflict({ group, topic, partition, fromOffset }: Commit, found: number | null, cause?: unknown): SquitterError {
  const details = { group, topic: topics[topic].name, partition, found: found ?? 'unknown', wanted: fromOffset };
  return new SquitterError('log.commit_conflict', details, cause);
}

/** kafkajs tries sends again while the last transaction's markers are being written, but not offsets. */
async function whileConcurrent(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + limits.kafkaMarkersMsMax;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (kafkaCode(error) !== 'CONCURRENT_TRANSACTIONS' || performance.now() > deadline) throw error;
      await sleep(limits.kafkaMarkersPollMs);
    }
  }
}

/** Fails when the log is closed, or after the time in which the broker ends the transaction itself. */
async function withinTime(work: Promise<void>, closing: AbortSignal): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), limits.kafkaTransactionMsMax);
  const { signal, end } = linkedSignal([closing, late.signal]);
  try {
    const done = work.then(() => true);
    if (await untilAborted(done, signal, false)) return;
  } finally {
    clearTimeout(timer);
    end();
  }
  if (closing.aborted) throw new SquitterError('log.closed');
  throw new Error(`no answer within ${limits.kafkaTransactionMsMax / 1000} s`);
}
