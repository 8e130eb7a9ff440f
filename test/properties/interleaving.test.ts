// Aircraft are independent: the interleaving of their frames within a tick does not change the results of any of them. Frames stay in their
// tick, because ticks close when event time passes them, and the frames of one aircraft stay in order. The receiver's location is configured: the fold learns
// it, and a receiver's lateness, from all aircraft that it hears.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FoldOptions } from '../../pipeline/fold/partition-fold.ts';
import { addressPartition, frameAddress } from '../../pipeline/ingest/partition.ts';
import { Random } from '../../pipeline/simulate/flights/random.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch } from '../golden/fold-frames.ts';
import type { CopiedTick } from '../support/copied-tick.ts';
import { type Folded, foldAll, groupBy, heartbeat, outcomeOf, type SentFrame, START_US, simulatedFrames, TICK_MS } from './traffic.ts';

const SECONDS = 25;
/** Times after which aircraft without and with a position are certainly forgotten. */
const FORGOTTEN_AFTER_S = [400, 7200];
const CONFIGURED: Partial<FoldOptions> = { receiver: { lat: 48, lon: 9 } };
const seed = fc.integer({ min: 0, max: 0x7fff_ffff });
const runs = { numRuns: 8 };

const tickOf = ({ timeUs }: SentFrame): number => Math.floor(timeUs / 1000 / TICK_MS);

/** The same frames in another order: in each tick the next frame comes from a random aircraft. */
function interleaved(frames: readonly SentFrame[], random: Random): SentFrame[] {
  const out: SentFrame[] = [];
  for (const tick of groupBy(frames, tickOf).values()) {
    const waiting = [...groupBy(tick, ({ aircraft }) => aircraft).values()].map((queue) => queue.toReversed());
    while (waiting.length > 0) {
      const i = Math.floor(random.share() * waiting.length);
      out.push(waiting[i]!.pop()!);
      if (waiting[i]!.length === 0) waiting.splice(i, 1);
    }
  }
  return out;
}

function fold(frames: readonly SentFrame[], options: Partial<FoldOptions>): Folded {
  const later = [SECONDS + 1, ...FORGOTTEN_AFTER_S].map((s) => heartbeat(START_US + s * 1e6));
  return foldAll([frameBatch(frames), ...later], options);
}

/** Records of one second each, and a heartbeat at every tick, as in an idle partition. */
function withHeartbeats(frames: readonly SentFrame[]): FrameBatch[] {
  const ticks = groupBy(frames, tickOf);
  const firstTick = START_US / 1000 / TICK_MS;
  return Array.from({ length: SECONDS + 2 }, (_, i) => {
    const part = ticks.get(firstTick + i);
    const beat = heartbeat((firstTick + i) * TICK_MS * 1000);
    return part === undefined ? [beat] : [beat, frameBatch(part)];
  }).flat();
}

/** All results of each aircraft, in order of time. */
function byAircraft(ticks: readonly CopiedTick[]): Map<string, unknown> {
  const results = ticks.flatMap(({ tickMs, aircraft, positions, gone }) => [
    ...positions.map((row) => ({ hex: row.hex, tickMs, row: { ...row, frameOffset: 0, frameIndex: 0 } })),
    ...aircraft.map((state) => ({ hex: state.hex, tickMs, state })),
    ...gone.map((hex) => ({ hex, tickMs, gone: true })),
  ]);
  return new Map([...groupBy(results, ({ hex }) => hex)].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Results that must not depend on the order. Receiver coverage does: it samples the first position of each second. */
function outcomeOfAny({ ticks }: Folded): unknown[] {
  return outcomeOf(ticks.map((tick) => ({ ...tick, progress: { ...tick.progress, reaches: null } })));
}

describe.each([
  ['one receiver', true],
  ['many receivers, many duplicates', false],
])('%s, receiver location configured', (_, singleReceiver) => {
  const frames = simulatedFrames({ aircraft: 60, seconds: SECONDS, seed: 11, singleReceiver });
  const plain = outcomeOfAny(fold(frames, CONFIGURED));

  test('the traffic exercises the test', () => {
    const { ticks } = fold(frames, CONFIGURED);
    expect(ticks.length).toBeGreaterThanOrEqual(SECONDS);
    expect(ticks.slice(-2).map(({ gone }) => gone.length > 10)).toEqual([true, true]);
    expect(new Set(frames.map(({ receiver }) => receiver)).size > 3).toBe(!singleReceiver);
    expect(ticks.flatMap(({ positions }) => positions).filter(({ onGround }) => onGround).length).toBeGreaterThan(10);
    expect(ticks.flatMap(({ positions }) => positions).filter(({ onGround }) => !onGround).length).toBeGreaterThan(100);
  });

  test('any interleaving gives the same states, positions, tombstones and counters at every tick', () => {
    fc.assert(
      fc.property(seed, (from) => {
        const other = interleaved(frames, new Random(from, 1, 0));
        expect(outcomeOfAny(fold(other, CONFIGURED))).toEqual(plain);
      }),
      runs,
    );
  });
});

test('partitions: each aircraft has the same results, tick by tick, as in one partition', () => {
  const frames = simulatedFrames({ aircraft: 60, seconds: SECONDS, seed: 12 });
  const together = byAircraft(foldAll(withHeartbeats(frames), CONFIGURED).ticks);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 16 }), (partitions) => {
      const apart = groupBy(frames, ({ bytes }) => addressPartition(frameAddress(bytes, 0, bytes.length as 7 | 14), partitions));
      const ticks = [...apart.values()].flatMap((part) => foldAll(withHeartbeats(part), CONFIGURED).ticks);
      expect(byAircraft(ticks)).toEqual(together);
    }),
    runs,
  );
});
