// Counters of writes in shared memory, one for each partition: a writer wakes the followers in its process. A follower that polls every 15 ms instead
// costs an idle service 0.05 cores, because each of three threads wakes up 300 times a second.
import { limits } from '../../../schemas/limits/index.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import { partitionKey, type Store } from './rows.ts';

/** Memory for all log objects of a process that write to one log, and for those that follow it. */
export const createChanges = (): SharedArrayBuffer => new SharedArrayBuffer(limits.logChangesBytes);

/** Counts the writes to each partition. Without shared memory it knows nothing, and followers poll. */
export class Changes {
  readonly counts: Int32Array | null;
  private readonly slots: ReadonlyMap<string, number>;

  constructor({ indexes }: Pick<Store, 'indexes'>, memory?: SharedArrayBuffer) {
    const counts = memory === undefined ? null : new Int32Array(memory);
    this.counts = counts;
    // With more partitions than slots some share one: their followers wake in vain sometimes.
    this.slots = new Map([...indexes.keys()].map((key, i) => [key, i % (counts?.length ?? 1)]));
  }

  /** Where the writes to a partition are counted. */
  slot(topic: TopicId, partition: number): number {
    return this.slots.get(partitionKey(topic, partition))!;
  }

  /** Wakes the followers of these partitions. Call it when the records are visible. */
  note(written: readonly { readonly topic: TopicId; readonly partition: number }[]): void {
    const { counts } = this;
    if (counts === null) return;
    for (const slot of new Set(written.map(({ topic, partition }) => this.slot(topic, partition)))) {
      Atomics.add(counts, slot, 1);
      Atomics.notify(counts, slot);
    }
  }
}

const noop = (): void => {};

/**
 * The pauses of one reader at the end of a partition; each ends early when a signal is aborted. They share one listener and one timer. A signal keeps
 * its listeners in a linked list: with one listener per pause, a removed listener in the old space would keep all later ones alive until the next full
 * collection.
 */
export class Pause {
  private readonly counts: Int32Array | null;
  private readonly slot: number;
  private readonly signals: readonly AbortSignal[];
  private readonly wake = (): void => {
    const { resolve } = this;
    this.resolve = noop;
    resolve();
  };
  private resolve: () => void = noop;
  private timer: NodeJS.Timeout | null = null;
  /** The count at the last mark. */
  private seen = 0;

  constructor(changes: Changes, topic: TopicId, partition: number, signals: readonly AbortSignal[]) {
    this.counts = changes.counts;
    this.slot = changes.slot(topic, partition);
    this.signals = signals;
    for (const signal of signals) signal.addEventListener('abort', this.wake);
  }

  /** Call it before looking for records. */
  mark(): void {
    if (this.counts !== null) this.seen = Atomics.load(this.counts, this.slot);
  }

  /** Waits for a write after the last mark, or for the next poll. */
  wait(): Promise<void> {
    return new Promise((resolve) => {
      this.resolve = resolve;
      if (this.counts === null) this.wakeLater();
      else {
        const change = Atomics.waitAsync(this.counts, this.slot, this.seen);
        if (change.async) void change.value.then(this.wake);
        else this.wake();
      }
    });
  }

  end(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    for (const signal of this.signals) signal.removeEventListener('abort', this.wake);
  }

  private wakeLater(): void {
    if (this.timer === null) this.timer = setTimeout(this.wake, limits.logFollowPollMs);
    else this.timer.refresh();
  }
}
