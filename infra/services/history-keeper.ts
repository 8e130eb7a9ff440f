// Retention of the history in every profile: drops what is too old or too much, at intervals, and knows the sizes of the tables.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HistoryClient } from '../../pipeline/store/client.ts';
import { type DropReason, type RetentionReport, retain } from '../../pipeline/store/retention.ts';
import { historyLimits } from '../../schemas/history-limits.ts';

export interface KeeperOptions {
  readonly client: HistoryClient;
  /** Days that are kept, today included. */
  readonly daysMax: number;
  /** Size beyond which the oldest positions go; `usedBytes` is the present size. Errors: those of the client. */
  readonly bytesMax: (usedBytes: number) => number | Promise<number>;
  /** Of all processes on one store, one at a time. Default: this one. */
  readonly isKeeper?: () => boolean;
  readonly logger: {
    info(fields: Readonly<Record<string, unknown>>, message: string): void;
    debug(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
}

export class HistoryKeeper {
  private readonly options: KeeperOptions;
  private readonly stopping = new AbortController();
  private readonly ended: Promise<void>;
  private readonly droppedRows: Record<DropReason, number> = { age: 0, size: 0 };
  private newest: RetentionReport | null = null;
  private limit = 0;

  constructor(options: KeeperOptions) {
    this.options = options;
    this.ended = this.keep();
  }

  /** Null before the first, and while another process is the keeper. */
  report(): RetentionReport | null {
    return this.newest;
  }

  /** Positions that this process dropped. */
  dropped(): Readonly<Record<DropReason, number>> {
    return this.droppedRows;
  }

  /** The newest limit; 0 before the first, and while another process is the keeper. */
  bytesMax(): number {
    return this.limit;
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.ended;
  }

  private async keep(): Promise<void> {
    const { signal } = this.stopping;
    const { logger, isKeeper = () => true } = this.options;
    for (; !signal.aborted; await sleep(historyLimits.retentionMs, undefined, { signal }).catch(() => undefined)) {
      if (!isKeeper()) {
        this.newest = null;
        this.limit = 0;
        continue;
      }
      try {
        await this.once();
      } catch (error) {
        if (!signal.aborted) logger.debug({ error: String(error) }, 'the size of the history is not known');
      }
    }
  }

  private async once(): Promise<void> {
    const { client, daysMax, bytesMax, logger } = this.options;
    const old = await retain(client, { daysMax, bytesMax: null }, Date.now());
    // The limit depends on the size: a store that was just opened has one, too.
    this.limit = await bytesMax(old.tables.reduce((total, { bytes }) => total + bytes, 0));
    this.newest = await retain(client, { daysMax: null, bytesMax: this.limit }, Date.now());
    const { oldestDay } = this.newest;
    const dropped = { age: old.dropped.age, size: this.newest.dropped.size };
    this.droppedRows.age += dropped.age;
    this.droppedRows.size += dropped.size;
    if (dropped.age + dropped.size > 0) logger.info({ ...dropped, oldestDay }, 'the oldest positions of the history were dropped');
  }
}

/** The wanted size, or the history's share of a smaller disk. */
export function withinDisk(bytesMax: number | null, usedBytes: number, freeBytes: number, share: number): number {
  return Math.min(bytesMax ?? Number.POSITIVE_INFINITY, Math.floor((usedBytes + freeBytes) * share));
}
