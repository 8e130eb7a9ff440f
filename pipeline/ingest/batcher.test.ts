// Batcher: order, bounds, heartbeats, and no loss without a count. Table of receivers: bounded, and numbers are reused.
import { describe, expect, it, vi } from 'vitest';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import {
  createReceivedFrame,
  PACKED_DATA,
  PACKED_FRAME_BYTES,
  packedReceiver,
  packedTimeUs,
  type ReceivedFrame,
} from '../../schemas/packed-frame.ts';
import { Counters } from '../runtime/counters.ts';
import { Batcher, type BatcherOptions } from './batcher.ts';
import { addressPartition } from './partition.ts';
import { RECEIVER_UNKNOWN, ReceiverTable } from './receivers.ts';

const START_US = 1_700_000_000_000_000;

interface Unpacked {
  readonly timeUs: number;
  readonly receiver: string | undefined;
  readonly address: number;
}

function unpack(batch: FrameBatch): Unpacked[] {
  return Array.from({ length: batch.count }, (_, i) => {
    const at = i * PACKED_FRAME_BYTES;
    return {
      timeUs: batch.baseTimeUs + packedTimeUs(batch.frames, at),
      receiver: batch.receivers[packedReceiver(batch.frames, at)],
      address:
        (batch.frames[at + PACKED_DATA + 1]! << 16) | (batch.frames[at + PACKED_DATA + 2]! << 8) | batch.frames[at + PACKED_DATA + 3]!,
    };
  });
}

function setup(options: Partial<BatcherOptions> = {}, beforeAppend: () => unknown = () => undefined) {
  const appended: [number, FrameBatch][] = [];
  const failures: unknown[] = [];
  const counters = new Counters();
  const receivers = new ReceiverTable();
  const clock = { nowUs: START_US };
  const batcher = new Batcher({
    partitions: 2,
    receivers,
    counters,
    append: async (partition, batches) => {
      await beforeAppend();
      for (const batch of batches) appended.push([partition, batch]);
    },
    onFailure: (error) => failures.push(error),
    nowUs: () => clock.nowUs,
    ...options,
  });
  const frame: ReceivedFrame = { ...createReceivedFrame(new Uint8Array(14)), timeUs: START_US, counter: 5, signal: 9 };
  frame.bytes[0] = 17 << 3;
  const add = (address: number, timeUs = clock.nowUs, receiver = 0): void => {
    frame.timeUs = timeUs;
    frame.receiver = receiver;
    frame.bytes[1] = address >> 16;
    frame.bytes[2] = address >> 8;
    frame.bytes[3] = address;
    batcher.add(frame);
  };
  return { appended, failures, counters, receivers, clock, batcher, add };
}

