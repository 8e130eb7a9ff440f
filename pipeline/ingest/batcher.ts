// Batcher: received frames to FrameBatch values, one open batch per partition, handed to the log in order and within bounds.
// A batch closes when it is full (64 KB), 50 ms old, at the first look after it reached a new second, or when a frame's time would not fit in it:
// ticks of the fold end with seconds, and everybody waits for the frame that ends one. Its base time is its earliest frame's:
// frames may come in any order of time within 71 minutes of each other; one that is earlier than the base moves it.
// While the log takes nothing, batches are closed only when they are full: what waits is frames, not the rest of half-empty batches.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import {
  PACKED_FRAME_BYTES,
  PACKED_TIME_SPAN_US_MAX,
  packedTimeUs,
  packFrame,
  type ReceivedFrame,
  viewOf,
  writePackedTime,
} from '../../schemas/packed-frame.ts';
import type { Counters } from '../runtime/counters.ts';
import { framePartition } from './partition.ts';
import type { ReceiverTable } from './receivers.ts';

/** Reasons for which the batcher drops frames, as counters name them. */
export type DropReason = 'backlog' | 'append_failed';

/** Where sessions and files put frames. While `congested`, whoever can wait should: frames over the limit are dropped. */
export interface FrameTarget {
  add(frame: ReceivedFrame): void;
  readonly congested: boolean;
  /** Resolves when it is not congested any more. */
  whenClear(): Promise<void>;
}

export interface BatcherOptions {
  readonly partitions: number;
  readonly receivers: ReceiverTable;
  readonly counters: Counters;
  /**
   * Appends to one partition, in order; never called again for it before it settles, after which the frames' bytes are used again.
   * A retriable SquitterError is tried again.
   */
  readonly append: (partition: number, batches: readonly FrameBatch[]) => Promise<unknown>;
  /** The log refused for good: what it refused is dropped and counted `append_failed`. */
  readonly onFailure: (error: unknown) => void;
  /** µs since the Unix epoch. */
  readonly nowUs: () => number;
}

const FRAMES_MAX = Math.floor(limits.frameBatchBytesMax / PACKED_FRAME_BYTES);
const BATCHES_PER_APPEND_MAX = 16;
/** Buffers that are kept for the next batches: what a backlog needed more is given back. */
const SPARE_BUFFERS_MAX = 64;
/** What a batch weighs in the backlog besides its frames. */
const BATCH_OVERHEAD_BYTES = 64;
const SECOND_US = 1_000_000;
const RETRY_DELAY_MS_MIN = 100;
const RETRY_DELAY_MS_MAX = 5000;

interface OpenBatch {
  packed: Uint8Array;
  view: DataView;
  count: number;
  /** The base time, and the latest one. */
  earliestUs: number;
  latestUs: number;
  /** When the first frame came, by the clock. */
  openedUs: number;
  receivers: string[];
  /** Receiver number → index in `receivers`, believed only where the id there is right: it is not cleared between batches. */
  readonly receiverIndexes: Uint16Array;
  /** When this partition last got a record, by the clock. */
  lastRecordUs: number;
  /** End of the newest second that this partition's records reached, event time. */
  secondEndUs: number;
  queue: FrameBatch[];
  appending: Promise<void> | null;
}

export class Batcher implements FrameTarget {
  private readonly options: BatcherOptions;
  private readonly open: OpenBatch[];
  private queuedBytes = 0;
  /** Buffers whose frames are durable: the next batches are packed into them. */
  private readonly spare: Uint8Array[] = [];
  private waiting: (() => void)[] = [];
  /** Aborted when a log that takes nothing is waited for no more. */
  private readonly givingUp = new AbortController();

  constructor(options: BatcherOptions) {
    this.options = options;
    const startUs = options.nowUs();
    this.open = Array.from({ length: options.partitions }, () => createOpenBatch(startUs));
  }

