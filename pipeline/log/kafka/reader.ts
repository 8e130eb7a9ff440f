// `EventLog.read`: bounded reads fetch what they need, reads that follow join the long poll.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import type { Bounds, ReadRequest, RecordBatch, StoredRecord } from '../event-log.ts';
import { type Fetched, fetchAlone } from './fetch.ts';
import type { LongPoll } from './long-poll.ts';
import type { KafkaRequests } from './requests.ts';
import { linkedSignal, untilAborted } from './waiting.ts';

/** Pieces of a partition from an offset on. */
interface Pieces {
  /** null when the reading is to end. */
  next(): Promise<Fetched | null>;
  close(): void;
}

export interface ReaderOptions {
  readonly requests: KafkaRequests;
  /** Connects when somebody follows for the first time. */
  longPoll(): Promise<LongPoll>;
  readonly names: { topic(id: TopicId): string };
  /** Aborted when the log is closed. */
  readonly closing: AbortSignal;
  /** Waited for with each batch before its reader gets it. */
  readonly before?: ((batch: RecordBatch) => Promise<void>) | undefined;
}

export class KafkaReader {
  private readonly options: ReaderOptions;
  private readonly asking = new Set<Promise<unknown>>();

  constructor(options: ReaderOptions) {
    this.options = options;
  }

  read(request: ReadRequest): AsyncIterable<RecordBatch> {
    const { topic, partition, from, to } = request;
    // Asked for now, not when the first batch is: the end is that of this moment.
    const needsBounds = to === 'end' || from === 'earliest';
    const bounds = needsBounds ? this.options.requests.bounds(topic, partition) : Promise.resolve(null);
    const asked = bounds.catch(() => undefined).finally(() => this.asking.delete(asked));
    this.asking.add(asked);
    return this.batches(request, bounds);
  }

  /** Resolves when the ends that were asked for are known: what this process writes afterwards is not in those reads. */
  async endsKnown(): Promise<void> {
    if (this.asking.size > 0) await Promise.all(this.asking);
  }

  private async *batches(request: ReadRequest, asked: Promise<Bounds | null>): AsyncGenerator<RecordBatch, void, undefined> {
    const { closing } = this.options;
    const { signal, end } = linkedSignal([request.signal, closing]);
    try {
      const bounds = await untilAborted(asked, signal, null);
      if (!signal.aborted) yield* this.between(request, bounds, signal);
    } finally {
      end();
    }
    if (closing.aborted && request.signal?.aborted !== true) throw new SquitterError('log.closed');
  }

  private async *between(request: ReadRequest, bounds: Bounds | null, stopped: AbortSignal): AsyncGenerator<RecordBatch, void, undefined> {
    const { from, to } = request;
    const end = to === 'follow' ? Number.POSITIVE_INFINITY : to === 'end' ? bounds!.next : to;
    let position = from === 'earliest' ? bounds!.earliest : from;
    while (position < end && !stopped.aborted) {
      const pieces = await this.open(request, position, end);
      const close = (): void => pieces.close();
      stopped.addEventListener('abort', close);
      try {
        while (position < end && !stopped.aborted) {
          const piece = await untilAborted(pieces.next(), stopped, null);
          if (piece === null) break;
          position = Math.min(piece.nextOffset, end);
          for (const batch of batchesOf(request, piece, position)) {
            await this.options.before?.(batch);
            if (stopped.aborted) break;
            yield batch;
          }
        }
      } catch (error) {
        position = await this.afterError(error, request, position);
      } finally {
        stopped.removeEventListener('abort', close);
        pieces.close();
      }
    }
  }

  private async open(request: ReadRequest, offset: number, end: number): Promise<Pieces> {
    if (request.to !== 'follow') return this.bounded(request, offset, end);
    const longPoll = await this.options.longPoll();
    return longPoll.follow({ topic: this.options.names.topic(request.topic), partition: request.partition, offset });
  }

  /** Fetches the piece after the one that is being worked on. */
  private bounded({ topic, partition }: ReadRequest, from: number, end: number): Pieces {
    const { requests, names } = this.options;
    const name = names.topic(topic);
    const fetch = (offset: number, waitMs: number): Promise<Fetched> => {
      const fetched = requests.patiently(() =>
        requests.inTurn(requests.leader(name, partition), (broker) => fetchAlone(broker, { topic: name, partition, offset }, waitMs)),
      );
      fetched.catch(() => undefined);
      return fetched;
    };
    let isClosed = false;
    let ahead = fetch(from, 0);
    return {
      async next() {
        if (isClosed) return null;
        const fetched = await ahead;
        if (fetched.nextOffset < end && !isClosed) {
          // The end that was asked for may not be stable yet: wait for it.
          const isBehind = fetched.nextOffset < fetched.stableEnd;
          ahead = fetch(fetched.nextOffset, isBehind ? 0 : limits.kafkaFetchWaitMs);
        }
        return fetched;
      },
      close() {
        isClosed = true;
      },
    };
  }

  /** Where to go on after an error: 'earliest' moves with the retention. Errors: `log.offset_out_of_range`, or the error itself. */
  private async afterError(error: unknown, { topic, partition, from }: ReadRequest, position: number): Promise<number> {
    if ((error as { name?: string }).name !== 'KafkaJSOffsetOutOfRange') throw error;
    const { earliest, next } = await this.options.requests.bounds(topic, partition);
    if (from === 'earliest' && position < earliest) return earliest;
    throw new SquitterError('log.offset_out_of_range', { offset: position, topic: topics[topic].name, partition, earliest, next }, error);
  }
}

/** A piece as batches within the limits of a read; `next` is where the piece ends. */
function* batchesOf({ topic, partition }: ReadRequest, piece: Fetched, next: number): Generator<RecordBatch> {
  for (const records of split(piece.records, next)) {
    const last = records.at(-1)!;
    yield { topic, partition, records, nextOffset: last === piece.records.at(-1) ? next : last.offset + 1 };
  }
}

/** Cuts records below `end` into batches within the limits of a read. */
function* split(records: readonly StoredRecord[], end: number): Generator<StoredRecord[]> {
  let batch: StoredRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    if (record.offset >= end) break;
    const size = record.value?.length ?? 0;
    if (batch.length > 0 && (bytes + size > limits.readBytesMax || batch.length >= limits.readRecordsMax)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(record);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
