// Membership of a group inside one process, for any EventLog: a member has its share of the topic's partitions from the start to the end.

import type { TopicId } from '../../schemas/topics.ts';
import { aborted } from '../runtime/waiting.ts';
import { damageOf } from './damage.ts';
import type { EventLog, GroupHandler, GroupMember } from './event-log.ts';

/** The partitions of one of several threads: those whose number modulo `threads` is `index`. */
export interface PartitionShare {
  readonly index: number;
  readonly threads: number;
}

export const WHOLE: PartitionShare = { index: 0, threads: 1 };

/** The numbers of a share's partitions among `count`. */
export function sharedPartitions(count: number, { index, threads }: PartitionShare): number[] {
  return Array.from({ length: count }, (_, partition) => partition).filter((partition) => partition % threads === index);
}

export function joinAlone(log: EventLog, group: string, topic: TopicId, handler: GroupHandler, share = WHOLE): GroupMember {
  const stopping = new AbortController();
  const { signal } = stopping;
  let failure: { readonly error: unknown } | null = null;

  /** Passes the batches of a partition to the handler. A damaged stretch holds the partition, and no other. */
  const consume = async (partition: number): Promise<void> => {
    try {
      const from = await handler.assigned(partition, await log.committed(group, topic, partition));
      for await (const batch of log.read({ topic, partition, from, to: 'follow', signal })) {
        if (signal.aborted) return;
        await handler.batch(batch, signal);
      }
    } catch (error) {
      if (damageOf(error) === null) throw error;
      handler.held?.(partition);
      await aborted(signal);
    }
  };
  const fail = (error: unknown): void => {
    failure ??= { error };
    stopping.abort();
  };
  const run = async (): Promise<void> => {
    const partitions = sharedPartitions(log.partitions(topic), share);
    await Promise.all(partitions.map((partition) => consume(partition).catch(fail)));
    for (const partition of partitions) {
      // A failed member gets no more calls: its state is not reliable.
      if (failure !== null) throw failure.error;
      await handler.revoked(partition);
    }
  };
  const done = run();
  const settled = done.catch(() => undefined);
  return {
    rebalances: 1,
    done,
    leave() {
      stopping.abort();
      return settled;
    },
  };
}
