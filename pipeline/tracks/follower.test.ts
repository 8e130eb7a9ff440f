// The follower over the real embedded log: restored from the newest part of the topic, then live; malformed and missing records.
import { expect, it, onTestFinished } from 'vitest';
import { ABSENT } from '../../schemas/absent.ts';
import type { PositionRow } from '../../schemas/avro/position-batch.ts';
import { emptyLog } from '../../test/support/folded-log.ts';
import { positionRow, tickRecord } from '../../test/support/positions.ts';
import { until } from '../../test/support/until.ts';
import type { OpenData } from '../log/open-data.ts';
import { type FollowedTracks, followTracks } from './follower.ts';
import { Points, pointFields } from './points.ts';

const START_MS = 1_700_000_000_000;
let data: OpenData;
let tracks: FollowedTracks;

async function follow(options: { readonly restoreMs?: number } = {}): Promise<void> {
  tracks = followTracks(data.log, data.codecs, options);
  onTestFinished(() => tracks.close());
  await tracks.restored;
}

const row = (hex: string, timeMs: number): PositionRow => ({
  ...positionRow(0, 0, 0, timeMs),
  ...{ hex, timeUs: timeMs * 1000 + 999, latitudeMicrodeg: 52_000_000, longitudeMicrodeg: -4_000_000 + (timeMs - START_MS) },
  ...{ onGround: false, groundSpeedDeciKt: 4500, trackCentideg: 9000, baroRateFpm: -64, source: 5, rssiDeciDbfs: -187 },
});

async function append(partition: number, tickMs: number, hexes: readonly string[]): Promise<void> {
  const rows = hexes.map((hex) => row(hex, tickMs));
  await data.log.append('positions', partition, [tickRecord(data.codecs, tickMs, rows)]);
}

function timesOf(key: number): number[] {
  const points = new Points();
  tracks.memory.read(key, 0, Number.POSITIVE_INFINITY, points);
  return [...points.timeMs.subarray(0, points.count)].map((ms) => (ms - START_MS) / 1000);
}

it('restores the newest part of the topic, then follows it', async () => {
  data = await emptyLog();
  for (let n = 0; n < 20; n += 1) await append(n % 2, START_MS + n * 60_000, n % 2 === 0 ? ['aa0001'] : ['~bb0002']);
  await follow({ restoreMs: 5 * 60_000 });
  expect(tracks.isRestored()).toBe(true);
  expect(timesOf(0xaa0001)).toEqual([14, 16, 18].map((n) => n * 60));
  expect(timesOf(0x1bb0002)).toEqual([15, 17, 19].map((n) => n * 60));
  await append(0, START_MS + 2_000_000, ['aa0001']);
  await until(() => timesOf(0xaa0001).at(-1) === 2000);
  const points = new Points();
  tracks.memory.read(0xaa0001, START_MS + 2_000_000, START_MS + 2_000_000, points);
  const wanted = row('aa0001', START_MS + 2_000_000);
  expect(pointFields.map((_, field) => points.get(0, field))).toEqual(pointFields.map((name) => wanted[name] ?? ABSENT));
});

it('an empty topic is restored at once; malformed records are left out, and counted', async () => {
  data = await emptyLog();
  await follow();
  await append(0, START_MS, ['aa0001']);
  const whole = data.codecs.PositionBatch.encode({ tickMs: START_MS, rows: [row('aa0001', START_MS + 1000)] });
  for (const value of [Buffer.from('no batch'), whole.subarray(0, whole.length - 3)])
    await data.log.append('positions', 0, [{ key: null, value, timestampMs: START_MS + 1 }]);
  await append(0, START_MS + 2000, ['aa0001']);
  await until(() => timesOf(0xaa0001).length === 2);
  expect(tracks.stats.malformed).toBe(2);
  expect(timesOf(0xaa0001)).toEqual([0, 2]);
});
