// `EventLog.append`: one idempotent producer, and per partition a lane with one pending request. Appends that wait share the next request.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import { checkRecords, type OutgoingRecord, type Records, recordsOf } from '../record-block.ts';
import { unreachable } from './failures.ts';
import type { KafkaNames } from './names.ts';
import { type BatchEncoder, RECORD_HEAD_BYTES } from './produce/record-batch.ts';
import { SequencedProducer, type WrittenBatch } from './produce/sequenced-producer.ts';
import type { TopicPartition, WriteRequests } from './produce/write-requests.ts';

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

interface AppenderOptions {
  readonly names: KafkaNames;
  readonly brokers: readonly string[];
  readonly encoder: BatchEncoder;
  readonly writing: WriteRequests;
  /** Awaited before anything is sent. */
  readonly before: () => Promise<void>;
}

export class KafkaAppender {
  private readonly options: AppenderOptions;
  private readonly lanes = new Map<string, Lane>();
  private producer: Promise<SequencedProducer> | null = null;
  private readonly closing = new AbortController();
  /** Appends that are neither acknowledged nor refused. */
  private readonly unsettled = new Set<Waiting>();
  private waitingBytes = 0;

  constructor(options: AppenderOptions) {
    this.options = options;
  }

  /** Errors: `log.record_too_large`, `log.too_much_waiting`, `connect.failed`. */
  async append(topic: TopicId, partition: number, records: readonly OutgoingRecord[]): Promise<number> {
    const bytes = checkRecords(topic, recordsOf(records), RECORD_HEAD_BYTES);
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

  /** Resolves when no append is waiting or pending. */
  async idle(): Promise<void> {
    await Promise.all([...this.lanes.values()].map(({ running }) => running));
  }

  /** Rejects unacknowledged appends with `log.closed`. */
  close(): void {
    this.closing.abort();
    for (const lane of this.lanes.values()) lane.queue = [];
    for (const { reject } of this.unsettled) reject(new SquitterError('log.closed'));
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
    // Yields once, so that appends of the same turn share a request.
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
    const all = recordsOf(group.flatMap(({ records }) => records));
    const topicPartition = { topic: this.options.names.topic(topic), partition };
    const batches: WrittenBatch[] = [];
    for (let at = 0; at < all.length; at += batches.at(-1)!.count) batches.push(await this.write(topicPartition, all, at));
    let end = 0;
    for (const { records, resolve } of group) {
      end += records.length;
      resolve(offsetOf(batches, end - 1));
    }
  }

  private async write(topicPartition: TopicPartition, records: Records, from: number): Promise<WrittenBatch> {
    const { writing: requests, encoder } = this.options;
    this.producer ??= SequencedProducer.open({ requests, encoder, transactionalId: null, stopped: this.closing.signal });
    const { producer } = this;
    try {
      return await (await producer).write(topicPartition, records, from);
    } catch (error) {
      // The last batch may or may not be written, so the producer's sequence numbers must not be used again. Other lanes finish their pending requests.
      if (this.producer === producer) this.producer = null;
      throw error;
    }
  }
}

/** Offset of a record by its index; -1 for index -1. */
function offsetOf(batches: readonly WrittenBatch[], index: number): number {
  let first = 0;
  for (const { count, baseOffset } of batches) {
    if (index < first + count) return index < 0 ? -1 : baseOffset + index - first;
    first += count;
  }
  return -1;
}

/** Takes whole appends that fit in one record batch, at least one. */
function takeGroup(queue: Waiting[]): Waiting[] {
  let count = 1;
  for (let bytes = queue[0]!.bytes; count < queue.length; count += 1) {
    bytes += queue[count]!.bytes;
    if (bytes > limits.kafkaBatchBytesMax) break;
  }
  return queue.splice(0, count);
}
