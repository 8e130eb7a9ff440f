// Ticks, clock, life cycle, snapshots: the fold of a partition as its worker sees it.
import { describe, expect, test } from 'vitest';
import { rejectReasons } from '../../schemas/avro/fold-progress.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, type RecordedFrame } from '../../test/golden/fold-frames.ts';
import { squitter, withParity } from '../../test/golden/frames.ts';
import { type CopiedTick, copiedTick } from '../../test/properties/traffic.ts';
import { createFrameOutcome } from './frame-outcome.ts';
import { PartitionFold } from './partition-fold.ts';

const OPTIONS = { tickMs: 1000, receiver: null };
const START_MS = 1_700_000_000_000;
const HOUR_MS = 3_600_000;

/** A call sign message of aircraft 3c0000 + `number`. */
function identification(number: number): Uint8Array {
  const header = `8d3c${number.toString(16).padStart(4, '0')}`;
  return Uint8Array.from(Buffer.from(squitter([4, 5, 3, 3, 4, 6, 12, 6, 8, 6, 49, 6, 50, 6, 51, 6, 32, 6, 32, 6], header), 'hex'));
}

const frame = (afterMs: number, number = 1, overrides: Partial<RecordedFrame> = {}): RecordedFrame => ({
  timeUs: (START_MS + afterMs) * 1000,
  bytes: identification(number),
  ...overrides,
});
const heartbeat = (afterMs: number): FrameBatch => ({
  baseTimeUs: (START_MS + afterMs) * 1000,
  receivers: [],
  count: 0,
  frames: new Uint8Array(0),
});

class Run {
  readonly fold = new PartitionFold(OPTIONS);
  readonly ticks: CopiedTick[] = [];
  private offset = 100;

  frames(...frames: RecordedFrame[]): this {
    return this.batch(frameBatch(frames));
  }

  batch(batch: FrameBatch): this {
    this.fold.apply(batch, this.offset, (tick) => this.ticks.push(copiedTick(tick)));
    this.offset += 1;
    return this;
  }

  /** Ticks since the start, and the aircraft emitted in each. */
  emitted(): [number, string[], string[]][] {
    return this.ticks.map(({ tickMs, aircraft, gone }) => [tickMs - START_MS, aircraft.map(({ hex }) => hex), gone]);
  }
}

describe('a tick', () => {
  test('is closed by the first frame at or after its time, before that frame', () => {
    const run = new Run().frames(frame(200), frame(999), frame(1000, 2));
    expect(run.emitted()).toEqual([[1000, ['3c0001'], []]]);
    expect(run.ticks[0]!.aircraft[0]).toMatchObject({ flight: 'DLH123  ', category: 'A3', messages: 2, seenMs: START_MS + 999 });
  });

  test('is one over a long gap, at the last multiple that the frame passes', () => {
    expect(new Run().frames(frame(200), frame(60_700)).emitted()).toEqual([[60_000, ['3c0001'], []]]);
  });

  test('is also closed by heartbeats, and emits only what changed', () => {
    const run = new Run()
      .frames(frame(0), frame(100, 2))
      .batch(heartbeat(1000))
      .frames(frame(1500, 2))
      .batch(heartbeat(2000))
      .batch(heartbeat(3000));
    expect(run.emitted()).toEqual([
      [1000, ['3c0001', '3c0002'], []],
      [2000, ['3c0002'], []],
      [3000, [], []],
    ]);
  });

  test('emits an aircraft again when one of its values expires', () => {
    const run = new Run().frames(frame(0)).batch(heartbeat(1000)).batch(heartbeat(180_000)).batch(heartbeat(181_000));
    expect(run.emitted().map(([, hex]) => hex)).toEqual([['3c0001'], [], ['3c0001']]);
    expect(run.ticks[2]!.aircraft[0]!.flight).toBeNull();
  });

  test('counts everything since the log began', () => {
    const damaged = frame(20);
    damaged.bytes[13]! ^= 3;
    const reply = { ...frame(30), bytes: Uint8Array.from(Buffer.from(withParity('20000000', 0x123456), 'hex')) };
    const run = new Run().frames(frame(0), damaged, reply).batch(heartbeat(1000));
    const { frames, messages, aircraft, frameOffset, rejected } = run.ticks[0]!.progress;
    expect({ frames, messages, aircraft, frameOffset }).toEqual({ frames: 3, messages: 1, aircraft: 1, frameOffset: 101 });
    expect(rejectReasons.filter((_, i) => rejected[i] === 1)).toEqual(['parity', 'address_unknown']);
  });
});

