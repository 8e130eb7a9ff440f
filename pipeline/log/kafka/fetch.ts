// One fetch: committed records of some partitions from given offsets on.
import type { StoredRecord } from '../event-log.ts';
import type { AbortedTransaction, Message } from './kafkajs-transport.ts';
import type { BrokerConnection } from './transport.ts';
import { fetchRequest, type TopicPartitionOffset } from './wire/read-requests.ts';

export interface Fetched {
  readonly topic: string;
  readonly partition: number;
  /** Committed records in order; empty if there are only control records, aborted records or none. */
  readonly records: readonly StoredRecord[];
  /** Where to continue: after the last batch, which may have no records; the requested offset if there was no batch. */
  readonly nextOffset: number;
  /** End of the readable records: no transaction before it is open. */
  readonly stableEnd: number;
}

/** Fetches. `waitMs` is how long the broker may wait for new records. Errors: those of kafkajs. */
export async function fetchPartitions(
  broker: BrokerConnection,
  partitions: readonly TopicPartitionOffset[],
  waitMs: number,
): Promise<Fetched[]> {
  const { responses } = await broker.send(fetchRequest(partitions, waitMs));
  const offsets = new Map(partitions.map(({ topic, partition, offset }) => [`${topic} ${partition}`, offset]));
  return responses.flatMap(({ topicName, partitions: found }) =>
    found.map(({ partition, lastStableOffset, abortedTransactions, messages, batchesEnd }) => {
      const from = offsets.get(`${topicName} ${partition}`)!;
      const nextOffset = Math.max(from, batchesEnd);
      const records = committedRecords(messages, abortedTransactions ?? [], from);
      return { topic: topicName, partition, records, nextOffset, stableEnd: Number(lastStableOffset) };
    }),
  );
}

/** Like `fetchPartitions`, for one partition: the broker returns its first batch even if that is over the limits. */
export async function fetchAlone(broker: BrokerConnection, from: TopicPartitionOffset, waitMs: number): Promise<Fetched> {
  const [fetched] = await fetchPartitions(broker, [from], waitMs);
  return fetched!;
}

/**
 * Records from an offset on, without control records and records of aborted transactions. kafkajs's own filter is not used: it treats a record with
 * the key 00000000 as the end of a transaction, and expects transactions in order of their start, which brokers do not guarantee.
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
