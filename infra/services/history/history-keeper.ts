// Retention of the history in every profile: drops what is too old or too much, at intervals, and knows the sizes of the tables.

import { setTimeout as sleep } from 'node:timers/promises';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { type DamagedPart, type DropReason, damagedParts, type RetentionReport, retain } from '../../../pipeline/store/retention.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { LineLogger } from '../logging.ts';

export interface KeeperOptions {
  readonly client: HistoryClient;
  /** Days that are kept, today included. */
  readonly daysMax: number;
  /** Size beyond which the oldest positions go; `usedBytes` is the present size. Errors: those of the client. */
  readonly bytesMax: (usedBytes: number) => number | Promise<number>;
  /** True in the one process that drops days from this store. Default: always. */
  readonly isKeeper?: () => boolean;
  readonly logger: LineLogger;
  /** Ms since the Unix epoch, and of a steady clock. */
  readonly wallMs?: () => number;
  readonly steadyMs?: () => number;
  readonly intervalMs?: number;
}

/** Errors that other checks report: the store is away. */
const AWAY: ReadonlySet<ErrorCode> = new Set(['history.unreachable', 'history.cancelled']);

export class HistoryKeeper {
  private readonly options: KeeperOptions;
  private readonly lines: LogLimiter;
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;
  private readonly clock: ForwardSteps;
  /** Positions that this process dropped. */
  readonly dropped: Record<DropReason, number> = { age: 0, size: 0 };
  /** Null before the first, and while another process is the keeper. */
  report: RetentionReport | null = null;
  /** Parts that the store has set aside, because their files are damaged. */
  damaged: readonly DamagedPart[] = [];
  /** The newest limit; 0 before the first, and while another process is the keeper. */
  bytesMax = 0;
  private reason: string | null = null;

  constructor(options: KeeperOptions) {
    this.options = options;
    const { logger, wallMs = Date.now, steadyMs = () => performance.now() } = options;
    this.lines = new LogLimiter((level, fields, message) => logger[level === 'info' ? 'info' : 'warn'](fields, message));
    this.clock = new ForwardSteps(wallMs, steadyMs);
    this.ended = this.keep();
  }

  /** The reason why retention does not work or rows are missing; null without one. */
  problem(): string | null {
    if (this.reason !== null) return this.reason;
    const tables = [...new Set(this.damaged.map(({ table }) => table))].join(', ');
    return this.damaged.length === 0 ? null : `${this.damaged.length} damaged parts of ${tables} are set aside: their rows are missing`;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
    this.lines.flush();
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    const { isKeeper = () => true, intervalMs = limits.retentionMs } = this.options;
    for (; !signal.aborted; await sleep(intervalMs, undefined, { signal }).catch(() => undefined)) {
      if (!isKeeper()) {
        this.report = null;
        this.bytesMax = 0;
        this.damaged = [];
        this.reason = null;
        continue;
      }
      try {
        await this.once();
        this.reason = null;
      } catch (error) {
        if (!signal.aborted) this.failed(error);
      }
    }
  }

  private failed(error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    if (error instanceof SquitterError && AWAY.has(error.code)) return;
    this.reason = `old days of the history cannot be dropped: ${text}`;
    this.lines.line('warn', { error: text }, 'old days of the history cannot be dropped');
  }

  private async once(): Promise<void> {
    const { client, daysMax, bytesMax } = this.options;
    const { signal } = this.stopping;
    const calls = { signal, onDropped: (reason: DropReason, day: string, rows: number) => this.noteDropped(reason, day, rows) };
    const nowMs = this.clock.nowMs();
    if (nowMs === null) this.lines.line('warn', {}, 'the clock was set forward: for a day, no day of the history counts as too old');
    const old = await retain(client, { daysMax: nowMs === null ? null : daysMax, bytesMax: null }, nowMs ?? 0, calls);
    // The limit depends on the size: a store that was just opened has one, too.
    this.bytesMax = await bytesMax(old.tables.reduce((total, { bytes }) => total + bytes, 0));
    this.report = await retain(client, { daysMax: null, bytesMax: this.bytesMax }, 0, calls);
    this.noteDamaged(await damagedParts(client, { signal }));
  }

  private noteDropped(reason: DropReason, day: string, rows: number): void {
    this.dropped[reason] += rows;
    this.lines.line('info', { reason, day, rows }, 'the oldest positions of the history were dropped', `dropped ${day}`);
  }

  private noteDamaged(found: readonly DamagedPart[]): void {
    const known = new Set(this.damaged.map(({ table, name }) => `${table} ${name}`));
    for (const part of found)
      if (!known.has(`${part.table} ${part.name}`))
        this.lines.line('warn', { ...part }, 'the history store has set a damaged part aside: its rows are missing');
    this.damaged = found;
  }
}

/** The wall clock, until it was set forward: one that is wrong by a month must not cost the history of that month. */
class ForwardSteps {
  private readonly wallMs: () => number;
  private readonly steadyMs: () => number;
  /** Wall clock minus steady clock. */
  private differenceMs: number;
  private heldUntilMs = Number.NEGATIVE_INFINITY;

  constructor(wallMs: () => number, steadyMs: () => number) {
    this.wallMs = wallMs;
    this.steadyMs = steadyMs;
    this.differenceMs = wallMs() - steadyMs();
  }

  /** Null for a day after a step. A machine that was suspended looks the same. */
  nowMs(): number | null {
    const [wall, steady] = [this.wallMs(), this.steadyMs()];
    if (wall - steady - this.differenceMs > limits.retentionStepMsMax) this.heldUntilMs = steady + limits.retentionHoldMs;
    this.differenceMs = wall - steady;
    return steady < this.heldUntilMs ? null : wall;
  }
}

/** The wanted size, or the history's share of a smaller disk. */
export function withinDisk(bytesMax: number | null, usedBytes: number, freeBytes: number, share: number): number {
  return Math.min(bytesMax ?? Number.POSITIVE_INFINITY, Math.floor((usedBytes + freeBytes) * share));
}
