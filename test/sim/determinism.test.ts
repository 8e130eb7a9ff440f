// The fold gives the same state, with the same SHA-256, and the same ticks however its frames are divided into records - one by one, in thousands, with empty
// ones in between, with receivers in any order - and wherever it is restored from its own snapshot.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FoldOptions, PartitionFold } from '../../pipeline/fold/partition-fold.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { PACKED_FRAME_BYTES, PACKED_RECEIVER, packedReceiver } from '../../schemas/packed-frame.ts';
import { type RecordedFrame, readCsvFrames } from '../golden/fold-frames.ts';
import { copiedTick, cut, foldAll, heartbeat, outcomeOf, simulatedFrames } from '../properties/traffic.ts';
import { type Hearer, heard, transmissions } from '../support/heard-traffic.ts';
import { goldenData } from '../support/requirements.ts';

const RUNS = { numRuns: 25 };
/** The state contains the offset of its last record: the same offset ends every division. */
const END_OFFSET = 1_000_000;

const digestOf = (fold: PartitionFold): string => createHash('sha256').update(fold.snapshot()).digest('hex');

interface Outcome {
  readonly digest: string;
  readonly ticks: unknown[];
}

function settled(batches: readonly FrameBatch[], options: Partial<FoldOptions>, restarts?: ReadonlySet<number>): Outcome {
  const { fold, ticks } = foldAll(batches, options, restarts);
  const end = heartbeat(Math.max(...batches.map(({ baseTimeUs }) => baseTimeUs)) + 3_600_000_000);
  fold.apply({ ...end, baseTimeUs: Math.ceil(end.baseTimeUs / 3.6e9) * 3.6e9 }, END_OFFSET, (tick) => ticks.push(copiedTick(tick)));
  return { digest: digestOf(fold), ticks: outcomeOf(ticks) };
}

/** The same record with its receivers in reverse order, between two without frames. */
function relisted(batch: FrameBatch): FrameBatch {
  const frames = Uint8Array.from(batch.frames);
  const receivers = ['silent', ...batch.receivers.toReversed(), 'silent too'];
  for (let at = 0; at < batch.count * PACKED_FRAME_BYTES; at += PACKED_FRAME_BYTES) {
    const index = receivers.indexOf(batch.receivers[packedReceiver(frames, at)]!);
    frames[at + PACKED_RECEIVER] = index & 0xff;
    frames[at + PACKED_RECEIVER + 1] = index >> 8;
  }
  return { ...batch, receivers, frames };
}

/** Receivers that the fold learns about: late ones, a wrong clock, one that damages frames. */
const hearers: readonly Hearer[] = [
  { id: '1'.repeat(16), share: 0.8, delayMs: (draw) => 80 * draw() },
  { id: '2'.repeat(16), share: 0.8, delayMs: (draw) => 1500 + 100 * draw() },
  { id: '3'.repeat(16), share: 0.5, delayMs: (draw) => 2000 * draw() },
  { id: 'ahead', share: 0.5, clockMs: 2500 },
  { id: 'damaging', share: 0.5, delayMs: (draw) => 50 * draw(), damage: 0.5 },
];
const DIFFERENT = 'receivers that differ';
const inputs: [string, Partial<FoldOptions>, () => RecordedFrame[]][] = [
  ['one receiver', {}, () => simulatedFrames({ aircraft: 30, seconds: 30, seed: 21, singleReceiver: true })],
  ['many receivers, location configured', { receiver: { lat: 48, lon: 9 } }, () => simulatedFrames({ aircraft: 30, seconds: 30, seed: 7 })],
  // Long enough for ranges: these need the middle of the coverage.
  ['minutes of a few aircraft', {}, () => simulatedFrames({ aircraft: 5, seconds: 230, seed: 7 })],
  [DIFFERENT, {}, () => heard(transmissions(15, 30, 3), hearers)],
];
const recording = goldenData('frames', 'rs1090_short_flights.csv');
if (recording.met) inputs.push(['recorded flights', {}, () => readCsvFrames(recording.path)]);
else test.skip(recording.reason, () => undefined);

/** Sizes of records, repeated; some are empty. */
const sizes = fc
  .array(fc.oneof(fc.constantFrom(0, 1), fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 2000 })), {
    minLength: 1,
    maxLength: 12,
  })
  .filter((list) => list.some((size) => size > 0));

describe.each(inputs)('%s', (name, options, make) => {
  const frames = make();
  const whole = settled(cut(frames, [frames.length]), options);

  test('the input exercises the test', () => {
    const { ticks } = foldAll(cut(frames, [100]), options);
    expect(ticks.length).toBeGreaterThan(25);
    expect(ticks.flatMap(({ positions }) => positions).length).toBeGreaterThan(100);
    expect(ticks.flatMap(({ progress }) => progress.reaches ?? []).length).toBeGreaterThan(0);
    if (name.startsWith('minutes'))
      expect(ticks.flatMap(({ feeders }) => feeders).some(({ record }) => record.rangeNm.some((nm) => nm > 0))).toBe(true);
  });

  test('any division, with empty records, receivers listed in another order, restored anywhere', () => {
    fc.assert(
      fc.property(sizes, fc.array(fc.nat(400), { maxLength: 6 }), fc.boolean(), (cuts, restarts, relist) => {
        // An empty record has the newest time of all receivers, also of one whose clock is ahead, as the fold learns.
        const batches = cut(frames, name === DIFFERENT ? cuts.filter((size) => size > 0) : cuts);
        const used = restarts.map((at) => at % batches.length);
        expect(settled(relist ? batches.map(relisted) : batches, options, new Set(used))).toEqual(whole);
      }),
      RUNS,
    );
  });

  test('silent replay builds nothing and gives the same state', () => {
    const batches = cut(frames, [100]);
    const loud = foldAll(batches, options);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: batches.length }), (silentUpTo) => {
        const { fold, ticks } = foldAll(batches, options, new Set(), silentUpTo);
        expect(digestOf(fold)).toBe(digestOf(loud.fold));
        expect(ticks).toEqual(loud.ticks.slice(loud.ticks.length - ticks.length));
      }),
      RUNS,
    );
  });
});
