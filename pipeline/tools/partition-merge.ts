// Reads the partitions of a topic as one stream in time order. Bounded reads are merged; a followed topic is read as records arrive.

import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from '../log/event-log.ts';

export interface TopicRecord extends StoredRecord {
  readonly partition: number;
}

export interface TopicRange {
  readonly topic: TopicId;
  /** First and end offset of each partition. */
  readonly from: (partition: number) => Promise<number>;
  readonly to: (partition: number) => Promise<number | 'follow'>;
  readonly signal: AbortSignal;
}

/** Records of all partitions, oldest timestamp first among the available ones; the order in a partition is kept. */
export async function* readMerged(log: EventLog, range: TopicRange): AsyncIterable<TopicRecord> {
  const partitions = Array.from({ length: log.partitions(range.topic) }, (_, partition) => partition);
  const streams = await Promise.all(
    partitions.map(async (partition) => {
      const [from, to] = [await range.from(partition), await range.to(partition)];
      return recordsOf(log, range, partition, from, to);
    }),
  );
  const follows = (await range.to(0)) === 'follow';
  yield* follows ? raceStreams(streams) : mergeStreams(streams);
}

async function* recordsOf(
  log: EventLog,
  range: TopicRange,
  partition: number,
  from: number,
  to: number | 'follow',
): AsyncGenerator<TopicRecord> {
  for await (const batch of log.read({ topic: range.topic, partition, from, to, signal: range.signal })) {
    for (const record of batch.records) yield { ...record, partition };
  }
}

async function* mergeStreams(streams: AsyncGenerator<TopicRecord>[]): AsyncIterable<TopicRecord> {
  const heads = await Promise.all(streams.map((stream) => stream.next()));
  for (;;) {
    let oldest = -1;
    heads.forEach((head, i) => {
      if (head.done !== true && (oldest < 0 || head.value.timestampMs < (heads[oldest]!.value as TopicRecord).timestampMs)) oldest = i;
    });
    if (oldest < 0) return;
    yield heads[oldest]!.value as TopicRecord;
    heads[oldest] = await streams[oldest]!.next();
  }
}

async function* raceStreams(streams: AsyncGenerator<TopicRecord>[]): AsyncIterable<TopicRecord> {
  const pending = new Map(streams.map((stream, i) => [i, stream.next().then((result) => ({ i, result }))]));
  while (pending.size > 0) {
    const { i, result } = await Promise.race(pending.values());
    pending.delete(i);
    if (result.done === true) continue;
    yield result.value;
    pending.set(
      i,
      streams[i]!.next().then((next) => ({ i, result: next })),
    );
  }
}
