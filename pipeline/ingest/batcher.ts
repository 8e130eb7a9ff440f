// Batcher: packs received frames into FrameBatch values, one open batch per partition, and appends them to the log in order and within bounds.
// A batch closes when it is full (64 KB), when it is 50 ms old, at the first `tick` after it entered a new second, or when a frame's time does not fit.
// The new second matters because the fold's ticks end with seconds, and every consumer waits for the frame that ends one.
// The base time is that of the earliest frame. Frames may come in any time order within 71 minutes; a frame earlier than the base moves the base.
// While the log accepts nothing, batches close only when full, so that the backlog holds frames and not half-empty batches.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import {
  PACKED_FRAME_BYTES,
  PACKED_TIME_SPAN_US,
  packedTimeUs,
  packFrame,
  type ReceivedFrame,
  viewOf,
  writePackedTime,
} from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';
import { framePartition } from './partition.ts';
import type { ReceiverTable } from './receivers.ts';

/** Counter names for dropped frames. */
export type DropReason = 'backlog' | 'append_failed';

/** Destination for frames of sessions and files. Sources that can wait should wait while `congested`: frames over the limit are dropped. */
export interface FrameTarget {
  add(frame: ReceivedFrame): void;
  readonly congested: boolean;
  /** Resolves when the target is not congested. */
  whenClear(): Promise<void>;
}

export interface BatcherOptions {
  readonly partitions: number;
  readonly receivers: ReceiverTable;
  readonly counters: Counters;
  /**
   * Appends to one partition, in order. At most one call per partition is pending; when it settles, the frames' bytes are reused.
   * Retriable SquitterErrors are retried.
   */
  readonly append: (partition: number, batches: readonly FrameBatch[]) => Promise<unknown>;
  /** Called when an append fails for good. Its frames are dropped and counted `append_failed`. */
  readonly onFailure: (error: unknown) => void;
  /** µs since the Unix epoch. */
  readonly nowUs: () => number;
}

const FRAMES_PER_BATCH = Math.floor(limits.frameBatchBytesMax / PACKED_FRAME_BYTES);
/** Size that a batch counts in the backlog in addition to its frames. */
const BATCH_OVERHEAD_BYTES = 64;
const SECOND_US = 1_000_000;

interface OpenBatch {
  packed: Uint8Array;
  view: DataView;
  count: number;
  /** Time of the earliest frame (the base time) and of the latest. */
  earliestUs: number;
  latestUs: number;
  /** Clock time of the first frame. */
  openedUs: number;
  receivers: string[];
  /** Receiver number → index in `receivers`. It keeps its entries between batches: an entry is valid only if the id at that index matches. */
  readonly receiverIndexes: Uint16Array;
  /** Clock time of this partition's last record. */
  lastRecordUs: number;
  /** End of the newest second in this partition's records, event time. */
  secondEndUs: number;
  queue: FrameBatch[];
  appending: Promise<void> | null;
}

export class Batcher implements FrameTarget {
  private readonly options: BatcherOptions;
  private readonly open: OpenBatch[];
  private queuedBytes = 0;
  /** Buffers whose frames are durable, for the next batches. */
  private readonly spare: Uint8Array[] = [];
  private waiting: (() => void)[] = [];
  /** Aborted when `drain` stops waiting for the log. */
  private readonly givingUp = new AbortController();

  constructor(options: BatcherOptions) {
    this.options = options;
    const startUs = options.nowUs();
    this.open = Array.from({ length: options.partitions }, () => createOpenBatch(startUs));
  }

  /** Bytes passed to the log and not yet durable. */
  get backlogBytes(): number {
    return this.queuedBytes;
  }

  get congested(): boolean {
    return this.queuedBytes > limits.ingestBacklogBytesMax / 2;
  }

