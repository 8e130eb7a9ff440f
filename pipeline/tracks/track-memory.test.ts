// The track memory against a plain model: what it keeps, when flags are set, and its limits.
import { type Arbitrary, array as arrayOf, assert, boolean, constant, constantFrom, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOf, positionOf, type TestPosition } from '../../test/support/positions.ts';
import { POINT_WORDS, packPoint, unpackPoint } from './packed-points.ts';
import { GEOMETRIC, LEG, Points, STALE } from './points.ts';
import { TrackMemory } from './track-memory.ts';

const START_MS = 1_700_000_000_000;
const KEY = 0x4840d6;
const FOREVER = Number.POSITIVE_INFINITY;

function memoryOf(positions: readonly TestPosition[], memory = new TrackMemory()): TrackMemory {
  for (const position of positions) memory.add(KEY, positionOf(position));
  return memory;
}

function timesOf(memory: TrackMemory, key = KEY, fromMs = 0, toMs = FOREVER): number[] {
  const { timeMs, count } = read(memory, key, fromMs, toMs);
  return [...timeMs.subarray(0, count)].map((ms) => ms - START_MS);
}

function read(memory: TrackMemory, key = KEY, fromMs = 0, toMs = FOREVER): Points {
  const points = new Points(1);
  memory.read(key, fromMs, toMs, points);
  return points;
}

const cruise = (seconds: number, change: Partial<TestPosition> = {}): TestPosition => ({
  timeMs: START_MS + seconds * 1000,
  lat: 50,
  lon: 5 + seconds * 0.003,
  altitudeFt: 36_000,
  speedKt: 450,
  trackDeg: 90,
  rateFpm: 0,
  ...change,
});
const seconds = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const standing = { lon: 5, onGround: true, altitudeFt: null, speedKt: 0, trackDeg: null };
const changed = (change: Partial<TestPosition>, before: Partial<TestPosition> = {}) =>
  seconds(12).map((n) => cruise(n, n >= 6 ? change : before));

describe('points of a track', () => {
  it.each<[string, TestPosition[], number[]]>([
    ['steady flight has one in 20 s, the first and the newest', seconds(110).map((n) => cruise(n)), [0, 20, 40, 60, 80, 100, 109]],
    ['one that stands still has one in 200 s', seconds(300).map((n) => cruise(n, standing)), [0, 200, 299]],
    // The positions before and after a change.
    ['a turn', changed({ trackDeg: 94 }), [0, 5, 6, 11]],
    ['a climb', changed({ altitudeFt: 36_400 }), [0, 5, 6, 11]],
    ['another speed', changed({ speedKt: 460 }), [0, 5, 6, 11]],
    ['another vertical rate', changed({ rateFpm: 512 }), [0, 5, 6, 11]],
    ['a climb near the ground', changed({ altitudeFt: 2100 }, { altitudeFt: 2000 }), [0, 5, 6, 11]],
    ['north is no turn', changed({ trackDeg: 1 }, { trackDeg: 359 }), [0, 11]],
    ['positions that are not newer have none', [5, 5, 4, 6].map((n) => cruise(n)), [5, 6]],
  ])('%s', (_, positions, expected) => {
    expect(timesOf(memoryOf(positions)).map((ms) => ms / 1000)).toEqual(expected);
  });

  it('silence makes the next point stale; a leg starts with a take-off, and after a silence near the ground', () => {
    const flagged = (positions: TestPosition[]) => {
      const points = read(memoryOf(positions));
      return seconds(points.count).map((i) => [(points.timeMs[i]! - START_MS) / 1000, points.flags(i) & (STALE | LEG)]);
    };
    expect(flagged([0, 1, 2, 40, 41, 42].map((n) => cruise(n)))).toEqual([...[0, 2].map((s) => [s, 0]), [40, STALE], [42, 0]]);
    const takeOff = [...[0, 1, 2].map((n) => cruise(n, standing)), ...[3, 4, 5].map((n) => cruise(n, { altitudeFt: 200 }))];
    expect(flagged(takeOff).filter(([, flags]) => flags === LEG)).toEqual([[3, LEG]]);
    const silence = (altitudeFt: number) => flagged([0, 700].map((n) => cruise(n, { altitudeFt })))[1];
    // Over an ocean there is no leg.
    expect([silence(3000), silence(36_000)]).toEqual([
      [700, STALE | LEG],
      [700, STALE],
    ]);
  });

  it('are read by span, both ends included', () => {
    const memory = memoryOf(seconds(4000).map((n) => cruise(n, { trackDeg: (n * 10) % 360 })));
    expect(timesOf(memory, KEY, START_MS + 1_000_000, START_MS + 1_010_000)).toEqual(seconds(11).map((n) => 1_000_000 + n * 1000));
    expect([timesOf(memory, KEY + 1), memory.version(KEY)]).toEqual([[], 4000]);
  });
});

