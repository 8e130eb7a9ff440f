// One partition of a topic on its way into the store, effectively once.
//
//   1. Records fill a block until it has `historyBatchRowsMax` rows, or for `historyBatchAgeMsMax`.
//   2. The end of the range is written to the log as the offset of the group `….plan`. From now on, the range is fixed: a restart makes the same
//      batch with the same token, so the store ignores it if it has it.
//   3. The block is inserted, again and again until the store confirms it. After a repeat, the store proves that it has the rows (whole-insert.ts).
//   4. The group's offset is committed.
//
// Meanwhile the next block fills. When both are full, the reader waits: memory is bounded however long the store is away.
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import type { EventLog, RecordBatch } from '../log/event-log.ts';
import { pause, pauseAfter, retrying } from '../runtime/retry.ts';
import { untilAborted } from '../runtime/waiting.ts';
import { HistoryBatch } from './history-batch.ts';
import type { HistoryWriter, Projection } from './projection.ts';
import type { SinkStats } from './sink-stats.ts';
import { insertWhole } from './whole-insert.ts';

/** When a batch is closed. */
export interface BatchSize {
  readonly rowsMax: number;
  readonly ageMsMax: number;
  /** Rows of a batch that an earlier run planned: with more of them, the group's offset was moved meanwhile, and the plan belongs to another one. */
  readonly plannedRowsMax: number;
}

export const BATCH_SIZE: BatchSize = {
  rowsMax: limits.historyBatchRowsMax,
  ageMsMax: limits.historyBatchAgeMsMax,
  plannedRowsMax: limits.historyPlannedRowsMax,
};

export interface PartitionSinkOptions {
  readonly log: EventLog;
  readonly group: string;
  readonly planGroup: string;
  readonly projection: Projection;
  readonly partition: number;
  readonly writer: HistoryWriter;
  readonly stats: SinkStats;
  readonly size: BatchSize;
  /** A monotonic clock. */
  readonly steadyMs: () => number;
  /** Called when the store refuses a batch or cannot be reached. The batch is inserted again. */
  readonly onRetry: (partition: number, error: unknown) => void;
  /** Called when the log refuses a commit: the partition cannot continue. */
  readonly onFailed: (error: unknown) => void;
}

export interface SinkStart {
  /** The group's offset; null if it never committed. */
  readonly committed: number | null;
  /** The end of the newest planned batch; null if there is none. */
  readonly planned: number | null;
  /** Where the range of the first batch begins: `committed` if there is one. */
  readonly first: number;
  /** End of the log. A plan beyond it is of another topic. */
  readonly end: number;
}

export class PartitionSink {
  private readonly options: PartitionSinkOptions;
  private committed: number | null;
  private planned: number | null;
  /** End of a batch that an earlier run planned; null once it is made. */
  private fixedEnd: number | null;
  private filling: HistoryBatch;
  private spare: HistoryBatch;
  private sending: Promise<void> | null = null;
  /** The store has been compared with the committed offset, and has not failed since: it may come back without its rows. */
  private isProven = false;
  private failure: { readonly error: unknown } | null = null;
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(options: PartitionSinkOptions, { committed, planned, first, end }: SinkStart) {
    this.options = options;
    this.committed = committed;
    this.planned = planned;
    this.fixedEnd = planned !== null && planned > first && planned <= end ? planned : null;
    this.filling = new HistoryBatch(options.projection);
    this.spare = new HistoryBatch(options.projection);
    this.filling.begin(first);
  }

  /** Adds the records. Waits while the next block is full and the newest is not confirmed. Error: the one that the log gave to a commit. */
  async add(batch: RecordBatch, signal: AbortSignal): Promise<void> {
    for (const record of batch.records) {
      if (this.fixedEnd !== null && record.offset >= this.fixedEnd && !(await this.close(this.fixedEnd, signal))) return;
      if (this.filling.isEmpty) this.start(record.timestampMs);
      this.filling.add(this.options.projection, batch.partition, record);
      if (this.filling.block.rows > this.options.size.plannedRowsMax) this.fixedEnd = null;
      const isFull = this.fixedEnd === null && this.filling.block.rows >= this.options.size.rowsMax;
      if (isFull && !(await this.close(record.offset + 1, signal))) return;
    }
    this.options.stats.read(batch);
    if (this.fixedEnd !== null && batch.nextOffset >= this.fixedEnd) await this.close(this.fixedEnd, signal);
    if (this.failure !== null) throw this.failure.error;
  }

