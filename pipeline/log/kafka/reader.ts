// `EventLog.read`: bounded reads fetch what they need, reads that follow join the long poll.
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { linkedSignal, untilAborted } from '../../runtime/waiting.ts';
import type { Bounds, ReadRequest, RecordBatch, StoredRecord } from '../event-log.ts';
import { type Fetched, fetchAlone } from './fetch.ts';
import type { LongPoll } from './long-poll.ts';
import type { KafkaRequests } from './requests.ts';
import { SharedFetch } from './shared-fetch.ts';

/** Pieces of a partition from an offset on. */
interface Pieces {
  /** null when the reading is to end. */
  next(): Promise<Fetched | null>;
  close(): void;
}

interface Start {
  /** null where neither end need be known. */
  readonly bounds: Bounds | null;
  /** The first piece, where it is here already. */
  readonly first: Fetched | null;
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
  private readonly shared: SharedFetch;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.shared = new SharedFetch((node, fetch) => options.requests.inTurn(node, fetch));
  }

  read(request: ReadRequest): AsyncIterable<RecordBatch> {
    // Asked for now, not when the first batch is: the end is that of this moment.
    const start = this.start(request);
    const asked = start.catch(() => undefined).finally(() => this.asking.delete(asked));
    this.asking.add(asked);
    return this.batches(request, start);
  }

  /** What a read must know before it begins; where that is only the end, the first piece comes with it. */
  private async start({ topic, partition, from, to }: ReadRequest): Promise<Start> {
    const { requests } = this.options;
    if (from === 'earliest') return { bounds: await requests.bounds(topic, partition), first: null };
    if (to !== 'end') return { bounds: null, first: null };
    // A fetch tells an end too, but after an election a lesser one than was told before.
    const end = requests.end(topic, partition);
    const piece = this.fetchNow(topic, partition, from).catch((error: unknown) => {
      if (!isOutOfRange(error)) throw error;
      return null;
    });
    const [next, first] = await Promise.all([end, piece]);
    return { bounds: { earliest: from, next }, first };
  }

  /** Resolves when the ends that were asked for are known: what this process writes afterwards is not in those reads. */
  async endsKnown(): Promise<void> {
    if (this.asking.size > 0) await Promise.all(this.asking);
  }

  private async *batches(request: ReadRequest, asked: Promise<Start>): AsyncGenerator<RecordBatch, void, undefined> {
    const { closing } = this.options;
    const { signal, end } = linkedSignal([request.signal, closing]);
    try {
      const start = await untilAborted(asked, signal, null);
      if (start !== null && !signal.aborted) yield* this.between(request, start, signal);
    } finally {
      end();
    }
    if (closing.aborted && request.signal?.aborted !== true) throw new SquitterError('log.closed');
  }

  private async *between(request: ReadRequest, start: Start, stopped: AbortSignal): AsyncGenerator<RecordBatch, void, undefined> {
    const { from, to } = request;
    const { bounds } = start;
    let { first } = start;
    const end = to === 'follow' ? Number.POSITIVE_INFINITY : to === 'end' ? bounds!.next : to;
    let position = from === 'earliest' ? bounds!.earliest : from;
    while (position < end && !stopped.aborted) {
      const pieces = await this.open(request, position, end, first);
      first = null;
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

  private async open(request: ReadRequest, offset: number, end: number, first: Fetched | null): Promise<Pieces> {
    if (request.to !== 'follow') return this.bounded(request, offset, end, first);
    const longPoll = await this.options.longPoll();
    return longPoll.follow({ topic: this.options.names.topic(request.topic), partition: request.partition, offset });
  }

  /** Fetches the piece after the one that is being worked on. */
  private bounded({ topic, partition }: ReadRequest, from: number, end: number, first: Fetched | null): Pieces {
    const fetch = (offset: number, isStable: boolean): Promise<Fetched> => {
      const fetched = isStable ? this.fetchNow(topic, partition, offset) : this.fetchLater(topic, partition, offset);
      fetched.catch(() => undefined);
      return fetched;
    };
    let isClosed = false;
    let ahead = first === null ? fetch(from, true) : Promise.resolve(first);
    return {
      async next() {
        if (isClosed) return null;
        const fetched = await ahead;
        if (fetched.nextOffset < end && !isClosed) {
          // The end that was asked for may not be stable yet: wait for it.
          ahead = fetch(fetched.nextOffset, fetched.nextOffset < fetched.stableEnd);
        }
        return fetched;
      },
      close() {
        isClosed = true;
      },
    };
  }

  private fetchNow(topic: TopicId, partition: number, offset: number): Promise<Fetched> {
    const { requests, names } = this.options;
    const place = { topic: names.topic(topic), partition, offset };
    return requests.patiently(() => this.shared.fetch(requests.leader(place.topic, partition), place));
  }

  /** Waits a little for something new. */
  private fetchLater(topic: TopicId, partition: number, offset: number): Promise<Fetched> {
    const { requests, names } = this.options;
    const place = { topic: names.topic(topic), partition, offset };
    return requests.patiently(() =>
      requests.inTurn(requests.leader(place.topic, partition), (broker) => fetchAlone(broker, place, limits.kafkaFetchWaitMs)),
    );
  }

  /** Where to go on after an error: 'earliest' moves with the retention. Errors: `log.offset_out_of_range`, or the error itself. */
  private async afterError(error: unknown, { topic, partition, from }: ReadRequest, position: number): Promise<number> {
    if (!isOutOfRange(error)) throw error;
    const { earliest, next } = await this.options.requests.bounds(topic, partition);
    if (from === 'earliest' && position < earliest) return earliest;
    throw new SquitterError('log.offset_out_of_range', { offset: position, topic: topics[topic].name, partition, earliest, next }, error);
  }
}

function isOutOfRange(error: unknown): boolean {
  return (error as { name?: string }).name === 'KafkaJSOffsetOutOfRange';
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
