// Follows the aircraft and progress topics into the live table and builds a snapshot for each complete tick.
// Progress is committed together with the states of its tick: after a progress record, reading the aircraft topic to its end
// gives every state of that tick.
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { AircraftFactsSource } from '../aircraft/facts.ts';
import { LiveTable, type StateCodec } from '../aircraft/table.ts';
import { damageOf, offsetAfter } from '../log/damage.ts';
import type { EventLog, RecordBatch } from '../log/event-log.ts';
import { newestRecord } from '../log/group-offset.ts';
import { cursorOf } from '../log/record-cursor.ts';
import { Turns } from '../runtime/waiting.ts';
import { MeasuredReceivers } from './measured-receivers.ts';
import { ReadStates } from './read-states.ts';
import { type Snapshot, SnapshotBuilder } from './snapshot.ts';

/**
 * How long a tick waits for partitions that are behind the first one. A partition without frames learns the time from a heartbeat, some ms
 * after it has been idle for limits.heartbeatIdleMs: with a shorter wait its aircraft would be a tick behind in the snapshot.
 */
const PARTITION_WAIT_MS = limits.heartbeatIdleMs + 200;
/** Records that come after their tick was shown wait this many times as long. Usually the next tick shows them before that. */
const LATE_WAITS = 5;
/** Aircraft are listed for a minute after their last message or position; another state follows at the end of that. */
const START_MS = 2 * limits.listedMsMax;

/** The part of the codecs that the view needs. */
export interface ViewCodecs {
  readonly AircraftState: StateCodec;
  readonly FoldProgress: { decode(bytes: Uint8Array): FoldProgress };
}

export interface FollowOptions {
  /** Reference data of aircraft. */
  readonly facts?: AircraftFactsSource;
  /** Called before a snapshot is built, at its tick; may set routes. */
  readonly onTick?: (table: LiveTable, tickMs: number) => void;
  /** Called with every new snapshot, in order, and the previous one, whose bytes are still valid. */
  readonly onSnapshot?: (snapshot: Snapshot, previous: Snapshot | null) => void;
  /** Ms since the Unix epoch. */
  readonly clock: () => number;
  /** Ms of a steady clock. */
  readonly steadyMs?: () => number;
  /** Stops the follower. */
  readonly signal: AbortSignal;
  /** Distinguishes this process from others that serve the same log; part of every ETag. */
  readonly epoch?: string;
  readonly partitionWaitMs?: number;
  /** Shared with other work of the thread. */
  readonly turns?: Turns;
}

interface ViewStats {
  snapshots: number;
  /** Aircraft states applied. */
  states: number;
  /** Unreadable records. */
  malformed: number;
  /** How often a partition was read anew because records were gone or damaged. */
  reloads: number;
  /** Duration of the newest rebuild, ms. */
  lastBuildMs: number;
}

export interface ViewFollower {
  readonly table: LiveTable;
  readonly receivers: MeasuredReceivers;
  readonly stats: ViewStats;
  /** The newest snapshot; null before the first. */
  current(): Snapshot | null;
  /** True once the table has everything that the topics contained at the start. */
  isReady(): boolean;
  /** Arenas in memory. */
  arenas(): number;
  readonly ready: Promise<void>;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
}

interface Partition {
  readonly number: number;
  nextOffset: number | 'earliest';
  nextProgress: number | 'earliest';
  tickMs: number;
  messages: number;
  loaded: boolean;
  readonly states: ReadStates;
  /** The table has a part of the states of its next tick. */
  isPart: boolean;
}

/** Starts the follower. Errors of the log reject `done` (and `ready`, if they come before it). */
export function followView(log: EventLog, codecs: ViewCodecs, options: FollowOptions): ViewFollower {
  const follower = new Follower(log, codecs, options);
  const done = follower.run();
  const ready = Promise.race([follower.ready, done]);
  ready.catch(() => {});
  return {
    table: follower.table,
    receivers: follower.receivers,
    stats: follower.stats,
    current: () => follower.builder.current,
    isReady: () => follower.isReady,
    arenas: () => follower.builder.pool.allocated,
    ready,
    done,
  };
}

class Follower {
  readonly table: LiveTable;
  readonly receivers = new MeasuredReceivers();
  readonly builder: SnapshotBuilder;
  readonly stats: ViewStats = { snapshots: 0, states: 0, malformed: 0, reloads: 0, lastBuildMs: 0 };
  readonly ready: Promise<void>;
  isReady = false;
  private readonly log: EventLog;
  private readonly codecs: ViewCodecs;
  private readonly options: FollowOptions;
  private readonly partitions: Partition[];
  private becomeReady: () => void = () => {};
  /** Requests are served between them. */
  private readonly turns: Turns;
  private isBuilding = false;
  /** Another one was due meanwhile. */
  private isDue = false;
  /** The current snapshot lacks late partitions. */
  private isPartShown = false;
  private timer: NodeJS.Timeout | null = null;
  /** When the timer ends, by performance.now(). */
  private timerEndMs = 0;
  /** By performance.now(): no snapshot is built before that. */
  private nextBuildAtMs = 0;

