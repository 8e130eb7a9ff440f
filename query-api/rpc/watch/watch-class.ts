// The streams of one service class, which tick together at an interval of event time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits.ts';
import type { RecordWriter } from '../record-bytes.ts';
import { targetKey, type WatchTarget } from './target.ts';
import { TickRecords } from './tick-records.ts';
import { type TickPair, WatchTopic } from './topic.ts';
import type { Watcher } from './watcher.ts';

export interface ClassStats {
  ticks: number;
  /** Snapshots at which a tick was due while the previous one was not finished. */
  overruns: number;
  /** Ticks that streams missed because their clients read too slowly. */
  skipped: number;
}

export class WatchClass {
  readonly name: string;
  readonly intervalMs: number;
  readonly topics = new Map<string, WatchTopic>();
  readonly stats: ClassStats = { ticks: 0, overruns: 0, skipped: 0 };
  private readonly writer: RecordWriter;
  private readonly steadyMs: () => number;
  /** Of the last tick; its snapshot is leased. Null while there are no topics. */
  private records: TickRecords | null = null;
  private running: Promise<void> | null = null;

  constructor(name: string, intervalMs: number, writer: RecordWriter, steadyMs: () => number) {
    this.name = name;
    this.intervalMs = intervalMs;
    this.writer = writer;
    this.steadyMs = steadyMs;
  }

  /** Aircraft of all topics. */
  get aircraft(): number {
    let count = 0;
    for (const topic of this.topics.values()) count += topic.aircraft;
    return count;
  }

  /** Resolves when no tick is being written. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  get isTicking(): boolean {
    return this.running !== null;
  }

  /** The topic of a target: a new one has the aircraft of the last tick, or of `current` in a class without topics. It counts with its first watcher. Call when settled. */
  topicOf(target: WatchTarget, current: Snapshot): WatchTopic {
    if (this.records === null) {
      current.retain();
      this.records = new TickRecords(current, this.writer);
    }
    const key = targetKey(target);
    return this.topics.get(key) ?? new WatchTopic(key, target, this.records);
  }

  /** Gives a watcher of the topic the state of the last tick. Call when settled. */
  start(topic: WatchTopic, watcher: Watcher): void {
    watcher.needsState = false;
    watcher.give(topic.stateAt(this.records!), this.steadyMs());
  }

  join(topic: WatchTopic, watcher: Watcher): void {
    this.topics.set(topic.key, topic);
    topic.watchers.add(watcher);
  }

  leave(topic: WatchTopic, watcher: Watcher): void {
    topic.watchers.delete(watcher);
    if (topic.watchers.size === 0) this.topics.delete(topic.key);
    if (this.running === null) this.rest();
  }

  /** Takes a snapshot; ticks if an interval of event time has begun since the last tick. */
  take(snapshot: Snapshot): void {
    if (this.records === null) return;
    const interval = (at: Snapshot): number => Math.floor(at.times.nowMs / this.intervalMs);
    if (interval(snapshot) <= interval(this.records.snapshot)) return;
    if (this.running !== null) {
      this.stats.overruns += 1;
      return;
    }
    this.running = this.tick(this.records, snapshot).finally(() => {
      this.running = null;
      this.rest();
    });
  }

  /** Releases the last tick when nobody watches. */
  rest(): void {
    if (this.topics.size > 0) return;
    this.records?.snapshot.release();
    this.records = null;
  }

  private async tick(before: TickRecords, snapshot: Snapshot): Promise<void> {
    snapshot.retain();
    const current = new TickRecords(snapshot, this.writer);
    const { count, columns } = snapshot.listing;
    const olds = new Int32Array(count);
    before.snapshot.numbersOf(columns.key.subarray(0, count), olds);
    const ticks: TickPair = { before, current, olds, marks: new Uint8Array(before.snapshot.listing.count) };
    let turnMs = this.steadyMs();
    for (const topic of [...this.topics.values()]) {
      this.takeTopic(topic, ticks);
      if (this.steadyMs() - turnMs < limits.pushTurnMsMax) continue;
      await nextTurn();
      turnMs = this.steadyMs();
    }
    before.snapshot.release();
    this.records = current;
    this.stats.ticks += 1;
  }

  private takeTopic(topic: WatchTopic, ticks: TickPair): void {
    const ready: Watcher[] = [];
    for (const watcher of topic.watchers) {
      if (watcher.isIdle && !watcher.needsState) ready.push(watcher);
      else {
        watcher.needsState = true;
        this.stats.skipped += 1;
      }
    }
    const pieces = topic.take(ticks, ready.length > 0);
    const nowMs = this.steadyMs();
    for (const watcher of ready) watcher.give(pieces, nowMs);
  }
}
