// One fetch: records of some partitions from given offsets on, without those of aborted transactions.
import { limits } from '../../../schemas/limits.ts';
import type { StoredRecord } from '../event-log.ts';
import type { AbortedTransaction, Message } from './kafkajs-transport.ts';
import type { BrokerConnection } from './transport.ts';
import { fetchRequest } from './wire/read-requests.ts';

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

/** Kafka takes the smaller of this and its own `fetch.max.bytes`, 55 MB: more than all partitions of a fetch give together. */
const FETCHED_BYTES_MAX = 55 * 1024 * 1024;

/** Fetches; `waitMs` is how long the broker may wait for something new. Errors: those of kafkajs. */
export async function fetchPlaces(broker: BrokerConnection, places: readonly Place[], waitMs: number): Promise<Fetched[]> {
  const { responses } = await broker.send(
    fetchRequest({ partitions: places, waitMs, bytesMax: FETCHED_BYTES_MAX, partitionBytesMax: limits.kafkaFetchBytesMax }),
  );
  const asked = new Map(places.map((place) => [`${place.topic} ${place.partition}`, place.offset]));
  return responses.flatMap(({ topicName, partitions }) =>
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
export async function fetchAlone(broker: BrokerConnection, place: Place, waitMs: number): Promise<Fetched> {
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