  constructor(log: EventLog, codecs: ViewCodecs, options: FollowOptions) {
    this.log = log;
    this.codecs = codecs;
    this.options = options;
    this.turns = options.turns ?? new Turns(limits.viewTurnMsMax);
    const epoch = options.epoch ?? Math.floor(options.clock()).toString(36);
    this.table = new LiveTable(options.facts);
    this.builder = new SnapshotBuilder(this.table, options.clock, epoch, options.steadyMs);
    this.partitions = Array.from({ length: log.partitions('progress') }, (_, number) => ({
      number,
      nextOffset: 'earliest',
      nextProgress: 'earliest',
      tickMs: Number.NEGATIVE_INFINITY,
      messages: 0,
      loaded: false,
      states: new ReadStates(),
      isPart: false,
    }));
    this.ready = new Promise((resolve) => {
      this.becomeReady = resolve;
    });
  }

  async run(): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([this.options.signal, stop.signal]);
    try {
      await Promise.all(this.partitions.map((partition) => this.follow(partition, signal)));
    } finally {
      stop.abort();
      if (this.timer !== null) clearTimeout(this.timer);
      this.timer = null;
    }
  }

  private async follow(partition: Partition, signal: AbortSignal): Promise<void> {
    const { number } = partition;
    try {
      // Read to the present end first: on Kafka the last offset may have no record, and following would not show that it is reached.
      const { next } = await this.log.bounds('progress', number);
      partition.nextOffset = await this.aircraftStart(number);
      await this.readProgress(partition, next, signal);
      if (signal.aborted) return;
      await this.load(partition);
      await this.readProgress(partition, 'follow', signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  /** Only the newest progress matters: damaged records are left out. */
  private async readProgress(partition: Partition, to: number | 'follow', signal: AbortSignal): Promise<void> {
    for (let isRead = false; !isRead && !signal.aborted; )
      try {
        const request = { topic: 'progress', partition: partition.number, from: partition.nextProgress, to, signal } as const;
        for await (const batch of this.log.read(request)) {
          await this.applyBatch(partition, batch, signal);
          partition.nextProgress = batch.nextOffset;
          if (signal.aborted) return;
          if (this.isReady) await this.tick();
        }
        isRead = true;
      } catch (error) {
        partition.nextProgress = offsetAfter(error);
      }
  }

  /** Start of the states of aircraft that may be listed: the topic keeps every state for an hour, and reading all would delay the start. Damage is met again by reading. */
  private async aircraftStart(partition: number): Promise<number | 'earliest'> {
    try {
      const newest = await newestRecord(this.log, 'progress', partition);
      return newest === null ? 'earliest' : await this.log.offsetAt('aircraft', partition, newest.timestampMs - START_MS);
    } catch (error) {
      if (damageOf(error) === null) throw error;
      return 'earliest';
    }
  }

  /** Takes progress, and the states up to its tick: a later one may be committed by now, and is shown with its own progress. */
  private async applyBatch(partition: Partition, batch: RecordBatch, signal: AbortSignal): Promise<void> {
    const progress = this.newestProgress(partition, batch);
    await this.readAircraft(partition, progress?.tickMs ?? Number.POSITIVE_INFINITY, signal);
    await this.applyStates(partition);
    partition.isPart = false;
    if (progress === null) return;
    partition.tickMs = Math.max(partition.tickMs, progress.tickMs);
    partition.messages = progress.messages;
  }

  private async load(partition: Partition): Promise<void> {
    partition.loaded = true;
    if (this.isReady || this.partitions.some(({ loaded }) => !loaded)) return;
    this.isReady = true;
    await this.tick();
    this.becomeReady();
  }

  /** The newest progress of a batch; also takes the newest receiver coverage in it. */
  private newestProgress({ number }: Partition, batch: RecordBatch): FoldProgress | null {
    let newest: FoldProgress | null = null;
    for (let i = batch.records.length - 1; i >= 0; i -= 1) {
      const { value } = batch.records[i]!;
      if (value === null) continue;
      try {
        const progress = this.codecs.FoldProgress.decode(value);
        newest ??= progress;
        if (progress.reaches === null) continue;
        this.receivers.replace(number, progress.tickMs, progress.reaches);
        break;
      } catch {
        if (newest === null) this.stats.malformed += 1;
      }
    }
    return newest;
  }

  /** Reads the aircraft of a partition up to a tick. When records are gone or damaged, tombstones may be, too: then it starts again behind them. */
  private async readAircraft(partition: Partition, toTickMs: number, signal: AbortSignal): Promise<void> {
    for (;;)
      try {
        return await this.readAircraftTo(partition, toTickMs, signal);
      } catch (error) {
        partition.nextOffset = offsetAfter(error);
        this.stats.reloads += 1;
        partition.states.clear();
        this.table.clearPartition(partition.number);
      }
  }

  private async readAircraftTo(partition: Partition, toTickMs: number, signal: AbortSignal): Promise<void> {
    const { states } = partition;
    const request = { topic: 'aircraft', partition: partition.number, from: partition.nextOffset, to: 'end', signal } as const;
    for await (const batch of this.log.read(request)) {
      const record = cursorOf(batch);
      let isLater = false;
      while (!isLater && record.next()) {
        partition.nextOffset = record.offset;
        isLater = record.timestampMs > toTickMs;
        if (!isLater) states.add(record);
      }
      states.copyAdded();
      if (isLater) return;
      partition.nextOffset = batch.nextOffset;
      if (states.length < limits.viewReadBytesMax) continue;
      // It is many ticks behind.
      await this.applyStates(partition);
    }
  }

  private async applyStates(partition: Partition): Promise<void> {
    const { number, states } = partition;
    partition.isPart = true;
    await this.turns.steps(states.count, (from, to) => {
      for (let i = from; i < to; i += 1) {
        const gone = states.goneKey(i);
        if (gone === undefined) this.apply(number, states.bytes, states.start(i), states.end(i));
        else this.table.remove(gone);
      }
    });
    states.clear();
  }

  private apply(partition: number, bytes: Uint8Array, start: number, end: number): void {
    try {
      if (this.table.applyValue(this.codecs.AircraftState, bytes, partition, start, end)) this.stats.states += 1;
      else this.stats.malformed += 1;
    } catch {
      this.stats.malformed += 1;
    }
  }

  /** Builds a snapshot when all partitions reached the newest tick; otherwise after a short wait, with those that did. */
  private async tick(): Promise<void> {
    const { tickMs } = this.newest();
    const shownMs = this.builder.current?.times.nowMs ?? Number.NEGATIVE_INFINITY;
    // A late partition makes its tick be shown again: a later tick may never come.
    if (tickMs < shownMs || (tickMs === shownMs && !this.isPartShown)) return;
    const pauseMs = Math.max(0, this.nextBuildAtMs - performance.now());
    const waitMs = (this.options.partitionWaitMs ?? PARTITION_WAIT_MS) * (tickMs === shownMs ? LATE_WAITS : 1);
    if (!this.isWhole(tickMs)) this.buildWithin(Math.max(pauseMs, waitMs));
    else if (pauseMs > 0) this.buildWithin(pauseMs);
    else await this.build();
  }

  private buildWithin(ms: number): void {
    const endMs = performance.now() + ms;
    if (this.timer !== null && this.timerEndMs <= endMs) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timerEndMs = endMs;
    this.timer = setTimeout(() => void this.build(), ms);
  }

  private async build(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.isDue = this.isBuilding;
    // A partition that has a part of its states builds one when it has caught up.
    if (this.isBuilding || this.partitions.some(({ isPart }) => isPart)) return;
    const { tickMs, messages } = this.newest();
    this.isPartShown = !this.isWhole(tickMs);
    const startMs = performance.now();
    this.options.onTick?.(this.table, tickMs);
    const snapshot = this.builder.prepare(tickMs, messages);
    this.isBuilding = true;
    await snapshot.writeAhead(this.turns);
    this.isBuilding = false;
    const previous = this.builder.current;
    previous?.retain();
    this.builder.show(snapshot);
    const endMs = performance.now();
    this.stats.lastBuildMs = endMs - startMs;
    this.stats.snapshots += 1;
    this.nextBuildAtMs = endMs + this.stats.lastBuildMs * (1 / limits.snapshotBuildShareMax - 1);
    this.options.onSnapshot?.(snapshot, previous);
    previous?.release();
    if (this.isDue) await this.tick();
  }

  private isWhole(tickMs: number): boolean {
    return this.partitions.every((partition) => partition.tickMs >= tickMs);
  }

  private newest(): { tickMs: number; messages: number } {
    let tickMs = Number.NEGATIVE_INFINITY;
    let messages = 0;
    for (const partition of this.partitions) {
      tickMs = Math.max(tickMs, partition.tickMs);
      messages += partition.messages;
    }
    return { tickMs, messages };
  }
}
