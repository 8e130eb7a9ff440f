// EventLog on Kafka, through kafkajs: any number of processes may write and read.

import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topicIds, topics } from '../../../schemas/topics.ts';
import { settledWithin } from '../../runtime/waiting.ts';
import type { Bounds, Commit, EventLog, GroupHandler, GroupMember, ReadRequest, RecordBatch } from '../event-log.ts';
import type { OutgoingRecord } from '../record-block.ts';
import { KafkaAppender } from './appender.ts';
import { batchCodec } from './compression.ts';
import { type KafkaConnection, KafkaSockets, type OnKafkaMessage } from './connection.ts';
import { openTransport } from './kafkajs-transport.ts';
import { KafkaMember } from './member.ts';
import { Membership } from './membership.ts';
import { KafkaNames } from './names.ts';
import { BatchEncoder } from './produce/record-batch.ts';
import { KafkaWriteRequests } from './produce/write-requests.ts';
import { KafkaReader, type ReadRequests } from './reader.ts';
import { KafkaRequests } from './requests.ts';
import { SharedFetch } from './shared-fetch.ts';
import type { KafkaRetention } from './topics.ts';
import { KafkaTransactions } from './transactions.ts';

const DAY_MS = 86_400_000;

export interface KafkaLogOptions {
  readonly connection: KafkaConnection;
  /** Prefix of topic names, groups and transactional ids, for several installations on one cluster. */
  readonly namePrefix?: string;
  /** Session timeout of group members. */
  readonly sessionMs?: number;
  /** Retention of the topics, see `ensureTopics`. */
  readonly retention?: KafkaRetention;
  /** Awaited for each batch before its reader gets it. */
  readonly before?: (batch: RecordBatch) => Promise<void>;
  readonly onMessage?: OnKafkaMessage;
}

/** Connects. Errors: `connect.failed`, `log.topics_missing`, `input.unreadable`. */
export async function openKafkaLog(options: KafkaLogOptions): Promise<KafkaLog> {
  const log = new KafkaLog(options);
  try {
    await log.open();
    return log;
  } catch (error) {
    await log.close();
    throw error;
  }
}

export class KafkaLog implements EventLog {
  private readonly options: KafkaLogOptions;
  private readonly sockets = new KafkaSockets();
  private readonly names: KafkaNames;
  private readonly requests: KafkaRequests;
  /** Separate connections for writes: brokers process the requests of a connection in order, and a write waits for all replicas. */
  private readonly writing: KafkaRequests;
  private readonly reader: KafkaReader;
  private readonly appender: KafkaAppender;
  private readonly transactions: KafkaTransactions;
  private readonly members = new Set<GroupMember>();
  private readonly closing = new AbortController();
  private following: Promise<ReadRequests> | null = null;
  private closed: Promise<void> | null = null;

  constructor(options: KafkaLogOptions) {
    const { connection, namePrefix = '' } = options;
    this.options = options;
    this.names = new KafkaNames(namePrefix);
    this.requests = this.openRequests();
    this.reader = new KafkaReader({
      requests: this.requests,
      following: () => this.openFollowing(),
      names: this.names,
      closing: this.closing.signal,
      before: options.before,
    });
    this.writing = this.openRequests();
    const writing = {
      names: this.names,
      encoder: new BatchEncoder(batchCodec(options.onMessage)),
      writing: new KafkaWriteRequests(this.writing),
      before: () => this.reader.endsKnown(),
    };
    this.appender = new KafkaAppender({ ...writing, brokers: connection.brokers });
    this.transactions = new KafkaTransactions({ ...writing, requests: this.requests, closing: this.closing.signal });
  }

  /** Number of open connections to brokers. */
  get connections(): number {
    return this.sockets.count;
  }

  /** Time since the last data from a broker, ms. A log in use gets several responses a second. */
  get silentMs(): number {
    return this.sockets.silentMs;
  }

  open(): Promise<void> {
    return this.requests.open();
  }

  partitions(topic: TopicId): number {
    if (!topicIds.includes(topic)) throw new SquitterError('log.unknown_topic', { topic });
    return this.requests.partitionCount(topic);
  }

