// A producer whose batches brokers take once each: they know it by its id, and every partition's records by their numbers.
import type { OutgoingRecords } from '../../record-block.ts';
import { type Patience, untilAnswered } from './patience.ts';
import { type BatchEncoder, sequenceAfter } from './record-batch.ts';
import type { ProducerIdentity, TopicPartition, WriteRequests } from './write-requests.ts';

export interface SequencedProducerOptions {
  readonly requests: WriteRequests;
  readonly encoder: BatchEncoder;
  /** Nothing is tried again after this. */
  readonly stopped: AbortSignal;
  /** null: it writes without transactions. */
  readonly transactionalId: string | null;
}

/** What one batch took of the records that were to be written. */
export interface WrittenBatch {
  /** Records in it. */
  readonly count: number;
  /** Offset of its first record. */
  readonly baseOffset: number;
}

export class SequencedProducer {
  readonly identity: ProducerIdentity;
  readonly patience: Patience;
  private readonly encoder: BatchEncoder;
  private readonly isTransactional: boolean;
  /** Number of the next record, by partition. */
  private readonly sequences = new Map<string, number>();

  private constructor(identity: ProducerIdentity, { requests, encoder, stopped }: SequencedProducerOptions) {
    this.identity = identity;
    this.patience = { requests, stopped };
    this.encoder = encoder;
    this.isTransactional = identity.transactionalId !== null;
  }

  /** Asks for an id, or for the epoch that fences the producer before it. Errors: those of `untilAnswered`. */
  static async open(options: SequencedProducerOptions): Promise<SequencedProducer> {
    const { requests, transactionalId } = options;
    return new SequencedProducer(await untilAnswered(options, () => requests.initProducer(transactionalId)), options);
  }

  /**
   * Writes one batch of the records from index `from` on. A partition may have one under way: the next one's numbers follow from it.
   * After an error nothing more may be written by this producer, as nobody knows what the partition has. Errors: those of `untilAnswered`.
   */
  async write(place: TopicPartition, records: OutgoingRecords, from: number): Promise<WrittenBatch> {
    const { id, epoch } = this.identity;
    const key = `${place.topic} ${place.partition}`;
    const sequence = this.sequences.get(key) ?? 0;
    const producer = { id, epoch, isTransactional: this.isTransactional };
    const { bytes, count } = this.encoder.encode(records, from, sequence, producer);
    const baseOffset = await untilAnswered(this.patience, () => this.patience.requests.produce(this.identity, place, bytes));
    this.sequences.set(key, sequenceAfter(sequence, count));
    return { count, baseOffset };
  }
}
