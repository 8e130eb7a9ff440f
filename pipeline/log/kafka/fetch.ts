// One fetch: records of some partitions from given offsets on, without those of aborted transactions.
import type { Broker } from 'kafkajs';
import { limits } from '../../../schemas/limits.ts';
import type { StoredRecord } from '../event-log.ts';

export interface Place {
  /** Name of the topic on the brokers. */
  readonly topic: string;
  readonly partition: number;
  readonly offset: number;
}

export interface Fetched {
  readonly topic: string;
  readonly partition: number;
  /** Committed records, in order; none where there are only control records, aborted ones, or nothing. */
  readonly records: readonly StoredRecord[];
  /** Where to go on: the offset that was asked for where nothing was there. */
  readonly nextOffset: number;
  /** End of what may be read: no transaction below it is open. */
  readonly stableEnd: number;
}

/** The part of kafkajs's answer that we use; its types say `any`. */
interface FetchAnswer {
  readonly responses: readonly {
    readonly topicName: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly lastStableOffset: string;
      readonly abortedTransactions: readonly AbortedTransaction[];
      readonly messages: readonly Message[];
    }[];
  }[];
}

export interface AbortedTransaction {
  readonly producerId: string;
  readonly firstOffset: string;
}

export interface Message {
  readonly offset: string;
  readonly timestamp: string;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly isControlRecord: boolean;
  readonly batchContext: {
    readonly firstOffset: string;
    readonly lastOffsetDelta: number;
    readonly producerId: string;
    readonly inTransaction: boolean;
  };
}

const READ_COMMITTED = 1;
/** Kafka takes the smaller of this and its own `fetch.max.bytes`, 55 MB: more than all partitions of a fetch give together. */
const ANSWER_BYTES_MAX = 55 * 1024 * 1024;

/** Fetches; `waitMs` is how long the broker may wait for something new. Errors: those of kafkajs. */
export async function fetchPlaces(broker: Broker, places: readonly Place[], waitMs: number): Promise<Fetched[]> {
  const answer: FetchAnswer = await broker.fetch({
    isolationLevel: READ_COMMITTED,
    maxWaitTime: waitMs,
    minBytes: 1,
    maxBytes: ANSWER_BYTES_MAX,
    topics: places.map(({ topic, partition, offset }) => ({
      topic,
      partitions: [{ partition, fetchOffset: String(offset), maxBytes: limits.kafkaFetchBytesMax }],
    })),
  });
  const asked = new Map(places.map((place) => [`${place.topic} ${place.partition}`, place.offset]));
  return answer.responses.flatMap(({ topicName, partitions }) =>
    partitions.map(({ partition, lastStableOffset, abortedTransactions, messages }) => {
      const from = asked.get(`${topicName} ${partition}`)!;
      const nextOffset = Math.max(from, endOf(messages));
      const records = committedRecords(messages, abortedTransactions ?? [], from);
      return { topic: topicName, partition, records, nextOffset, stableEnd: Number(lastStableOffset) };
    }),
  );
}

/**
 * As `fetchPlaces`, of one partition, and never standing still before the stable end. Compaction leaves batches without records, to keep what
 * their producers wrote last; a fetch may bring nothing else, and kafkajs shows nothing of them. So a fetch of this partition alone that
 * shows nothing below the stable end proves that there is no record at the offset itself.
 */
export async function fetchAlone(broker: Broker, place: Place, waitMs: number): Promise<Fetched> {
  const [fetched] = await fetchPlaces(broker, [place], waitMs);
  const isEmpty = fetched!.nextOffset === place.offset && place.offset < fetched!.stableEnd;
  return isEmpty ? { ...fetched!, nextOffset: place.offset + 1 } : fetched!;
}

/** Offset after the last batch: its last records may be gone. */
function endOf(messages: readonly Message[]): number {
  const last = messages.at(-1);
  return last === undefined ? 0 : Number(last.batchContext.firstOffset) + last.batchContext.lastOffsetDelta + 1;
}

/**
 * Records from an offset on that are no control records and of no aborted transaction. Written here because kafkajs's own filter takes
 * a record with the key 00000000 for an end of a transaction, and expects the transactions in the order of their beginnings, which brokers don't promise.
 */
export function committedRecords(messages: readonly Message[], aborted: readonly AbortedTransaction[], from: number): StoredRecord[] {
  const begins = aborted.map(({ producerId, firstOffset }) => ({ producerId, firstOffset: Number(firstOffset) }));
  begins.sort((a, b) => a.firstOffset - b.firstOffset);
  const ending = new Set<string>();
  const records: StoredRecord[] = [];
  let begun = 0;
  for (const message of messages) {
    const offset = Number(message.offset);
    const { producerId, inTransaction } = message.batchContext;
    for (; begun < begins.length && begins[begun]!.firstOffset <= offset; begun += 1) ending.add(begins[begun]!.producerId);
    if (message.isControlRecord) ending.delete(producerId);
    else if (offset >= from && !(inTransaction && ending.has(producerId)))
      records.push({ offset, key: message.key?.toString() ?? null, value: message.value, timestampMs: Number(message.timestamp) });
  }
  return records;
}
