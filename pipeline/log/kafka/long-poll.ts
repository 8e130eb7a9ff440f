// Following reads share one long poll per broker: a broker holds one request per process, regardless of the number of partitions.
// Each follower has at most one fetched piece waiting; meanwhile its partition is left out of the poll.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../schemas/limits.ts';
import { isPassing } from './failures.ts';
import { type Fetched, fetchAlone, fetchPartitions, type TopicPartitionOffset } from './fetch.ts';
import type { KafkaRequests } from './requests.ts';

/** One follower of one partition. */
export class Follower {
  readonly topic: string;
  readonly partition: number;
  /** First offset not fetched yet. */
  offset: number;
  /** The fetched piece that the reader has not taken yet. */
  private waiting: Fetched | null = null;
  private failure: { readonly error: unknown } | null = null;
  private isClosed = false;
  private wake: (() => void) | null = null;
  private readonly onTaken: () => void;
  private readonly onClosed: () => void;

  constructor({ topic, partition, offset }: TopicPartitionOffset, onTaken: () => void, onClosed: () => void) {
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.onTaken = onTaken;
    this.onClosed = onClosed;
  }

  get hasRoom(): boolean {
    return this.waiting === null && this.failure === null;
  }

  /** The next piece with records; null if the follower is closed. Rejects with the error that stopped it. */
  async next(): Promise<Fetched | null> {
    while (this.waiting === null && this.failure === null && !this.isClosed)
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    if (this.isClosed) return null;
    if (this.failure !== null) throw this.failure.error;
    const taken = this.waiting;
    this.waiting = null;
    this.onTaken();
    return taken;
  }

  give(fetched: Fetched): void {
    this.offset = fetched.nextOffset;
    if (fetched.records.length > 0) this.waiting = fetched;
    this.wakeUp();
  }

  fail(error: unknown): void {
    this.failure ??= { error };
    this.wakeUp();
    this.onClosed();
  }

  close(): void {
    this.isClosed = true;
    this.wakeUp();
    this.onClosed();
  }

  private wakeUp(): void {
    this.wake?.();
    this.wake = null;
  }
}

export class LongPoll {
  private readonly requests: KafkaRequests;
  private readonly followers = new Set<Follower>();
  /** Running polls by node. */
  private readonly polls = new Map<string, Promise<void>>();
  private roomMade: (() => void)[] = [];

  constructor(requests: KafkaRequests) {
    this.requests = requests;
  }

  follow(from: TopicPartitionOffset): Follower {
    const changed = (): void => this.notifyRoom();
    const follower: Follower = new Follower(from, changed, () => {
      this.followers.delete(follower);
      changed();
    });
    this.followers.add(follower);
    this.pollLeaders();
    changed();
    return follower;
  }

  /** Closes every follower and the connections. */
  async close(): Promise<void> {
    for (const follower of [...this.followers]) follower.close();
    await Promise.all(this.polls.values());
    await this.requests.transport.disconnect();
  }

  /** Starts polls for nodes that lead a followed partition. */
  private pollLeaders(): void {
    for (const { topic, partition } of this.followers) {
      const node = this.requests.leader(topic, partition);
      if (this.polls.has(node)) continue;
      this.polls.set(
        node,
        this.poll(node).finally(() => {
          this.polls.delete(node);
          // A follower may have been added since the last check.
          this.pollLeaders();
        }),
      );
    }
  }

  private async poll(node: string): Promise<void> {
    let pauseMs: number = limits.kafkaRetryMs;
    for (;;) {
      const led = [...this.followers].filter(({ topic, partition }) => this.requests.leader(topic, partition) === node);
      if (led.length === 0) return;
      const open = this.onePerPartition(led.filter(({ hasRoom }) => hasRoom));
      if (open.length === 0) {
        await this.untilRoom();
        continue;
      }
      try {
        // While some followers are busy, a long wait for an idle partition must not delay them when they are ready again.
        await this.fetch(node, open, open.length === led.length ? limits.kafkaFetchWaitMs : limits.kafkaFetchBusyWaitMs);
        pauseMs = limits.kafkaRetryMs;
      } catch (error) {
        this.failConcerned(error, open);
        if (!isPassing(error)) continue;
        await this.requests.recover(error);
        this.pollLeaders();
        await sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, limits.kafkaRetryMsMax);
      }
    }
  }

  /** A fetch may have a partition only once, so several followers of one partition take turns. */
  private onePerPartition(followers: readonly Follower[]): Follower[] {
    const chosen = new Map<string, Follower>();
    for (const follower of followers) {
      const key = `${follower.topic} ${follower.partition}`;
      if (chosen.has(key)) continue;
      chosen.set(key, follower);
      this.followers.delete(follower);
      this.followers.add(follower);
    }
    return [...chosen.values()];
  }

  private async fetch(node: string, open: readonly Follower[], waitMs: number): Promise<void> {
    const partitions = open.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    const responses = await this.requests.inTurn(node, (broker) => fetchPartitions(broker, partitions, waitMs));
    for (const fetched of responses) {
      const follower = open.find(({ topic, partition }) => topic === fetched.topic && partition === fetched.partition)!;
      const stoodStill = fetched.nextOffset === follower.offset && follower.offset < fetched.stableEnd;
      const { topic, partition, offset } = follower;
      // Fetching the partition alone shows whether it has a record at this offset.
      follower.give(
        stoodStill ? await this.requests.inTurn(node, (broker) => fetchAlone(broker, { topic, partition, offset }, 0)) : fetched,
      );
    }
  }

  /** Fails the followers that a permanent error concerns. */
  private failConcerned(error: unknown, open: readonly Follower[]): void {
    const { name, topic, partition } = error as { name?: string; topic?: string; partition?: number };
    if (name === 'KafkaJSOffsetOutOfRange') {
      for (const follower of open) if (follower.topic === topic && follower.partition === partition) follower.fail(error);
    } else if (!isPassing(error)) {
      for (const follower of open) follower.fail(error);
    }
  }

  private untilRoom(): Promise<void> {
    return new Promise((resolve) => this.roomMade.push(resolve));
  }

  private notifyRoom(): void {
    for (const resolve of this.roomMade.splice(0)) resolve();
  }
}