  /** Sends what is left and waits until the store has it, or the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    if (!this.filling.isEmpty && this.fixedEnd === null) await this.close(this.filling.next, signal);
    await this.sent(signal);
  }

  /** Ends the work at hand. The next owner reads again from the confirmed offset. */
  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.stopping.abort();
    await this.sending;
  }

  /** Waits until nothing is being sent, or the signal aborts. */
  private sent(signal: AbortSignal): Promise<void> {
    return untilAborted(this.sending ?? Promise.resolve(), signal, undefined);
  }

  private start(timestampMs: number): void {
    const { stats, partition, steadyMs } = this.options;
    this.filling.sinceMs = steadyMs();
    if (this.sending === null) stats.waiting(partition, timestampMs);
    this.timer ??= setTimeout(() => this.onAge(), this.options.size.ageMsMax);
  }

  private onAge(): void {
    this.timer = undefined;
    const { filling } = this;
    // A batch that was planned by an earlier run is made when its last record is read, and no other before it.
    if (filling.isEmpty || this.fixedEnd !== null || this.sending !== null || this.stopping.signal.aborted) return;
    this.send(filling.next);
  }

  /** Closes the range before `end` and begins to send it, once the one before is confirmed. False when the signal aborts first. */
  private async close(end: number, signal: AbortSignal): Promise<boolean> {
    await this.sent(signal);
    if (this.failure !== null) throw this.failure.error;
    if (signal.aborted || this.stopping.signal.aborted) return false;
    // A timer may have sent it meanwhile.
    if (this.filling.first < end) this.send(end);
    return true;
  }

  private send(end: number): void {
    const full = this.filling;
    full.next = end;
    this.fixedEnd = null;
    this.filling = this.spare;
    this.spare = full;
    this.filling.begin(end);
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = this.put(full)
      .catch((error: unknown) => {
        this.failure = { error };
        this.options.onFailed(error);
      })
      .finally(() => {
        this.sending = null;
        if (this.failure !== null || this.filling.isEmpty) return;
        const ageMs = this.options.steadyMs() - this.filling.sinceMs;
        if (ageMs >= this.options.size.ageMsMax) this.onAge();
        // The timer may have ended a moment too early by the clock, while the batch before was sent.
        else this.timer ??= setTimeout(() => this.onAge(), this.options.size.ageMsMax - ageMs);
      });
  }

  private async put(batch: HistoryBatch): Promise<void> {
    const { log, group, planGroup, projection, partition, stats, size, steadyMs } = this.options;
    const { topic } = projection;
    const { first, next } = batch;
    const startMs = steadyMs();
    if (batch.block.rows > 0) {
      if (!this.isProven && !(await this.prove(batch))) return;
      const isRepeat = this.planned === next;
      if (!isRepeat)
        await log.commit({ group: planGroup, topic, partition, fromOffset: this.planned ?? first, nextOffset: next, outputs: [] });
      this.planned = next;
      if (!(await this.insert(batch, isRepeat))) return;
    }
    await log.commit({ group, topic, partition, fromOffset: this.committed ?? first, nextOffset: next, outputs: [] });
    this.committed = next;
    stats.confirmed(partition, batch, this.filling);
    if (batch.block.rows >= size.rowsMax) await this.pause(steadyMs() - startMs);
  }

  /** A full batch is one of a backlog: live requests have the processors for about as long as it took. */
  private async pause(tookMs: number): Promise<void> {
    const { historyRestShare, historyRestMsMax } = limits;
    await pause(Math.min(tookMs * historyRestShare, historyRestMsMax), this.stopping.signal);
  }

  /** False when the partition is taken back before the store confirmed the rows. `isRepeat`: an earlier run may have inserted the batch. Errors: those of `moveTo`. */
  private async insert(batch: HistoryBatch, isRepeat: boolean): Promise<boolean> {
    const { writer, projection, partition, stats, steadyMs } = this.options;
    const { table, order, time } = projection;
    const { block } = batch;
    const insert = { table, token: batch.token(projection, partition), block, rowOrder: { partition, order, time } };
    let wasTried = isRepeat;
    let start = batch.first;
    const isDone = await this.retried(async (signal) => {
      if (!this.isProven) start = await this.provenStart(batch, true, signal);
      if (start !== batch.first) return;
      const startMs = steadyMs();
      const isAgain = wasTried;
      wasTried = true;
      stats.restored += await insertWhole(writer, insert, isAgain, signal);
      stats.inserted(insert, steadyMs() - startMs);
    });
    if (isDone && start !== batch.first) await this.moveTo(start, batch);
    return isDone;
  }

  /** Before the first plan: moves the group to where the store's rows end, if that is elsewhere. Errors: those of `moveTo`. */
  private async prove(batch: HistoryBatch): Promise<boolean> {
    let start = batch.first;
    const isDone = await this.retried(async (signal) => {
      start = await this.provenStart(batch, false, signal);
    });
    if (isDone && start !== batch.first) await this.moveTo(start, batch);
    return isDone;
  }

  /** Where the store says that the batch must begin. */
  private async provenStart({ first, next }: HistoryBatch, isAgain: boolean, signal: AbortSignal): Promise<number> {
    const { log, projection, partition, writer } = this.options;
    const { committed, planned } = this;
    const request = { log, projection, partition, committed, planned: next === planned ? planned : null, first, isAgain };
    const start = await writer.start(request, signal);
    this.isProven = start === first;
    return start;
  }

  /** Moves the group. Errors: `history.offset_moved`, read again from there; those of the log. */
  private async moveTo(start: number, { first }: HistoryBatch): Promise<never> {
    const { log, group, planGroup, projection, partition } = this.options;
    const { topic } = projection;
    const { committed, planned } = this;
    const shared = { topic, partition, nextOffset: start, outputs: [] };
    if (planned !== start) await log.commit({ ...shared, group: planGroup, fromOffset: planned ?? start });
    await log.commit({ ...shared, group, fromOffset: committed ?? start });
    throw new SquitterError('history.offset_moved', { topic: topics[topic].name, partition, from: first, to: start });
  }

  /** Repeats the work until it succeeds. False when the partition is taken back first. */
  private async retried(work: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const { partition, stats, onRetry } = this.options;
    const { signal } = this.stopping;
    let isDone = false;
    const attempt = async (): Promise<void> => {
      if (signal.aborted) return;
      await work(signal);
      isDone = true;
    };
    await retrying(
      attempt,
      (error, failures) => {
        if (signal.aborted) return 0;
        if (mayHaveLost(error)) this.isProven = false;
        stats.refused(partition, error);
        onRetry(partition, error);
        return pauseAfter(failures, limits.historyRetryMsMin, limits.historyRetryMsMax);
      },
      signal,
    );
    return isDone;
  }
}

/** A store that did not answer, or refused the statement because its table is gone, may come back without rows. */
function mayHaveLost(error: unknown): boolean {
  return !(error instanceof SquitterError) || error.code === 'history.unreachable' || error.code === 'history.query_failed';
}
