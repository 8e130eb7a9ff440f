// `EventLog.append`: one idempotent producer, and per partition a lane with one request under way. Appends that wait meanwhile share the next one.
// More than one under way would not be safe: when a connection breaks, kafkajs gives the sequence numbers of the lost request to whatever is
// sent first afterwards, and the broker takes that for a repetition and drops it.
import type { CompressionTypes, Kafka, Producer } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import type { OutgoingRecord } from '../event-log.ts';
import { PRODUCER_RETRY } from './connection.ts';
import { unreachable } from './failures.ts';
import type { KafkaNames } from './names.ts';
import { checkRecords, cutRecords, messagesOf, toldPartition } from './outgoing.ts';

interface Waiting {
  readonly records: readonly OutgoingRecord[];
  readonly bytes: number;
  resolve(lastOffset: number): void;
  reject(error: unknown): void;
}

interface Lane {
  readonly topic: TopicId;
  readonly partition: number;
  queue: Waiting[];
  running: Promise<void> | null;
}

export interface AppenderOptions {
  readonly kafka: Kafka;
  readonly names: KafkaNames;
  readonly brokers: readonly string[];
  readonly compression: CompressionTypes;
  /** Waited for before anything is sent. */
  readonly before: () => Promise<void>;
  /** Records after which a producer is renewed. */
  readonly sequenceMax?: number;
}

/** A producer and how many requests of it are under way. */
interface Sender {
  readonly producer: Producer;
  readonly connected: Promise<void>;
  records: number;
  sends: number;
}

export class KafkaAppender {
  private readonly options: AppenderOptions;
  private readonly lanes = new Map<string, Lane>();
  private sender: Sender | null = null;
  /** Neither acknowledged nor refused. */
  private readonly unsettled = new Set<Waiting>();
  private waitingBytes = 0;

  constructor(options: AppenderOptions) {
    this.options = options;
  }

  /** Errors: `log.record_too_large`, `log.too_much_waiting`, `connect.failed`. */
  async append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    const bytes = checkRecords(topic, records);
    const waitingBytes = this.waitingBytes + bytes;
    if (waitingBytes > limits.kafkaWaitingBytesMax && this.waitingBytes > 0)
      throw new SquitterError('log.too_much_waiting', { bytes: waitingBytes, limit: limits.kafkaWaitingBytesMax });
    this.waitingBytes = waitingBytes;
    const lane = this.lane(topic, partition);
    return new Promise((resolve, reject) => {
      const waiting = { records, bytes, resolve, reject };
      this.unsettled.add(waiting);
      lane.queue.push(waiting);
      lane.running ??= this.run(lane);
    });
  }

  /** Resolves when nothing waits and nothing is under way. */
  async idle(): Promise<void> {
    await Promise.all([...this.lanes.values()].map(({ running }) => running));
  }

  /** Appends that are not acknowledged yet are refused with `log.closed`. */
  async close(): Promise<void> {
    for (const lane of this.lanes.values()) lane.queue = [];
    for (const { reject } of this.unsettled) reject(new SquitterError('log.closed'));
    const { sender } = this;
    this.sender = null;
    await sender?.producer.disconnect();
  }

  private lane(topic: TopicId, partition: number): Lane {
    const key = `${topic}/${partition}`;
    let lane = this.lanes.get(key);
    if (lane === undefined) {
      lane = { topic, partition, queue: [], running: null };
      this.lanes.set(key, lane);
    }
    return lane;
  }

  private async run(lane: Lane): Promise<void> {
    // Appends of the same turn go together.
    await null;
    while (lane.queue.length > 0) {
      const group = takeGroup(lane.queue);
      try {
        await this.send(lane, group);
      } catch (error) {
        const reason = unreachable(this.options.brokers, error);
        for (const { reject } of group) reject(reason);
      } finally {
        for (const waiting of group) {
          this.unsettled.delete(waiting);
          this.waitingBytes -= waiting.bytes;
        }
      }
    }
    lane.running = null;
  }

  private async send({ topic, partition }: Lane, group: readonly Waiting[]): Promise<void> {
    await this.options.before();
    const offsets: number[] = [];
    const all = group.length === 1 ? group[0]!.records : group.flatMap(({ records }) => records);
    for (const records of cutRecords(all)) {
      const baseOffset = await this.sendBatch(topic, partition, records);
      for (let i = 0; i < records.length; i += 1) offsets.push(baseOffset + i);
    }
    let end = 0;
    for (const { records, resolve } of group) {
      end += records.length;
      resolve(offsets[end - 1] ?? -1);
    }
  }

  /** Offset of the first record. */
  private async sendBatch(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    const { names, compression, sequenceMax = limits.kafkaSequenceMax } = this.options;
    this.sender ??= this.openSender();
    const { sender } = this;
    sender.sends += 1;
    sender.records += records.length;
    try {
      await sender.connected;
      const [answer] = await sender.producer.send({
        topic: names.topic(topic),
        messages: messagesOf(partition, records),
        acks: -1,
        compression,
      });
      // kafkajs does not count beyond the largest sequence number as brokers do.
      if (sender.records >= sequenceMax) this.retire(sender);
      return Number(answer!.baseOffset);
    } catch (error) {
      // What it sent last may be there or not: nothing more may be sent under the same numbers.
      this.retire(sender);
      throw error;
    } finally {
      sender.sends -= 1;
      if (sender !== this.sender && sender.sends === 0) void sender.producer.disconnect().catch(() => undefined);
    }
  }

  private openSender(): Sender {
    const producer = this.options.kafka.producer({
      idempotent: true,
      allowAutoTopicCreation: false,
      createPartitioner: toldPartition,
      retry: PRODUCER_RETRY,
    });
    return { producer, connected: producer.connect(), records: 0, sends: 0 };
  }

  /** Takes no more; what is under way in other lanes ends as it ends. */
  private retire(sender: Sender): void {
    if (this.sender === sender) this.sender = null;
  }
}

/** Whole appends that fit one record batch together, at least one. */
function takeGroup(queue: Waiting[]): Waiting[] {
  let count = 1;
  for (let bytes = queue[0]!.bytes; count < queue.length; count += 1) {
    bytes += queue[count]!.bytes;
    if (bytes > limits.kafkaBatchBytesMax) break;
  }
  return queue.splice(0, count);
}
