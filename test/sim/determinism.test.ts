// The fold gives the same state and the same ticks however its frames are divided into records, and whether or not it resumes from a
// snapshot.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type FoldOptions, type FoldTick, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import { createTraffic } from '../../pipeline/simulate/traffic.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, type RecordedFrame, readCsvFrames } from '../golden/fold-frames.ts';
import { type CopiedTick, copiedTick } from '../support/copied-tick.ts';
import { type Hearer, heard, transmissions } from '../support/heard-traffic.ts';
import { goldenData } from '../support/requirements.ts';

const OPTIONS: FoldOptions = { tickMs: 1000, receiver: null };
const START_US = 1_700_000_000_000_000;
const RUNS = 25;

interface Result {
  readonly digest: string;
  readonly ticks: readonly CopiedTick[];
}

/** Frame offsets differ between divisions into records; everything else of a tick does not. */
function withoutOffsets(tick: CopiedTick): CopiedTick {
  const { frameOffset: _, ...progress } = tick.progress;
  const positions = tick.positions.map((row) => ({ ...row, frameOffset: 0, frameIndex: 0 }));
  return { ...tick, positions, progress: { ...progress, frameOffset: 0 } };
}

/** Folds records; up to the record `silentUpTo` nothing is built. */
function foldAll(batches: readonly FrameBatch[], silentUpTo = 0): Result {
  const fold = new PartitionFold(OPTIONS);
  const ticks: CopiedTick[] = [];
  batches.forEach((batch, offset) => {
    fold.apply(batch, offset, offset < silentUpTo ? null : (tick) => ticks.push(copiedTick(tick)));
  });
  return { digest: fold.digest(), ticks };
}

/** Divides frames into records of these sizes, repeatedly. */
function cut(frames: readonly RecordedFrame[], sizes: readonly number[]): FrameBatch[] {
  const batches: FrameBatch[] = [];
  for (let from = 0, i = 0; from < frames.length; i += 1) {
    const size = sizes[i % sizes.length]!;
    batches.push(frameBatch(frames.slice(from, from + size)));
    from += size;
  }
  return batches;
}

/**
 * Folds frames divided into records of these sizes. At the records in `restarts` the fold is replaced by one restored from its snapshot.
 * Offsets differ between divisions and the state contains the last one, so a heartbeat with one fixed offset (offsets may jump) ends each.
 */
function settled(frames: readonly RecordedFrame[], sizes: readonly number[], restarts?: ReadonlySet<number>): Result {
  const batches = cut(frames, sizes);
  const lastUs = Math.max(...frames.map((frame) => frame.timeUs));
  const heartbeat: FrameBatch = { baseTimeUs: lastUs + 2_000_000, receivers: [], count: 0, frames: new Uint8Array(0) };
  let fold = new PartitionFold(OPTIONS);
  const ticks: CopiedTick[] = [];
  const take = (tick: FoldTick) => ticks.push(withoutOffsets(copiedTick(tick)));
  batches.forEach((batch, offset) => {
    if (restarts?.has(offset)) fold = PartitionFold.restore(fold.snapshot(), OPTIONS);
    fold.apply(batch, offset, take);
  });
  fold.apply(heartbeat, 1_000_000, take);
  return { digest: fold.digest(), ticks };
}

/** Feeders, which have records of their own. */
const ONE = '1'.repeat(16);
const TWO = '2'.repeat(16);

/** Two receivers hear the same traffic: every frame once, some twice, slightly late and out of order. */
function simulated(aircraft: number, seconds: number): RecordedFrame[] {
  const frames: RecordedFrame[] = [];
  const traffic = createTraffic({ aircraft, seed: 7, startUs: START_US });
  traffic.advance(START_US + seconds * 1e6, ({ timeUs, bytes, at, byteLength }) => {
    const copy = bytes.slice(at, at + byteLength);
    frames.push({ timeUs, bytes: copy, receiver: ONE, signal: 40 + (frames.length % 100) });
    if (frames.length % 3 === 0) frames.push({ timeUs: timeUs + 20_000, bytes: copy, receiver: TWO, signal: 90 });
    if (frames.length % 97 === 0) frames.push({ timeUs: timeUs - 300_000, bytes: copy, receiver: TWO, signal: 90, flags: 4 });
  });
  return frames;
}

const recording = goldenData('frames', 'rs1090_short_flights.csv');
/** Receivers that the fold learns about: late ones, a wrong clock, one that damages frames. */
const hearers: readonly Hearer[] = [
  { id: ONE, share: 0.8, delayMs: (draw) => 80 * draw() },
  { id: TWO, share: 0.8, delayMs: (draw) => 1500 + 100 * draw() },
  { id: '3'.repeat(16), share: 0.5, delayMs: (draw) => 2000 * draw() },
  { id: 'ahead', share: 0.5, clockMs: 2500 },
  { id: 'damaging', share: 0.5, delayMs: (draw) => 50 * draw(), damage: 0.5 },
];
const inputs: [string, () => RecordedFrame[]][] = [
  ['simulated traffic', () => simulated(40, 30)],
  // Long enough for ranges: these need the middle of the coverage.
  ['minutes of a few aircraft', () => simulated(5, 230)],
  ['receivers that differ', () => heard(transmissions(15, 30, 3), hearers)],
];
if (recording.met) inputs.push(['recorded flights', () => readCsvFrames(recording.path)]);
else test.skip(recording.reason, () => undefined);

describe.each(inputs)('%s', (name, make) => {
  const frames = make();
  const whole = settled(frames, [frames.length]);

  test('the input exercises the test', () => {
    expect(whole.ticks.length).toBeGreaterThan(25);
    expect(whole.ticks.flatMap((tick) => tick.positions).length).toBeGreaterThan(100);
    expect(whole.ticks.flatMap(({ progress }) => progress.reaches ?? []).length).toBeGreaterThan(0);
    if (name.startsWith('minutes'))
      expect(whole.ticks.flatMap(({ feeders }) => feeders).some(({ record }) => record.rangeNm.some((nm) => nm > 0))).toBe(true);
  });

  test('other divisions into records give the same state and ticks', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 8 }), (sizes) => {
        expect(settled(frames, sizes)).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });

  test('a fold restored from snapshots gives the same result', () => {
    const sizes = [37];
    const records = Math.ceil(frames.length / 37);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: records - 1 }), { minLength: 1, maxLength: 5 }), (restarts) => {
        expect(settled(frames, sizes, new Set(restarts))).toEqual(whole);
      }),
      { numRuns: RUNS },
    );
  });

  test('silent replay builds nothing and gives the same state', () => {
    const batches = cut(frames, [100]);
    const loud = foldAll(batches);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: batches.length }), (silentUpTo) => {
        const { digest, ticks } = foldAll(batches, silentUpTo);
        expect(digest).toBe(loud.digest);
        expect(ticks).toEqual(loud.ticks.slice(loud.ticks.length - ticks.length));
      }),
      { numRuns: RUNS },
    );
  });
});
