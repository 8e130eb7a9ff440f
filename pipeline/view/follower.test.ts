// The follower against a log in memory: ticks, lagging partitions, catching up, tombstones, lost records, bad records.
import { describe, expect, it } from 'vitest';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { FoldProgress } from '../../schemas/avro/fold-progress.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { bareState, fullState, NOW_MS } from '../../test/support/full-state.ts';
import type { EventLog, ReadRequest, RecordBatch } from '../log/event-log.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import { type FollowOptions, followView, type ViewCodecs, type ViewFollower } from './follower.ts';
import type { Snapshot } from './snapshot.ts';

/** A minimal log: records in arrays, followers woken by appends, compaction by hand. */
class FakeLog {
  readonly records = new Map<string, { earliest: number; list: (OutgoingRecord | null)[] }>();
  private waiting: (() => void)[] = [];
  private readonly count: number;

  constructor(count: number) {
    this.count = count;
  }

  /** Reading of the aircraft topic waits for it after each batch. */
  pause: Promise<void> = Promise.resolve();

  partitions(): number {
    return this.count;
  }

  private at(topic: TopicId, partition: number): { earliest: number; list: (OutgoingRecord | null)[] } {
    const name = `${topic}/${partition}`;
    const found = this.records.get(name) ?? { earliest: 0, list: [] };
    this.records.set(name, found);
    return found;
  }

  put(topic: TopicId, partition: number, key: string, value: unknown, timestampMs = 0): void {
    const bytes = value === null ? null : Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
    this.at(topic, partition).list.push({ key, value: bytes, timestampMs });
  }

  /** Deletes everything before the end except the newest records of the given keys, and reports lower offsets as gone. */
  deleteBefore(topic: TopicId, partition: number, offset: number): void {
    this.at(topic, partition).earliest = offset;
  }

  wake(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }

  async bounds(topic: TopicId, partition: number): Promise<{ earliest: number; next: number }> {
    const { earliest, list } = this.at(topic, partition);
    return { earliest, next: list.length };
  }

  async offsetAt(topic: TopicId, partition: number, timestampMs: number): Promise<number> {
    const { earliest, list } = this.at(topic, partition);
    const found = list.findIndex((record) => record!.timestampMs >= timestampMs);
    return Math.max(earliest, found < 0 ? list.length : found);
  }

