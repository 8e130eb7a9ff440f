// Membership of a group inside one process, for any EventLog: its only member has all partitions of the topic from the start to the end.

import type { TopicId } from '../../schemas/topics.ts';
import { aborted } from '../runtime/waiting.ts';
import { damageOf } from './damage.ts';
import type { EventLog, GroupHandler, GroupMember } from './event-log.ts';

export class OnlyMember implements GroupMember {
  readonly rebalances = 1;
  readonly done: Promise<void>;
  private readonly log: EventLog;
  private readonly group: string;
  private readonly topic: TopicId;
  private readonly handler: GroupHandler;
  private readonly stopping = new AbortController();
  private failure: { readonly error: unknown } | null = null;

  constructor(log: EventLog, group: string, topic: TopicId, handler: GroupHandler) {
    this.log = log;
    this.group = group;
    this.topic = topic;
    this.handler = handler;
    this.done = this.run();
    // Avoids an unhandled rejection if `done` is not awaited.
    this.done.catch(() => undefined);
  }

  async leave(): Promise<void> {
    this.stopping.abort();
    await this.done.catch(() => undefined);
  }

  private async run(): Promise<void> {
    const partitions = Array.from({ length: this.log.partitions(this.topic) }, (_, partition) => partition);
    await Promise.all(partitions.map((partition) => this.consume(partition).catch((error: unknown) => this.fail(error))));
    for (const partition of partitions) {
      // A failed member gets no more calls: its state is not reliable.
      if (this.failure !== null) throw this.failure.error;
      await this.handler.revoked(partition);
    }
  }

  /** Passes the batches of a partition to the handler. A damaged stretch holds the partition, and no other. */
  private async consume(partition: number): Promise<void> {
    const { log, group, topic, handler } = this;
    const { signal } = this.stopping;
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
  }

  private fail(error: unknown): void {
    this.failure ??= { error };
    this.stopping.abort();
  }
}
