// `EventLog.read`: pieces of a partition, each fetched while the reader processes the one before.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { type TopicId, topics } from '../../../schemas/topics.ts';
import { linkedSignal, untilAborted } from '../../runtime/waiting.ts';
import type { Bounds, ReadRequest, RecordBatch, StoredRecord } from '../event-log.ts';
import type { Fetched } from './fetch.ts';
import type { KafkaRequests } from './requests.ts';
import { SharedFetch } from './shared-fetch.ts';

/** Pieces of a partition from an offset on. */
interface Pieces {
  /** null at the end of the read. */
  next(): Promise<Fetched | null>;
  close(): void;
}

interface Start {
  /** null if the read needs no bounds. */
  readonly bounds: Bounds | null;
  /** The first piece, if it is fetched already. */
  readonly first: Fetched | null;
}

/** Requests with connections of their own, and the fetches over them. */
export interface ReadRequests {
  readonly requests: KafkaRequests;
  readonly fetches: SharedFetch;
}

interface ReaderOptions {
  readonly requests: KafkaRequests;
  /** Requests of following reads, which connect at the first one. Their long polls must not delay other reads. */
  following(): Promise<ReadRequests>;
  readonly names: { topic(id: TopicId): string };
  /** Aborted when the log is closed. */
  readonly closing: AbortSignal;
  /** Awaited for each batch before its reader gets it. */
  readonly before?: ((batch: RecordBatch) => Promise<void>) | undefined;
}

export class KafkaReader {
  private readonly options: ReaderOptions;
  private readonly starting = new Set<Promise<unknown>>();
  private readonly bounded: ReadRequests;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.bounded = { requests: options.requests, fetches: new SharedFetch(options.requests) };
  }

  read(request: ReadRequest): AsyncIterable<RecordBatch> {
    // Requested now and not with the first batch, because the end is that of this moment.
    const start = this.start(request);
    const started = start.catch(() => undefined).finally(() => this.starting.delete(started));
    this.starting.add(started);
    return this.batches(request, start);
  }

  /** Requests the bounds that a read needs. If it needs only the end, also fetches the first piece. */
  private async start({ topic, partition, from, to }: ReadRequest): Promise<Start> {
    const { requests, names } = this.options;
    if (from === 'earliest') return { bounds: await requests.bounds(topic, partition), first: null };
    if (to !== 'end') return { bounds: null, first: null };
    // A fetch response contains an end too, but after an election it may be lower than before.
    const end = requests.end(topic, partition);
    const at = { topic: names.topic(topic), partition, offset: from };
    const piece = requests
      .patiently(() => this.bounded.fetches.fetch(at, 0))
      .catch((error: unknown) => {
        if (!isOutOfRange(error)) throw error;
        return null;
      });
    const [next, first] = await Promise.all([end, piece]);
    return { bounds: { earliest: from, next }, first };
  }

  /** Resolves when all requested ends are known, so that later writes of this process are not part of those reads. */
  async endsKnown(): Promise<void> {
    if (this.starting.size > 0) await Promise.all(this.starting);
  }

  private async *batches(request: ReadRequest, starting: Promise<Start>): AsyncGenerator<RecordBatch, void, undefined> {
    const { closing } = this.options;
    const { signal, end } = linkedSignal([request.signal, closing]);
    try {
      const start = await untilAborted(starting, signal, null);
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
      try {
        while (position < end && !stopped.aborted) {
          const piece = await untilAborted(pieces.next(), stopped, null);
          if (piece === null) break;
          position = Math.min(piece.nextOffset, end);
          for (const batch of batchesOf(request, piece, position)) {
            await this.options.before?.(batch);
            if (stopped.aborted) break;
            yield batch;
            // One fetch may hold many batches, and the next piece may have come already: a long read must not block timers, requests and signals.
            await nextTurn();
          }
        }
      } catch (error) {
        position = await this.afterError(error, request, position);
      } finally {
        pieces.close();
      }
    }
  }

  /** Fetches one piece ahead of the reader. */
  private async open({ topic, partition, to }: ReadRequest, offset: number, end: number, first: Fetched | null): Promise<Pieces> {
    const follows = to === 'follow';
    const { fetches, requests } = follows ? await this.options.following() : this.bounded;
    const from = { topic: this.options.names.topic(topic), partition };
    const closed = new AbortController();
    if (follows) fetches.followed.add(from);
    const fetch = (at: number, waitMs: number): Promise<Fetched> => {
      const work = (): Promise<Fetched> => fetches.fetch({ ...from, offset: at }, waitMs);
      const fetched = follows ? requests.persistently(work, closed.signal) : requests.patiently(work);
      fetched.catch(() => undefined);
      return fetched;
    };
    let ahead = first === null ? fetch(offset, follows ? limits.kafkaFetchWaitMs : 0) : Promise.resolve(first);
    return {
      async next() {
        while (!closed.signal.aborted) {
          const fetched = await ahead;
          const { nextOffset, stableEnd, records } = fetched;
          // The requested end may not be stable yet: wait for it.
          if (nextOffset < end && !closed.signal.aborted) ahead = fetch(nextOffset, nextOffset < stableEnd ? 0 : limits.kafkaFetchWaitMs);
          if (!follows || records.length > 0) return fetched;
        }
        return null;
      },
      close() {
        closed.abort();
        fetches.followed.delete(from);
      },
    };
  }

  /** Where to continue after an error: 'earliest' moves with the retention. Errors: `log.offset_out_of_range`, or the error itself. */
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

/** The records of a piece below its end `next`, as batches within the limits of a read. */
function* batchesOf({ topic, partition }: ReadRequest, piece: Fetched, next: number): Generator<RecordBatch> {
  let records: StoredRecord[] = [];
  let bytes = 0;
  for (const record of piece.records) {
    if (record.offset >= next) break;
    const size = record.value?.length ?? 0;
    if (records.length > 0 && (bytes + size > limits.kafkaReadBytesMax || records.length >= limits.readRecordsMax)) {
      yield { topic, partition, records, nextOffset: records.at(-1)!.offset + 1 };
      records = [];
      bytes = 0;
    }
    records.push(record);
    bytes += size;
  }
  if (records.length > 0) yield { topic, partition, records, nextOffset: next };
}