  async *read({ topic, partition, from, to, signal }: ReadRequest): AsyncIterable<RecordBatch> {
    const source = this.at(topic, partition);
    if (from !== 'earliest' && from < source.earliest)
      throw new SquitterError('log.offset_out_of_range', {
        offset: from,
        topic,
        partition,
        earliest: source.earliest,
        next: source.list.length,
      });
    let offset = from === 'earliest' ? source.earliest : from;
    for (;;) {
      const end = source.list.length;
      while (offset < end) {
        const records = source.list.slice(offset, Math.min(end, offset + 3)).map((record, i) => ({ ...record!, offset: offset + i }));
        offset += records.length;
        yield { topic, partition, records, nextOffset: offset };
        if (topic === 'aircraft') await this.pause;
      }
      if (to !== 'follow' || signal?.aborted === true) return;
      // Written while the follower was busy.
      if (source.list.length > offset) continue;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }
}

const decode = <T>(bytes: Uint8Array): T => JSON.parse(Buffer.from(bytes).toString()) as T;
const codecs: ViewCodecs = {
  AircraftState: { bodyStart: () => -1, decode: decode<AircraftState> },
  FoldProgress: { decode: decode<FoldProgress> },
};
const progress = (partition: number, tickMs: number, messages: number): FoldProgress => ({
  partition,
  tickMs,
  frameOffset: 0,
  frames: 0,
  messages,
  positions: 0,
  positionsDropped: 0,
  aircraft: 0,
  rejected: [],
  reaches: null,
  foldVersion: 1,
});

interface Session {
  readonly log: FakeLog;
  readonly view: ViewFollower;
  readonly snapshots: Snapshot[];
  commit(partition: number, tickMs: number, messages: number, states?: readonly AircraftState[], gone?: readonly string[]): void;
  listed(): string[];
  next(): Promise<Snapshot>;
  /** The snapshot that follows an action. */
  shown(action: () => void): Promise<Snapshot>;
  stop(): Promise<void>;
}

function session(partitions: number, prepare: (log: FakeLog) => void = () => {}, options: Partial<FollowOptions> = {}): Session {
  const log = new FakeLog(partitions);
  prepare(log);
  const snapshots: Snapshot[] = [];
  const bodies: string[] = [];
  const abort = new AbortController();
  let arrived: () => void = () => {};
  const onSnapshot = (snapshot: Snapshot): void => {
    bodies.push(snapshot.body('native').toString());
    snapshots.push(snapshot);
    arrived();
  };
  const view = followView(log as unknown as EventLog, codecs, { clock: () => NOW_MS, signal: abort.signal, onSnapshot, ...options });
  return {
    log,
    view,
    snapshots,
    commit(partition, tickMs, messages, states = [], gone = []) {
      for (const state of states) log.put('aircraft', partition, state.hex, state, tickMs);
      for (const hex of gone) log.put('aircraft', partition, hex, null, tickMs);
      log.put('progress', partition, String(partition), progress(partition, tickMs, messages), tickMs);
      log.wake();
    },
    listed: () => (JSON.parse(bodies.at(-1)!) as { ac: { hex: string }[] }).ac.map(({ hex }) => hex).sort(),
    next() {
      const seen = snapshots.length;
      return new Promise((resolve) => {
        arrived = () => resolve(snapshots[seen]!);
      });
    },
    shown(action) {
      const snapshot = this.next();
      action();
      return snapshot;
    },
    async stop() {
      abort.abort();
      log.wake();
      await view.done;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('following the log', () => {
  it('is ready with the existing records, with one snapshot of the newest tick', async () => {
    const run = session(2, (log) => {
      for (let i = 0; i < 10; i += 1) log.put('aircraft', i % 2, fullState(i).hex, fullState(i));
      log.put('aircraft', 0, fullState(0).hex, null);
      for (let tick = 1; tick <= 8; tick += 1)
        for (const partition of [0, 1])
          log.put('progress', partition, String(partition), progress(partition, NOW_MS + tick * 1000, tick * 10));
    });
    expect(run.view.isReady()).toBe(false);
    await run.view.ready;
    expect(run.view.isReady()).toBe(true);
    expect(run.snapshots).toHaveLength(1);
    const snapshot = run.view.current()!;
    expect(snapshot.times.nowMs).toBe(NOW_MS + 8000);
    expect(snapshot.totals).toEqual({ messages: 160, messagesPerSecond: null, total: 9, withPosition: 9, sources: expect.anything() });
    expect(snapshot.times.ptimeMs).toBeGreaterThanOrEqual(snapshot.times.nowMs);
    expect(snapshot.times.ctimeMs).toBeGreaterThanOrEqual(snapshot.times.ptimeMs);
    await run.stop();
  });

  it('waits briefly for a late partition, continues without it, and shows the tick again when it arrives; now never goes back', async () => {
    const run = session(2, undefined, { partitionWaitMs: 30 });
    await run.view.ready;
    const startMs = performance.now();
    expect((await run.shown(() => run.commit(0, NOW_MS + 2000, 1, [fullState(1)]))).times.nowMs).toBe(NOW_MS + 2000);
    expect(performance.now() - startMs).toBeGreaterThanOrEqual(25);
    run.commit(1, NOW_MS + 1000, 1, [fullState(2)]);
    await pause(50);
    expect(run.snapshots).toHaveLength(1);
    // No record may follow: otherwise the last tick of a feed would stay without its late partitions.
    expect((await run.shown(() => run.commit(1, NOW_MS + 2000, 1))).times.nowMs).toBe(NOW_MS + 2000);
    expect(run.listed()).toHaveLength(2);
    await pause(50);
    expect(run.snapshots).toHaveLength(2);
    const whole = run.next();
    run.commit(0, NOW_MS + 3000, 2);
    run.commit(1, NOW_MS + 3000, 2);
    expect((await whole).times.nowMs).toBe(NOW_MS + 3000);
    expect(run.listed()).toHaveLength(2);
    // A partition that stands still does not leave its aircraft in the lists.
    await run.shown(() => run.commit(0, NOW_MS + 120_000, 2, [{ ...fullState(1), seenMs: NOW_MS + 119_000 }]));
    expect(run.listed()).toEqual([fullState(1).hex]);
    await run.stop();
  });

  it('shows in the end what came too late for the last tick, also from partitions that never reach it', async () => {
    const run = session(3, undefined, { partitionWaitMs: 10 });
    await run.view.ready;
    await run.shown(() => run.commit(0, NOW_MS + 2000, 1, [fullState(1)]));
    expect(run.view.current()!.totals).toMatchObject({ messages: 1, total: 1 });
    const snapshot = run.next();
    run.commit(1, NOW_MS + 2000, 2, [fullState(2)]);
    run.commit(2, NOW_MS + 1000, 4, [fullState(3)]);
    expect((await snapshot).times.nowMs).toBe(NOW_MS + 2000);
    expect(run.view.current()!.totals).toMatchObject({ messages: 7, total: 3 });
    // If a later tick comes first, it shows the late records too: there is no snapshot in between.
    run.commit(2, NOW_MS + 1500, 5);
    expect((await run.shown(() => run.commit(0, NOW_MS + 3000, 6))).times.nowMs).toBe(NOW_MS + 3000);
    expect(run.snapshots).toHaveLength(3);
    await run.stop();
  });

  it('shows a tick as a whole, though a snapshot is built while the next one is read', async () => {
    const run = session(2, undefined, { partitionWaitMs: 5 });
    await run.view.ready;
    await run.shown(() => run.commit(0, NOW_MS, 1, [fullState(1)]));
    let goOn: () => void = () => {};
    run.log.pause = new Promise((resolve) => {
      goOn = resolve;
    });
    run.commit(0, NOW_MS + 1000, 2, [fullState(2), fullState(3), fullState(4), fullState(5)]);
    expect((await run.shown(() => run.commit(1, NOW_MS, 1))).times.nowMs).toBe(NOW_MS);
    expect(run.listed()).toEqual([fullState(1).hex]);
    expect((await run.shown(goOn)).times.nowMs).toBe(NOW_MS + 1000);
    expect(run.listed()).toHaveLength(5);
    await run.stop();
  });

  it('reads a partition again from its start when unread records are gone, and drops removed aircraft', async () => {
    const run = session(2, undefined, { partitionWaitMs: 5 });
    await run.view.ready;
    run.commit(1, NOW_MS, 1, [fullState(50)]);
    await run.shown(() => run.commit(0, NOW_MS, 1, [fullState(1), fullState(2)]));
    const snapshot = run.next();
    // The tombstone of the first one is compacted away before it is read.
    run.log.put('aircraft', 0, fullState(1).hex, null);
    run.log.put('aircraft', 0, fullState(3).hex, fullState(3));
    run.log.put('aircraft', 0, fullState(2).hex, fullState(2));
    run.log.deleteBefore('aircraft', 0, 3);
    run.commit(0, NOW_MS + 1000, 2);
    await snapshot;
    expect(run.listed()).toEqual([fullState(2).hex, fullState(3).hex, fullState(50).hex]);
    expect(run.view.stats.reloads).toBe(1);
    await run.stop();
  });

  it('counts unreadable records and continues', async () => {
    const run = session(1);
    await run.view.ready;
    const snapshot = run.next();
    run.log.put('aircraft', 0, 'broken', 'not json');
    run.log.put('aircraft', 0, 'nothex', bareState('nothex'));
    run.log.put('progress', 0, '0', 'not json');
    run.commit(0, NOW_MS, 1, [fullState(1)]);
    await snapshot;
    expect(run.listed()).toEqual([fullState(1).hex]);
    expect(run.view.stats.malformed).toBe(2);
    await run.stop();
  });

  it('takes the newest receiver coverage, at the start and later', async () => {
    const coverage = (count: number) =>
      Array.from({ length: count }, (_, i) => ({ receiver: i, latitudeDecideg: 10 * i, longitudeDecideg: 0, spreadNm: 50, samples: 900 }));
    const put = (log: FakeLog, tickMs: number, count: number | null): void =>
      log.put('progress', 0, '0', { ...progress(0, tickMs, 1), reaches: count === null ? null : coverage(count) });
    const run = session(1, (log) => {
      for (const [i, count] of [2, 3, null].entries()) put(log, NOW_MS - 3000 + 1000 * i, count);
    });
    await run.view.ready;
    expect(run.view.receivers.count).toBe(3);
    await run.shown(() => {
      put(run.log, NOW_MS, 1);
      run.log.wake();
    });
    expect(run.view.receivers.count).toBe(1);
    await run.stop();
  });

  it('rejects when the log fails', async () => {
    const log = new FakeLog(1);
    log.bounds = () => Promise.reject(new SquitterError('log.closed'));
    const view = followView(log as unknown as EventLog, codecs, { clock: () => NOW_MS, signal: new AbortController().signal });
    await expect(view.done).rejects.toThrow('the log is closed');
    await expect(view.ready).rejects.toThrow('the log is closed');
  });
});
