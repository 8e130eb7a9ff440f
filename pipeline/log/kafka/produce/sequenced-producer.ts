// A producer whose batches brokers accept once each: they identify it by its id, and each partition's records by sequence numbers.
import type { Records } from '../../record-block.ts';
import { type BatchEncoder, SEQUENCES } from './record-batch.ts';
import { persistently, type WriteAttempts } from './write-attempts.ts';
import type { ProducerIdentity, TopicPartition, WriteRequests } from './write-requests.ts';

interface SequencedProducerOptions {
  readonly requests: WriteRequests;
  readonly encoder: BatchEncoder;
  /** Stops all retries. */
  readonly stopped: AbortSignal;
  /** null to write without transactions. */
  readonly transactionalId: string | null;
}

/** Result of writing one batch. */
export interface WrittenBatch {
  /** Number of records in it. */
  readonly count: number;
  /** Offset of its first record. */
  readonly baseOffset: number;
}

export class SequencedProducer {
  readonly identity: ProducerIdentity;
  readonly attempts: WriteAttempts;
  private readonly encoder: BatchEncoder;
  /** Sequence number of the next record, by partition. */
  private readonly sequences = new Map<string, number>();

  private constructor(identity: ProducerIdentity, { requests, encoder, stopped }: SequencedProducerOptions) {
    this.identity = identity;
    this.attempts = { requests, stopped };
    this.encoder = encoder;
  }

  /** Requests a producer id, or the epoch that fences the previous producer. Errors: those of `persistently`. */
  static async open(options: SequencedProducerOptions): Promise<SequencedProducer> {
    const { requests, transactionalId } = options;
    return new SequencedProducer(await persistently(options, () => requests.initProducer(transactionalId)), options);
  }

  /**
   * Writes one batch of the records from index `from` on. A partition may have one pending batch: the next one's sequence numbers follow from it.
   * After an error this producer must not write any more, because the state of the partition is unknown. Errors: those of `persistently`.
   */
  async write(topicPartition: TopicPartition, records: Records, from: number): Promise<WrittenBatch> {
    const key = `${topicPartition.topic} ${topicPartition.partition}`;
    const sequence = this.sequences.get(key) ?? 0;
    const { bytes, count } = this.encoder.encode(records, from, sequence, this.identity);
    const baseOffset = await persistently(this.attempts, () => this.attempts.requests.produce(this.identity, topicPartition, bytes));
    this.sequences.set(key, (sequence + count) % SEQUENCES);
    return { count, baseOffset };
  }
}