  async append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    this.check(topic, partition);
    if (this.options.retention !== 'forever') checkAge(topic, records);
    return this.appender.append(topic, partition, records);
  }

  async commit(commit: Commit): Promise<void> {
    this.check(commit.topic, commit.partition);
    for (const output of commit.outputs) this.check(output.topic, output.partition);
    await this.transactions.commit(commit);
  }

  async committed(group: string, topic: TopicId, partition: number): Promise<number | null> {
    this.check(topic, partition);
    return this.requests.committed(group, topic, partition);
  }

  async bounds(topic: TopicId, partition: number): Promise<Bounds> {
    this.check(topic, partition);
    return this.requests.bounds(topic, partition);
  }

  async offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number> {
    this.check(topic, partition);
    const found = await this.requests.offsetAt(topic, partition, timestampMs);
    const { next } = await this.requests.bounds(topic, partition);
    if (found < 0) return next;
    // The record found may be a transaction marker, which has the broker's time. The wanted record then follows it.
    for await (const { records } of this.reader.read({ topic, partition, from: found, to: next })) {
      const record = records.find((stored) => stored.timestampMs >= timestampMs);
      if (record !== undefined) return record.offset;
    }
    return next;
  }

  read(request: ReadRequest): AsyncIterable<RecordBatch> {
    this.check(request.topic, request.partition);
    return this.reader.read(request);
  }

  async join(group: string, topic: TopicId, handler: GroupHandler): Promise<GroupMember> {
    const partitions = this.partitions(topic);
    this.checkOpen();
    const { connection, onMessage, sessionMs = limits.kafkaSessionMs } = this.options;
    // Separate connections: a broker processes the requests of a connection in order, and a join may take long.
    const transport = openTransport(connection, { sockets: this.sockets, onMessage, requestTimeoutMs: sessionMs / 3 });
    await this.requests.patiently(async () => {
      await transport.connect();
      await transport.addTopics([this.names.topic(topic)]);
    });
    const membership = new Membership({
      transport,
      groupId: this.names.group(group),
      topic: this.names.topic(topic),
      partitions,
      sessionMs,
    });
    const member = new KafkaMember({ log: this, membership, transactions: this.transactions, group, topic, handler });
    this.members.add(member);
    const forget = (): void => {
      this.members.delete(member);
      void transport.disconnect().catch(() => undefined);
    };
    member.done.then(forget, forget);
    return member;
  }

  /** Leaves all groups and waits for pending requests. Takes only seconds even if no broker responds. */
  close(): Promise<void> {
    this.closed ??= this.closeOnce();
    return this.closed;
  }

  private async closeOnce(): Promise<void> {
    await settledWithin(Promise.allSettled([...this.members].map((member) => member.leave())), limits.kafkaCloseMsMax);
    await settledWithin(Promise.allSettled([this.appender.idle(), this.transactions.idle()]), limits.kafkaCloseMsMax);
    this.closing.abort();
    this.appender.close();
    this.transactions.close();
    const ends = [this.requests.transport.disconnect(), this.writing.transport.disconnect()];
    if (this.following !== null) ends.push(this.following.then(({ requests }) => requests.transport.disconnect()));
    await settledWithin(Promise.allSettled(ends), limits.kafkaCloseMsMax);
    await this.sockets.close();
  }

  private openRequests(): KafkaRequests {
    const { connection, onMessage } = this.options;
    return new KafkaRequests({
      transport: openTransport(connection, { sockets: this.sockets, onMessage }),
      names: this.names,
      brokers: connection.brokers,
      closing: this.closing.signal,
    });
  }

  private openFollowing(): Promise<ReadRequests> {
    this.following ??= (async () => {
      const requests = this.openRequests();
      await requests.open();
      return { requests, fetches: new SharedFetch(requests) };
    })().catch((error: unknown) => {
      this.following = null;
      throw error;
    });
    return this.following;
  }

  private check(topic: TopicId, partition: number): void {
    this.checkOpen();
    if (!Number.isInteger(partition) || partition < 0 || partition >= this.partitions(topic))
      throw new SquitterError('log.unknown_partition', { topic: topics[topic].name, partition });
  }

  private checkOpen(): void {
    if (this.closing.signal.aborted) throw new SquitterError('log.closed');
  }
}

/** Refuses records that Kafka would delete at once, because it takes their age from their own timestamp. Error: `log.record_too_old`. */
function checkAge(topic: TopicId, records: readonly OutgoingRecord[]): void {
  const { name, retentionMs } = topics[topic];
  if (retentionMs === null) return;
  const oldestMs = Date.now() - retentionMs;
  for (const { timestampMs } of records)
    if (timestampMs < oldestMs)
      throw new SquitterError('log.record_too_old', { topic: name, time: new Date(timestampMs).toISOString(), days: retentionMs / DAY_MS });
}
