// The sink of one topic: a group that shares the topic's partitions among processes and writes each of them into the store.
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import type { EventLog, GroupHandler, GroupMember } from '../log/event-log.ts';
import { failure } from '../runtime/waiting.ts';
import { BATCH_SIZE, type BatchSize, PartitionSink } from './partition-sink.ts';
import type { HistoryWriter, Projection } from './projection.ts';
import { SinkStats } from './sink-stats.ts';

/** Group of a topic's sink. Its plans are the offsets of a second group. */
export const sinkGroup = ({ topic }: Pick<Projection, 'topic'>): string => `history.${topics[topic].shortName}`;
export const planGroupOf = (group: string): string => `${group}.plan`;

export interface SinkOptions {
  readonly log: EventLog;
  readonly projection: Projection;
  readonly writer: HistoryWriter;
  /** Continues the statistics of an earlier member. */
  readonly stats?: SinkStats;
  readonly size?: BatchSize;
  readonly steadyMs?: () => number;
  /** Called for each failed insert, which is repeated. */
  readonly onRetry?: (partition: number, error: unknown) => void;
  /** Called when the topic has lost records that were not in the store yet. */
  readonly onExpired?: (lost: { topic: string; partition: number; from: number; earliest: number }) => void;
}

export interface Sink {
  readonly member: GroupMember;
  /** Settles when the sink has ended; rejects with the cause. */
  readonly done: Promise<void>;
  readonly stats: SinkStats;
  /** Writes what has been read, as far as the store takes it within `historyDrainMsMax`, and leaves the group. */
  stop(): Promise<void>;
}

export async function startSink(options: SinkOptions): Promise<Sink> {
  const { log, projection, writer, stats = new SinkStats(), size = BATCH_SIZE, steadyMs = () => performance.now() } = options;
  const { topic } = projection;
  const group = sinkGroup(projection);
  const planGroup = planGroupOf(group);
  const sinks = new Map<number, PartitionSink>();
  const { failed, fail } = failure();

  const handler: GroupHandler = {
    async assigned(partition, committed) {
      const { earliest, next } = await log.bounds(topic, partition);
      const planned = await log.committed(planGroup, topic, partition);
      // Beyond the end it belongs to a topic that is no more.
      const first = committed !== null && committed <= next ? committed : earliest;
      const from = Math.max(first, earliest);
      stats.assigned(partition, first, steadyMs());
      if (from > first) {
        stats.lost(partition, first, earliest);
        options.onExpired?.({ topic: topics[topic].name, partition, from: first, earliest });
      }
      const shared = { log, group, planGroup, projection, partition, writer, stats, size, steadyMs };
      const onRetry = options.onRetry ?? (() => {});
      sinks.set(partition, new PartitionSink({ ...shared, onRetry, onFailed: fail }, { committed, planned, first, end: next }));
      return from;
    },
    batch: (batch, signal) => sinks.get(batch.partition)!.add(batch, signal),
    async revoked(partition) {
      const sink = sinks.get(partition);
      sinks.delete(partition);
      stats.revoked(partition);
      await sink?.stop();
    },
  };
  const member = await log.join(group, topic, handler);
  const done = Promise.race([member.done, failed]);
  done.catch(() => {});
  return {
    member,
    done,
    stats,
    async stop() {
      const signal = AbortSignal.timeout(limits.historyDrainMsMax);
      await Promise.all([...sinks.values()].map((sink) => sink.drain(signal).catch(() => {})));
      await member.leave();
      // A member that failed does not give its partitions back.
      await Promise.all([...sinks.values()].map((sink) => sink.stop()));
      for (const partition of sinks.keys()) stats.revoked(partition);
      sinks.clear();
    },
  };
}