/** Two addresses of partition 0. */
const [A, B] = Array.from({ length: 100 }, (_, i) => 0x400000 + i).filter((address) => addressPartition(address, 2) === 0) as [
  number,
  number,
];

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('batcher', () => {
  it('puts each frame into the partition of its aircraft, in order', async () => {
    const { appended, batcher, add } = setup();
    for (let i = 0; i < 5000; i += 1) add(0x400000 + (i % 100), START_US + i);
    await batcher.drain();
    let frames = 0;
    for (const partition of [0, 1]) {
      const rows = appended.filter(([at]) => at === partition).flatMap(([, batch]) => unpack(batch));
      frames += rows.length;
      for (const row of rows) expect(addressPartition(row.address, 2)).toBe(partition);
      expect(rows.map((row) => row.timeUs)).toEqual(rows.map((row) => row.timeUs).sort((a, b) => a - b));
    }
    expect(frames).toBe(5000);
    for (const [, batch] of appended) expect(batch.frames.length).toBeLessThanOrEqual(limits.frameBatchBytesMax);
  });

  it('closes the first batch of a new second at the next tick, and later batches at their age', async () => {
    const { appended, batcher, add, clock } = setup();
    const lookAt = async (sinceStartUs: number): Promise<number> => {
      clock.nowUs = START_US + sinceStartUs;
      batcher.tick(clock.nowUs);
      await settled();
      return appended.filter(([partition]) => partition === 0).length;
    };
    clock.nowUs += 990_000;
    add(A);
    expect(await lookAt(1_005_000)).toBe(0);
    add(B);
    expect(await lookAt(1_010_000)).toBe(1);
    add(A);
    expect(await lookAt(1_055_000)).toBe(1);
    expect(await lookAt(1_060_000)).toBe(2);
    // A heartbeat starts the new second as a frame does.
    clock.nowUs = START_US + 2_010_000;
    batcher.heartbeat(clock.nowUs);
    add(A);
    expect(await lookAt(2_020_000)).toBe(3);
    expect(await lookAt(2_060_000)).toBe(4);
  });

  it('begins a new batch if a time does not fit', async () => {
    const { appended, batcher, add } = setup();
    const hourUs = 3_600_000_000;
    for (const timeUs of [0, hourUs, 2 * hourUs, 0]) add(A, START_US + timeUs);
    await batcher.drain();
    expect(appended.flatMap(([, batch]) => unpack(batch)).map((row) => row.timeUs - START_US)).toEqual([0, hourUs, 2 * hourUs, 0]);
    expect(appended).toHaveLength(3);
  });

  it('names the receivers of a batch, also when a number is reused', async () => {
    const { appended, batcher, add, receivers } = setup();
    const one = receivers.acquire('one');
    const two = receivers.acquire('two');
    add(A, START_US, two);
    add(A, START_US, one);
    receivers.release(one);
    const three = receivers.acquire('three');
    expect(three).toBe(one);
    add(A, START_US, three);
    add(A, START_US, two);
    await batcher.drain();
    expect(unpack(appended[0]![1]).map((row) => row.receiver)).toEqual(['two', 'one', 'three', 'two']);
    expect(appended[0]![1].receivers).toEqual(['two', 'one', 'three']);
  });

  it('sends heartbeats to partitions without frames', async () => {
    const { appended, batcher, add, clock } = setup();
    clock.nowUs += 199_999;
    batcher.heartbeat(clock.nowUs);
    await settled();
    expect(appended).toHaveLength(0);
    add(A);
    clock.nowUs += 1;
    batcher.heartbeat(clock.nowUs);
    await settled();
    expect(appended).toEqual([[1, { baseTimeUs: clock.nowUs, receivers: [], count: 0, frames: new Uint8Array(0) }]]);
  });

  it('drops and counts frames over its bounds, and signals when to wait and when to continue', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { appended, batcher, add, counters } = setup({}, () => gate);
    const frames = 1.2 * (limits.ingestBacklogBytesMax / PACKED_FRAME_BYTES);
    let congestedAt = 0;
    for (let i = 0; i < frames; i += 1) {
      add(A);
      if (congestedAt === 0 && batcher.congested) congestedAt = i;
    }
    expect(congestedAt / frames).toBeCloseTo(0.5 / 1.2, 1);
    expect(batcher.backlogBytes).toBeLessThan(limits.ingestBacklogBytesMax + 2 * limits.frameBatchBytesMax);
    const clear = batcher.whenClear();
    expect(await Promise.race([clear, settled().then(() => 'congested')])).toBe('congested');
    release();
    await clear;
    await batcher.drain();
    const appendedFrames = appended.reduce((sum, [, batch]) => sum + batch.count, 0);
    expect(appendedFrames + counters.get('backlog')).toBe(Math.ceil(frames));
    expect(counters.get('backlog')).toBeGreaterThan(0);
    expect(batcher.backlogBytes).toBe(0);
  });

  it('retries retriable failures in order', async () => {
    let failures = 2;
    const { appended, batcher, add, counters } = setup({}, () => {
      failures -= 1;
      if (failures >= 0) throw new SquitterError('api.internal');
    });
    add(A);
    await batcher.drain();
    expect(appended).toHaveLength(1);
    expect(counters.get('append_retried')).toBe(2);
  });

  it('closes only full batches while the log accepts nothing', async () => {
    let isReady = false;
    const { appended, batcher, add, clock, counters } = setup({}, () => {
      if (!isReady) throw new SquitterError('log.too_much_waiting', { bytes: 1, limit: 1 });
    });
    // A frame every 10 ms for an hour: each batch that closes by age holds five.
    const frames = 360_000;
    for (let i = 0; i < frames; i += 1) {
      add(A);
      clock.nowUs += 10_000;
      batcher.tick(clock.nowUs);
      if (i % 100 === 0) await settled();
    }
    expect(batcher.congested).toBe(false);
    isReady = true;
    await batcher.drain();
    expect(counters.get('append_failed')).toBe(0);
    expect(appended.length).toBeLessThan((frames * PACKED_FRAME_BYTES) / limits.frameBatchBytesMax + 50);
  });

  it.each([
    ['log.too_much_waiting', 'a drain gives up'],
    ['log.closed', 'a permanent failure'],
  ] as const)('counts the frames of %s and reports it: %s', async (code, _) => {
    vi.useFakeTimers();
    const { batcher, add, counters, failures } = setup({ append: () => Promise.reject(new SquitterError(code)) });
    add(A);
    add(B);
    const drained = batcher.drain();
    await vi.advanceTimersByTimeAsync(limits.ingestDrainMsMax);
    await drained;
    vi.useRealTimers();
    expect(failures).toMatchObject([{ code }]);
    expect(counters.get('append_failed')).toBe(2);
    expect(batcher.backlogBytes).toBe(0);
  });
});

it('keeps the number of a receiver until its last release; one that does not fit is unknown', () => {
  const table = new ReceiverTable();
  const one = table.acquire('one');
  expect(table.acquire('one')).toBe(one);
  table.release(one);
  expect(table.acquire('two')).not.toBe(one);
  expect(table.id(one)).toBe('one');
  table.release(one);
  expect(table.acquire('three')).toBe(one);
  for (let i = 0; table.size < limits.receiversMax; i += 1) table.acquire(`r${i}`);
  expect(table.acquire('one more')).toBe(RECEIVER_UNKNOWN);
  expect(table.id(RECEIVER_UNKNOWN)).toBe('unknown');
});
