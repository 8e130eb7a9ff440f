// Reads that follow share one long poll per broker: however many partitions a process follows, a broker holds one request of it.
// Each follower has at most one fetched piece waiting; while it does, its partition is left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../schemas/limits.ts';
import { isPassing } from './failures.ts';
import { type Fetched, fetchAlone, fetchPlaces, type Place } from './fetch.ts';
import type { KafkaRequests } from './requests.ts';

/** One follower of one partition. */
export class Follower {
  readonly topic: string;
  readonly partition: number;
  /** First offset not fetched yet. */
  offset: number;
  /** Fetched and not taken. */
  private waiting: Fetched | null = null;
  private failure: { readonly error: unknown } | null = null;
  private isClosed = false;
  private wake: (() => void) | null = null;
  private readonly onTaken: () => void;
  private readonly onClosed: () => void;

  constructor({ topic, partition, offset }: Place, onTaken: () => void, onClosed: () => void) {
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.onTaken = onTaken;
    this.onClosed = onClosed;
  }

  get hasRoom(): boolean {
    return this.waiting === null && this.failure === null;
  }

  /** The next piece, with records; null when the follower was closed. Rejects with what stopped it. */
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
  /** Nodes that are polled. */
  private readonly polls = new Map<string, Promise<void>>();
  private roomMade: (() => void)[] = [];

  constructor(requests: KafkaRequests) {
    this.requests = requests;
  }

  follow(place: Place): Follower {
    const changed = (): void => this.tellRoom();
    const follower: Follower = new Follower(place, changed, () => {
      this.followers.delete(follower);
      changed();
    });
    this.followers.add(follower);
    this.pollLeaders();
    changed();
    return follower;
  }

  /** Ends every follower, and the connections. */
  async close(): Promise<void> {
    for (const follower of [...this.followers]) follower.close();
    await Promise.all(this.polls.values());
    await this.requests.transport.disconnect();
  }

  /** Starts polling nodes that lead something and are not polled. */
  private pollLeaders(): void {
    for (const { topic, partition } of this.followers) {
      const node = this.requests.leader(topic, partition);
      if (this.polls.has(node)) continue;
      this.polls.set(
        node,
        this.poll(node).finally(() => {
          this.polls.delete(node);
          // Somebody may have come between the last look and now.
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
        // While others are busy with what they have, an idle partition must not keep them waiting when they come back.
        await this.fetch(node, open, open.length === led.length ? limits.kafkaFetchWaitMs : limits.kafkaFetchBusyWaitMs);
        pauseMs = limits.kafkaRetryMs;
      } catch (error) {
        this.sort(error, open);
        if (!isPassing(error)) continue;
        await this.requests.recover(error);
        this.pollLeaders();
        await sleep(pauseMs);
        pauseMs = Math.min(2 * pauseMs, limits.kafkaRetryMsMax);
      }
    }
  }

  /** A fetch can name a partition once: several followers of one take turns. */
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
    const places = open.map(({ topic, partition, offset }) => ({ topic, partition, offset }));
    const answers = await this.requests.inTurn(node, (broker) => fetchPlaces(broker, places, waitMs));
    for (const fetched of answers) {
      const follower = open.find(({ topic, partition }) => topic === fetched.topic && partition === fetched.partition)!;
      const stoodStill = fetched.nextOffset === follower.offset && follower.offset < fetched.stableEnd;
      const { topic, partition, offset } = follower;
      // Alone it is either there, or nothing is.
      follower.give(
        stoodStill ? await this.requests.inTurn(node, (broker) => fetchAlone(broker, { topic, partition, offset }, 0)) : fetched,
      );
    }
  }

  /** Hands an error that will not pass to those it concerns. */
  private sort(error: unknown, open: readonly Follower[]): void {
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

  private tellRoom(): void {
    for (const resolve of this.roomMade.splice(0)) resolve();
  }
}
