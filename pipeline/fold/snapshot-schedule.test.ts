// When snapshots are due: each partition at its own second, between ticks if possible, and before a replay becomes too long.
import { expect, it } from 'vitest';
import { SnapshotSchedule } from './snapshot-schedule.ts';

const MINUTE_MS = 60_000;
const START_MS = 1_700_000_040_000;

/** Event times, since a whole minute, at which a partition takes a snapshot when records come every `stepMs`. */
function snapshotTimes(partition: number, stepMs: number, minutes: number): number[] {
  const schedule = new SnapshotSchedule(partition, 12, 1000);
  const snapshotsMs: number[] = [];
  let tickMs = 0;
  for (let eventMs = START_MS; eventMs < START_MS + minutes * MINUTE_MS; eventMs += stepMs) {
    const tick = Math.floor(eventMs / 1000) * 1000;
    const withTick = tick > tickMs;
    tickMs = tick;
    if (!schedule.isDue({ frames: 0, tickMs, eventMs, withTick })) continue;
    schedule.note({ frames: 0, tickMs });
    snapshotsMs.push(eventMs - START_MS);
  }
  return snapshotsMs;
}

it('takes one every 20 s, each partition at its own second, half a tick after a tick', () => {
  expect(snapshotTimes(0, 50, 1)).toEqual([20_500, 40_500]);
  const seconds = Array.from({ length: 12 }, (_, partition) => snapshotTimes(partition, 50, 3).map((ms) => ms % 20_000));
  expect(new Set(seconds.flat())).toEqual(new Set(seconds.map(([first]) => first)));
  expect(new Set(seconds.flat()).size).toBe(12);
});

it('takes it with a tick when every record has one', () => {
  expect(snapshotTimes(3, 4000, 1)).toEqual([8000, 28_000, 48_000]);
  expect(snapshotTimes(0, 1000, 1)).toEqual([22_000, 42_000]);
});

it('takes it at once when many frames came since the last one', () => {
  const schedule = new SnapshotSchedule(0, 12, 1000);
  const at = (frames: number) => ({ frames, tickMs: START_MS, eventMs: START_MS + 10, withTick: true });
  expect(schedule.isDue(at(7_999_999))).toBe(false);
  expect(schedule.isDue(at(8_000_000))).toBe(true);
  schedule.note(at(8_000_000));
  expect(schedule.isDue(at(15_999_999))).toBe(false);
  expect(schedule.isDue(at(16_000_000))).toBe(true);
});