  /** Bytes handed to the log and not yet durable. */
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
    const isTooFar = timeUs > batch.earliestUs + PACKED_TIME_SPAN_US_MAX || timeUs < batch.latestUs - PACKED_TIME_SPAN_US_MAX;
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
    if (batch.count === FRAMES_MAX) this.flush(partition);
  }

  /** Closes the batches that are old enough, or the first of their second. Call it every 10 to 50 ms. */
  tick(nowUs: number): void {
    for (let partition = 0; partition < this.open.length; partition += 1) {
      const batch = this.open[partition]!;
      if (batch.count === 0 || batch.queue.length >= BATCHES_PER_APPEND_MAX) continue;
      const isOld = nowUs - batch.openedUs >= limits.frameBatchAgeMsMax * 1000;
      if (isOld || batch.latestUs >= batch.secondEndUs) this.flush(partition);
    }
  }

  /** Gives every partition that had no record for 200 ms an empty batch that tells the time, so that event time moves on. */
  heartbeat(nowUs: number): void {
    for (let partition = 0; partition < this.open.length; partition += 1) {
      const batch = this.open[partition]!;
      const idle = batch.count === 0 && batch.queue.length === 0 && nowUs - batch.lastRecordUs >= limits.heartbeatIdleMs * 1000;
      if (!idle) continue;
      reachTime(batch, nowUs);
      this.enqueue(partition, { baseTimeUs: nowUs, receivers: [], count: 0, frames: new Uint8Array(0) }, nowUs);
    }
  }

  /**
   * Closes every open batch and waits until all is durable (or refused). What the log may take later is tried again for
   * `limits.ingestDrainMsMax`, then given up and counted `append_failed`. No frames are taken after it.
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
    batch.packed = this.spare.pop() ?? new Uint8Array(FRAMES_MAX * PACKED_FRAME_BYTES);
    batch.view = viewOf(batch.packed);
    batch.count = 0;
    batch.receivers = [];
    reachTime(batch, batch.latestUs);
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
    // Leaves the caller's stack first: what else it adds at once goes into the same append.
    await null;
    while (batch.queue.length > 0) {
      const batches = batch.queue.splice(0, BATCHES_PER_APPEND_MAX);
      await this.appendWithRetry(partition, batches);
      for (const value of batches) {
        this.queuedBytes -= batchBytes(value);
        if (value.count > 0 && this.spare.length < SPARE_BUFFERS_MAX) this.spare.push(new Uint8Array(value.frames.buffer));
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
    for (let delayMs = RETRY_DELAY_MS_MIN; ; delayMs = Math.min(2 * delayMs, RETRY_DELAY_MS_MAX)) {
      try {
        await options.append(partition, batches);
        return;
      } catch (error) {
        if (error instanceof SquitterError && error.retriable && !this.givingUp.signal.aborted) {
          options.counters.add('append_retried');
          // Woken when it is given up, for a last attempt.
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

/** Drives a batcher by the clock until the returned function is called. */
export function runBatcher(batcher: Batcher, nowUs: () => number): () => void {
  const timer = setInterval(() => {
    const now = nowUs();
    batcher.tick(now);
    batcher.heartbeat(now);
  }, limits.frameBatchAgeMsMax / 5);
  return () => clearInterval(timer);
}

function createOpenBatch(startUs: number): OpenBatch {
  const packed = new Uint8Array(FRAMES_MAX * PACKED_FRAME_BYTES);
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

/** Lets the times of a batch count from an earlier one. */
function rebase(batch: OpenBatch, earliestUs: number): void {
  const byUs = batch.earliestUs - earliestUs;
  const { packed, view } = batch;
  for (let i = 0, at = 0; i < batch.count; i += 1, at += PACKED_FRAME_BYTES) writePackedTime(view, at, packedTimeUs(packed, at) + byUs);
  batch.earliestUs = earliestUs;
}

function reachTime(batch: OpenBatch, timeUs: number): void {
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