it('a packed point has every value again', () => {
  const scaled = (min: number, max: number, scale: number) => integer({ min, max }).map((value) => value * scale);
  const orNull = (values: Arbitrary<number>) => oneof(constant(null), values);
  const altitude = orNull(scaled(-2000, 130_000, 1));
  const position = record({
    ...{
      timeMs: integer({ min: 0, max: 2 ** 31 - 1 }).map((ms) => START_MS + ms),
      lat: scaled(-90e6, 90e6, 1e-6),
      lon: scaled(-180e6, 180e6, 1e-6),
    },
    ...{ altitudeFt: altitude, speedKt: orNull(scaled(0, 40_000, 0.1)), trackDeg: orNull(scaled(0, 36_000, 0.01)) },
    ...{ rateFpm: orNull(scaled(-1020, 1020, 32)), signalDbfs: orNull(scaled(-99, -1, 0.5)), source: integer({ min: 0, max: 13 }) },
    onGround: boolean(),
  });
  assert(
    property(position, altitude, (each, geometric) => {
      const points = pointsOf([each], [STALE | LEG]);
      if (geometric !== null) points.set(0, GEOMETRIC, geometric);
      const words = new Int32Array(POINT_WORDS);
      packPoint(words, 0, START_MS, points, 0);
      const back = new Points(1);
      unpackPoint(words, 0, START_MS, back);
      expect(back).toEqual(points);
    }),
  );
});

describe('limits of the memory', () => {
  it('forgets what is older than its span, and uses its blocks again', () => {
    const memory = new TrackMemory({ spanMs: 3_600_000 });
    const position = (n: number): TestPosition => cruise(n * 20, { trackDeg: (n * 10) % 360 });
    let bytes = 0;
    for (let n = 0; n < 50_000; n += 1) {
      memory.add(n % 40, positionOf(position(n)));
      if (n === 10_000) bytes = memory.bytes;
    }
    expect(memory.bytes).toBe(bytes);
    expect(memory.stats.displaced).toBe(0);
    expect(timesOf(memory, 39).length).toBeGreaterThan(0);
    // An aircraft that is not heard any more is forgotten with the span.
    memory.add(999, positionOf(cruise(50_000 * 20)));
    expect(memory.has(999)).toBe(true);
    for (let n = 0; n < 200; n += 1) memory.add(KEY, positionOf(cruise(50_000 * 20 + n * 20)));
    expect(memory.has(999)).toBe(false);
  });

  it('is never larger than its bytes: the oldest points go first, and every aircraft has its newest position at once and none of others', () => {
    const blocksOf = record({ blocks: integer({ min: 3, max: 100 }), spanMs: constantFrom(60_000, 600_000, 3_600_000) });
    assert(
      property(blocksOf, arrayOf(integer({ min: 0, max: 60 }), { minLength: 2000, maxLength: 4000 }), ({ blocks, spanMs }, keys) => {
        const memory = new TrackMemory({ bytesMax: blocks * 32 * 24, spanMs });
        const added = new Map<number, number[]>();
        keys.forEach((key, n) => {
          memory.add(key, positionOf(cruise(n, { trackDeg: (n * 10) % 360 })));
          added.set(key, [...(added.get(key) ?? []), n * 1000]);
          if (!memory.has(key) || read(memory, key, START_MS + n * 1000).count !== 1 || memory.aircraft > blocks) expect.fail(`at ${n}`);
        });
        for (const [key, times] of added) {
          const shown = timesOf(memory, key);
          expect(shown).toEqual(times.slice(times.length - shown.length));
          if (memory.completeFromMs <= START_MS) expect(shown.length).toBe(times.length);
        }
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