  async whenClear(): Promise<void> {
    if (this.congested) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  add(frame: ReceivedFrame): void {
    const { options } = this;
    if (this.queuedBytes >= limits.ingestBacklogBytesMax) {
      options.counters.add('backlog' satisfies DropReason);
      return;
    }
    const partition = framePartition(frame.bytes, frame.at, frame.byteLength, options.partitions);
    const batch = this.open[partition]!;
    const { timeUs } = frame;
    const isTooFar = timeUs > batch.earliestUs + PACKED_TIME_SPAN_US || timeUs < batch.latestUs - PACKED_TIME_SPAN_US;
    if (isTooFar && batch.count > 0) this.flush(partition);
    if (batch.count === 0) {
      batch.openedUs = options.nowUs();
      batch.earliestUs = timeUs;
      batch.latestUs = timeUs;
    } else if (timeUs < batch.earliestUs) {
      rebase(batch, timeUs);
    } else if (timeUs > batch.latestUs) {
      batch.latestUs = timeUs;
    }
    const receiver = frame.receiver;
    frame.receiver = receiverIndex(batch, receiver, options.receivers.id(receiver));
    packFrame(batch.view, batch.count * PACKED_FRAME_BYTES, batch.earliestUs, frame);
    frame.receiver = receiver;
    batch.count += 1;
    if (batch.count === FRAMES_PER_BATCH) this.flush(partition);
  }

  /** Closes batches that are old enough or have entered a new second. Call it every 10 to 50 ms. */
  tick(nowUs: number): void {
    for (let partition = 0; partition < this.open.length; partition += 1) {
      const batch = this.open[partition]!;
      if (batch.count === 0 || batch.queue.length >= limits.ingestBatchesPerAppendMax) continue;
      const isOld = nowUs - batch.openedUs >= limits.frameBatchAgeMsMax * 1000;
      if (isOld || batch.latestUs >= batch.secondEndUs) this.flush(partition);
    }
  }

  /** Appends an empty batch with the current time to each partition without a record for 200 ms, so that event time advances. */
  heartbeat(nowUs: number): void {
    for (let partition = 0; partition < this.open.length; partition += 1) {
      const batch = this.open[partition]!;
      const idle = batch.count === 0 && batch.queue.length === 0 && nowUs - batch.lastRecordUs >= limits.heartbeatIdleMs * 1000;
      if (!idle) continue;
      advanceSecond(batch, nowUs);
      this.enqueue(partition, { baseTimeUs: nowUs, receivers: [], count: 0, frames: new Uint8Array(0) }, nowUs);
    }
  }

  /**
   * Closes every open batch and waits until each is durable or has failed. Retriable failures are retried for
   * `limits.ingestDrainMsMax`, then counted `append_failed`. Call `add` no more after it.
   */
  async drain(): Promise<void> {
    for (let partition = 0; partition < this.open.length; partition += 1) this.flush(partition);
    const giveUp = setTimeout(() => this.givingUp.abort(), limits.ingestDrainMsMax);
    await Promise.all(this.open.map((batch) => batch.appending));
    clearTimeout(giveUp);
  }

  private flush(partition: number): void {
    const batch = this.open[partition]!;
    const { packed, count, earliestUs, receivers } = batch;
    if (count === 0) return;
    const frames = packed.subarray(0, count * PACKED_FRAME_BYTES);
    batch.packed = this.spare.pop() ?? new Uint8Array(FRAMES_PER_BATCH * PACKED_FRAME_BYTES);
    batch.view = viewOf(batch.packed);
    batch.count = 0;
    batch.receivers = [];
    advanceSecond(batch, batch.latestUs);
    this.enqueue(partition, { baseTimeUs: earliestUs, receivers, count, frames }, this.options.nowUs());
  }

  private enqueue(partition: number, value: FrameBatch, nowUs: number): void {
    const batch = this.open[partition]!;
    batch.lastRecordUs = nowUs;
    batch.queue.push(value);
    this.queuedBytes += batchBytes(value);
    batch.appending ??= this.appendAll(partition, batch);
  }

  private async appendAll(partition: number, batch: OpenBatch): Promise<void> {
    // Yields once, so that batches the caller adds synchronously share one append.
    await null;
    while (batch.queue.length > 0) {
      const batches = batch.queue.splice(0, limits.ingestBatchesPerAppendMax);
      await this.appendWithRetry(partition, batches);
      for (const value of batches) {
        this.queuedBytes -= batchBytes(value);
        if (value.count > 0 && this.spare.length < limits.ingestSpareBuffersMax) this.spare.push(new Uint8Array(value.frames.buffer));
      }
      if (!this.congested && this.waiting.length > 0) {
        const released = this.waiting;
        this.waiting = [];
        for (const resolve of released) resolve();
      }
    }
    batch.appending = null;
  }

  private async appendWithRetry(partition: number, batches: readonly FrameBatch[]): Promise<void> {
    const { options } = this;
    for (let delayMs: number = limits.ingestRetryMsMin; ; delayMs = Math.min(2 * delayMs, limits.ingestRetryMsMax)) {
      try {
        await options.append(partition, batches);
        return;
      } catch (error) {
        if (error instanceof SquitterError && error.retriable && !this.givingUp.signal.aborted) {
          options.counters.add('append_retried');
          // `drain` ends the sleep for one last attempt.
          await sleep(delayMs, undefined, { signal: this.givingUp.signal }).catch(() => undefined);
          continue;
        }
        let frames = 0;
        for (const value of batches) frames += value.count;
        options.counters.add('append_failed' satisfies DropReason, frames);
        options.onFailure(error);
        return;
      }
    }
  }
}

/** Calls `tick` and `heartbeat` on a timer until the returned function is called. */
export function runBatcher(batcher: Batcher, nowUs: () => number): () => void {
  const timer = setInterval(() => {
    const now = nowUs();
    batcher.tick(now);
    batcher.heartbeat(now);
  }, limits.frameBatchAgeMsMax / 2.5);
  return () => clearInterval(timer);
}

function createOpenBatch(startUs: number): OpenBatch {
  const packed = new Uint8Array(FRAMES_PER_BATCH * PACKED_FRAME_BYTES);
  return {
    packed,
    view: viewOf(packed),
    count: 0,
    earliestUs: 0,
    latestUs: 0,
    openedUs: 0,
    receivers: [],
    receiverIndexes: new Uint16Array(limits.receiversMax),
    lastRecordUs: startUs,
    secondEndUs: startUs - (startUs % SECOND_US) + SECOND_US,
    queue: [],
    appending: null,
  };
}

/** Moves the base time of a batch to an earlier one. */
function rebase(batch: OpenBatch, earliestUs: number): void {
  const byUs = batch.earliestUs - earliestUs;
  const { packed, view } = batch;
  for (let i = 0, at = 0; i < batch.count; i += 1, at += PACKED_FRAME_BYTES) writePackedTime(view, at, packedTimeUs(packed, at) + byUs);
  batch.earliestUs = earliestUs;
}

function advanceSecond(batch: OpenBatch, timeUs: number): void {
  if (timeUs >= batch.secondEndUs) batch.secondEndUs = timeUs - (timeUs % SECOND_US) + SECOND_US;
}

function receiverIndex(batch: OpenBatch, number: number, id: string): number {
  const { receivers, receiverIndexes } = batch;
  const index = receiverIndexes[number]!;
  if (receivers[index] === id) return index;
  const found = receivers.push(id) - 1;
  receiverIndexes[number] = found;
  return found;
}

function batchBytes(batch: FrameBatch): number {
  return batch.frames.length + BATCH_OVERHEAD_BYTES;
}
