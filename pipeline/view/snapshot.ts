// One tick as the API shows it: immutable, rendered once; answers are its bytes. Every answer of a snapshot has the same times, so
// that equal requests get equal bytes until the next tick and a strong ETag tells the truth: `ctime` is when the bytes were made.
import { type Arena, ArenaPool } from './arena.ts';
import type { View } from './plain.ts';
import { type SignalStatistics, signalStatistics } from './signal.ts';
import type { LiveTable } from './table.ts';

export interface SnapshotTimes {
  /** The tick, ms since the Unix epoch: newest event time that is whole. */
  readonly nowMs: number;
  /** When the view had processed the tick. */
  readonly ptimeMs: number;
  /** When the bytes were ready. */
  readonly ctimeMs: number;
  /** By our clock, when `nowMs` became what it is. */
  readonly advancedAtMs: number;
}

export interface Totals {
  /** Messages that took effect since the log began. */
  readonly messages: number;
  /** Aircraft listed. */
  readonly total: number;
  /** Aircraft listed with a valid position. */
  readonly withPosition: number;
}

/** Its bytes live in an arena that later ticks reuse: hold a lease (`retain`, `release`) for as long as you write them. */
export class Snapshot {
  /** Grows by one with each snapshot of this process. */
  readonly sequence: number;
  /** Differs from every other snapshot, of other processes too. */
  readonly id: string;
  readonly times: SnapshotTimes;
  readonly totals: Totals;
  readonly signal: SignalStatistics;
  private readonly arena: Arena;
  private readonly generation: number;
  private readonly pool: ArenaPool;
  private readonly bodies: Readonly<Record<View, Buffer>>;
  /** What stands before and behind the number of aircraft. */
  private readonly envelope: readonly [string, string];

  constructor(builder: {
    sequence: number;
    epoch: string;
    times: Omit<SnapshotTimes, 'ctimeMs'>;
    totals: Totals;
    signal: SignalStatistics;
    arena: Arena;
    pool: ArenaPool;
    clock: () => number;
  }) {
    const { arena, times, totals } = builder;
    this.sequence = builder.sequence;
    this.id = `${builder.epoch}-${builder.sequence.toString(36)}`;
    this.times = { ...times, ctimeMs: Math.max(builder.clock(), times.ptimeMs) };
    this.totals = totals;
    this.signal = builder.signal;
    this.arena = arena;
    this.generation = arena.generation;
    this.pool = builder.pool;
    const { nowMs, ptimeMs, ctimeMs } = this.times;
    const start = `{"now":${seconds(nowMs)},"messages":${totals.messages},"total":`;
    const middle = `,"ctime":${seconds(ctimeMs)},"ptime":${seconds(ptimeMs)},"ac":[`;
    this.envelope = [start, middle];
    this.bodies = {
      native: arena.native.body(`${start}${totals.total}${middle}`, ENVELOPE_END),
      readsb: arena.readsb.body(`{"now":${(nowMs / 1000).toFixed(3)},"messages":${totals.messages},"aircraft":[`, ENVELOPE_END),
    };
  }

  /** The whole body of `/v2/all` or `/data/aircraft.json`. Hold a lease while you use it. */
  body(view: View): Buffer {
    this.assertAlive();
    return this.bodies[view];
  }

  isListed(key: number): boolean {
    this.assertAlive();
    return this.arena.indexOf(key) >= 0;
  }

  /**
   * An answer with these aircraft (`hexKey`s) of the native view; unknown ones are left out. ASCII, as a string: Node writes the
   * head of an answer and a string in one system call.
   */
  pick(keys: readonly number[]): string {
    this.assertAlive();
    const { arena, envelope } = this;
    const { bytes, starts, ends } = arena.native;
    let objects = '';
    let total = 0;
    for (const key of keys) {
      const index = arena.indexOf(key);
      if (index < 0) continue;
      objects += `${total === 0 ? '' : ','}${bytes.toString('latin1', starts[index], ends[index])}`;
      total += 1;
    }
    return `${envelope[0]}${total}${envelope[1]}${objects}${ENVELOPE_END}`;
  }

  /** Keeps the bytes as they are until `release` was called as often. */
  retain(): void {
    this.assertAlive();
    this.pool.retain(this.arena);
  }

  release(): void {
    this.pool.release(this.arena);
  }

  /** Using the bytes of a snapshot without a lease after a later tick is a fault of the caller: never serve another tick's bytes. */
  private assertAlive(): void {
    if (this.arena.generation !== this.generation)
      throw new Error(`the bytes of snapshot ${this.id} are gone: it was used without a lease`);
  }
}

const ENVELOPE_END = ']}\n';

/** Seconds with one decimal, rounded down: later times never look earlier. */
export function seconds(ms: number): string {
  return (Math.floor(ms / 100) / 10).toFixed(1);
}

/** Renders the table tick by tick; the newest snapshot stays until the next one is ready. */
export class SnapshotBuilder {
  current: Snapshot | null = null;
  readonly pool = new ArenaPool();
  private readonly table: LiveTable;
  private readonly clock: () => number;
  private readonly epoch: string;
  private sequence = 0;

  /** `clock` gives ms since the Unix epoch; `epoch` tells this process from others that serve the same log. */
  constructor(table: LiveTable, clock: () => number, epoch: string) {
    this.table = table;
    this.clock = clock;
    this.epoch = epoch;
  }

  build(nowMs: number, messages: number): Snapshot {
    const { table, clock, pool } = this;
    const ptimeMs = Math.max(clock(), nowMs);
    const arena = pool.take();
    arena.render(table, nowMs);
    const { rows, count } = arena;
    let withPosition = 0;
    for (let i = 0; i < count; i += 1) withPosition += table.columns.positionValid[rows[i]!]!;
    this.sequence += 1;
    const previous = this.current;
    const advancedAtMs = previous !== null && previous.times.nowMs === nowMs ? previous.times.advancedAtMs : clock();
    const snapshot = new Snapshot({
      sequence: this.sequence,
      epoch: this.epoch,
      times: { nowMs, ptimeMs, advancedAtMs },
      totals: { messages, total: count, withPosition },
      signal: signalStatistics(table.columns.rssiDeciDbfs, rows, count),
      arena,
      pool,
      clock,
    });
    this.current = snapshot;
    previous?.release();
    return snapshot;
  }
}
