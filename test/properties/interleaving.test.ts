// Aircraft are independent: each has the same results in a partition with few others as among all. The receiver's location is configured: the fold learns it,
// and a receiver's lateness, from all aircraft that it hears.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressPartition, frameAddress } from '../../pipeline/ingest/partition.ts';
import type { FrameBatch } from '../../schemas/avro/frame-batch.ts';
import { frameBatch, type RecordedFrame } from '../golden/fold-frames.ts';
import { foldAll, groupBy, heartbeat, START_US, simulatedFrames, TICK_MS } from './traffic.ts';

const SECONDS = 25;
/** Times after which aircraft without and with a position are certainly forgotten. */
const FORGOTTEN_AFTER_S = [400, 7200];

/** Records of one second each, and a heartbeat at every tick, as in an idle partition. */
function withHeartbeats(frames: readonly RecordedFrame[]): FrameBatch[] {
  const ticks = groupBy(frames, ({ timeUs }) => Math.floor((timeUs - START_US) / 1000 / TICK_MS));
  const seconds = [...Array.from({ length: SECONDS + 2 }, (_, second) => second), ...FORGOTTEN_AFTER_S];
  return seconds.flatMap((second) => {
    const part = ticks.get(second);
    const beat = heartbeat(START_US + second * TICK_MS * 1000);
    return part === undefined ? [beat] : [beat, frameBatch(part)];
  });
}

/** All results of each aircraft, in order of time. */
function byAircraft(frames: readonly RecordedFrame[]): [hex: string, result: unknown][] {
  const { ticks } = foldAll(withHeartbeats(frames), { receiver: { lat: 48, lon: 9 } });
  return ticks.flatMap(({ tickMs, aircraft, positions, gone }) => [
    ...positions.map((row): [string, unknown] => [row.hex, { tickMs, row: { ...row, frameOffset: 0, frameIndex: 0 } }]),
    ...aircraft.map((state): [string, unknown] => [state.hex, { tickMs, state }]),
    ...gone.map((hex): [string, unknown] => [hex, { tickMs, gone: true }]),
  ]);
}

const grouped = (results: readonly [hex: string, result: unknown][]) =>
  new Map([...groupBy(results, ([hex]) => hex)].sort(([a], [b]) => (a < b ? -1 : 1)));

test('each aircraft has the same results, tick by tick, in any number of partitions', () => {
  const frames = simulatedFrames({ aircraft: 60, seconds: SECONDS, seed: 12 });
  const together = grouped(byAircraft(frames));
  expect(together.size).toBeGreaterThan(30);
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 16 }), (partitions) => {
      const apart = groupBy(frames, ({ bytes }) => addressPartition(frameAddress(bytes, 0, bytes.length as 7 | 14), partitions));
      expect(grouped([...apart.values()].flatMap(byAircraft))).toEqual(together);
    }),
    { numRuns: 8 },
  );
});