describe('time', () => {
  test('never goes back: a late frame has its own time', () => {
    const run = new Run().frames(frame(5000, 1), frame(1000, 2)).batch(heartbeat(500)).batch(heartbeat(6000));
    expect(run.emitted()).toEqual([[6000, ['3c0001', '3c0002'], []]]);
    expect(run.ticks[0]!.aircraft.map(({ seenMs }) => seenMs - START_MS)).toEqual([5000, 1000]);
  });

  test('may run for months', () => {
    const run = new Run();
    for (let day = 0; day <= 60; day += 1) run.frames(frame(day * 24 * HOUR_MS), frame(day * 24 * HOUR_MS + 500));
    const last = run.ticks.at(-1)!;
    expect([last.tickMs - START_MS, last.gone]).toEqual([60 * 24 * HOUR_MS, ['3c0001']]);
    run.batch(heartbeat(60 * 24 * HOUR_MS + 1000));
    expect(run.ticks.at(-1)!.aircraft[0]).toMatchObject({ messages: 2, seenMs: START_MS + 60 * 24 * HOUR_MS + 500 });
  });
});

describe('an aircraft', () => {
  test('without a position is removed five minutes after its last message, and begins again', () => {
    const run = new Run().frames(frame(0), frame(10)).batch(heartbeat(300_010)).batch(heartbeat(301_000));
    expect(run.emitted().at(-1)).toEqual([301_000, [], ['3c0001']]);
    run.frames(frame(302_000)).batch(heartbeat(303_000));
    expect(run.ticks.at(-1)!.aircraft[0]!.messages).toBe(1);
  });
});

describe('a snapshot', () => {
  const run = new Run().frames(frame(0), frame(300, 2), frame(1700, 3));

  test('of another layout, cut short or of something else is refused with the reason', () => {
    const bytes = run.fold.snapshot();
    const other = Uint8Array.from(bytes);
    other[4] = 99;
    const failures = [
      new Uint8Array(0),
      Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8),
      other,
      bytes.subarray(0, bytes.length - 1),
      bytes.subarray(0, 100),
    ];
    for (const failure of failures)
      expect(() => PartitionFold.restore(failure, OPTIONS)).toThrow(/^a snapshot of the fold is not usable: /);
  });
});

test('a record that announces more frames than it contains is folded as far as it goes', () => {
  const batch = { ...frameBatch([frame(0), frame(10)]), count: 5 };
  const run = new Run().batch(batch).batch(heartbeat(1000));
  expect(run.ticks[0]!.progress.frames).toBe(2);
});

describe('a frame with one wrong bit', () => {
  /** A fold with or without 3c0001, and the result of a damaged frame of it one second later. */
  function foldDamaged(known: boolean, bits: readonly number[], laterMs = 1000) {
    const fold = new PartitionFold(OPTIONS);
    const outcome = createFrameOutcome();
    const intact = frame(0).bytes;
    if (known) fold.applyFrame({ bytes: intact, at: 0, byteLength: 14, timeUs: START_MS * 1000, signal: 128, flags: 0 }, 0, outcome);
    const bytes = Uint8Array.from(intact);
    for (const bit of bits) bytes[bit >> 3]! ^= 0x80 >> (bit & 7);
    fold.applyFrame({ bytes, at: 0, byteLength: 14, timeUs: (START_MS + laterMs) * 1000, signal: 128, flags: 0 }, 0, outcome);
    return { fold, outcome, received: bytes, intact };
  }

  test('is repaired when its aircraft is known, and shows that it exists', () => {
    for (const bit of [4, 20, 60, 111]) {
      const { fold, outcome, intact } = foldDamaged(true, [bit]);
      expect([outcome.accepted, outcome.repaired, Buffer.from(outcome.repairedFrame)]).toEqual([true, true, Buffer.from(intact)]);
      expect(fold.state(outcome.slot, START_MS + 1000)).toMatchObject({ messages: 2, seenMs: START_MS + 1000 });
    }
  });

  test('is not repaired when the aircraft was not heard for 45 s, nor when more bits are wrong', () => {
    expect(rejectReasons[foldDamaged(true, [60], 45_001).outcome.reject]).toBe('bits_repaired');
    expect(rejectReasons[foldDamaged(true, [60, 61]).outcome.reject]).toBe('parity');
  });
});
