// The track memory against a plain model: what it keeps, when flags are set, and its limits.
import { array as arrayOf, assert, boolean, constant, integer, oneof, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pointsOf, positionOf, type TestPosition } from '../../test/support/track-points.ts';
import { POINT_WORDS, packPoint, unpackPoint } from './packed-points.ts';
import { LEG, Points, STALE } from './points.ts';
import { TrackMemory } from './track-memory.ts';

const START_MS = 1_700_000_000_000;
const KEY = 0x4840d6;
const FOREVER = Number.POSITIVE_INFINITY;

function memoryOf(positions: readonly TestPosition[], memory = new TrackMemory()): TrackMemory {
  for (const position of positions) memory.take(KEY, positionOf(position));
  return memory;
}

function timesOf(memory: TrackMemory, key = KEY, fromMs = 0, toMs = FOREVER): number[] {
  return [...read(memory, key, fromMs, toMs).timeMs.subarray(0, read(memory, key, fromMs, toMs).count)].map((ms) => ms - START_MS);
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

describe('an aircraft that comes back after the span of the memory', () => {
  it('has its newest position at once, also when its full block is the next that expires', () => {
    const memory = new TrackMemory({ spanMs: 600_000 });
    memory.take(KEY + 1, positionOf(cruise(0)));
    // Each position turns: 33 positions are 32 points of a block and the newest.
    for (const n of seconds(33)) memory.take(KEY, positionOf(cruise(n, { trackDeg: (n * 10) % 360 })));
    const back = 2000;
    memory.take(KEY + 1, positionOf(cruise(back)));
    memory.take(KEY, positionOf(cruise(back + 1)));
    expect(memory.has(KEY)).toBe(true);
    expect(timesOf(memory, KEY, START_MS + back * 1000)).toEqual([(back + 1) * 1000]);
    expect(memory.aircraft).toBe(2);
  });
});

describe('points of a track', () => {
  it('steady flight has one in 20 s, the first and the newest', () => {
    const times = timesOf(memoryOf(seconds(101).map((n) => cruise(n))));
    expect(times).toEqual([0, 20_000, 40_000, 60_000, 80_000, 100_000]);
    expect(timesOf(memoryOf(seconds(110).map((n) => cruise(n)))).at(-1)).toBe(109_000);
  });

  it('a turn, a climb and another speed have theirs: the positions before and after the change', () => {
    const changes: Partial<TestPosition>[] = [{ trackDeg: 94 }, { altitudeFt: 36_400 }, { speedKt: 460 }, { rateFpm: 512 }];
    for (const change of changes) {
      const positions = seconds(12).map((n) => cruise(n, n >= 6 ? change : {}));
      expect([change, timesOf(memoryOf(positions))]).toEqual([change, [0, 5000, 6000, 11_000]]);
    }
    const low = seconds(12).map((n) => cruise(n, { altitudeFt: n >= 6 ? 2100 : 2000 }));
    expect(timesOf(memoryOf(low))).toEqual([0, 5000, 6000, 11_000]);
    const north = seconds(12).map((n) => cruise(n, { trackDeg: n >= 6 ? 1 : 359 }));
    expect(timesOf(memoryOf(north))).toEqual([0, 11_000]);
  });

  it('one that stands still has one in 200 s', () => {
    const positions = seconds(300).map((n) => cruise(n, { lon: 5, onGround: true, altitudeFt: null, speedKt: 0, trackDeg: null }));
    expect(timesOf(memoryOf(positions))).toEqual([0, 200_000, 299_000]);
  });

  it('silence makes the next point stale, and both of its ends stay', () => {
    const points = read(memoryOf([0, 1, 2, 40, 41, 42].map((n) => cruise(n))));
    expect([...points.timeMs.subarray(0, points.count)].map((ms) => (ms - START_MS) / 1000)).toEqual([0, 2, 40, 42]);
    expect([...points.flags.subarray(0, points.count)]).toEqual([0, 0, STALE, 0]);
  });

  it('a leg starts with a take-off, and after a silence near the ground', () => {
    const taxi = [0, 1, 2].map((n) => cruise(n, { onGround: true, altitudeFt: null }));
    const flight = [3, 4, 5].map((n) => cruise(n, { altitudeFt: 200 }));
    const points = read(memoryOf([...taxi, ...flight]));
    const legs = seconds(points.count).filter((i) => points.hasFlag(i, LEG));
    expect(legs.map((i) => points.timeMs[i]! - START_MS)).toEqual([3000]);
    const silence = (altitudeFt: number): number => read(memoryOf([cruise(0, { altitudeFt }), cruise(700, { altitudeFt })])).flags[1]!;
    expect(silence(3000) & LEG).toBe(LEG);
    // Over an ocean.
    expect(silence(36_000)).toBe(STALE);
  });

  it('leaves out positions that are not newer, and counts them', () => {
    const memory = memoryOf([cruise(5), cruise(5), cruise(4), cruise(6)]);
    expect(timesOf(memory)).toEqual([5000, 6000]);
    expect(memory.stats).toEqual({ positions: 4, late: 2, displaced: 0 });
    expect(memory.version(KEY)).toBe(2);
  });

  it('reads a span, both ends included', () => {
    const memory = memoryOf(seconds(4000).map((n) => cruise(n, { trackDeg: (n * 10) % 360 })));
    const times = timesOf(memory, KEY, START_MS + 1_000_000, START_MS + 1_010_000);
    expect(times).toEqual(seconds(11).map((n) => 1_000_000 + n * 1000));
    expect(timesOf(memory, KEY + 1)).toEqual([]);
  });
});

it('a packed point has every value again', () => {
  const altitude = oneof(constant(null), integer({ min: -2000, max: 130_000 }));
  const wild = record({
    timeMs: integer({ min: 0, max: 2 ** 31 - 1 }).map((ms) => START_MS + ms),
    lat: integer({ min: -90e6, max: 90e6 }).map((micro) => micro / 1e6),
    lon: integer({ min: -180e6, max: 180e6 }).map((micro) => micro / 1e6),
    altitudeFt: altitude,
    speedKt: oneof(
      constant(null),
      integer({ min: 0, max: 40_000 }).map((deci) => deci / 10),
    ),
    trackDeg: oneof(
      constant(null),
      integer({ min: 0, max: 36_000 }).map((centi) => centi / 100),
    ),
    rateFpm: oneof(
      constant(null),
      integer({ min: -1020, max: 1020 }).map((steps) => 32 * steps),
    ),
    signalDbfs: oneof(
      constant(null),
      integer({ min: -99, max: -1 }).map((halves) => halves / 2),
    ),
    source: integer({ min: 0, max: 13 }),
    onGround: boolean(),
  });
  assert(
    property(wild, altitude, (position, geometric) => {
      const points = pointsOf([position], [STALE | LEG]);
      if (geometric !== null) points.altitudeGeomFt[0] = geometric;
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
      memory.take(n % 40, positionOf(position(n)));
      if (n === 10_000) bytes = memory.bytes;
    }
    expect(memory.bytes).toBe(bytes);
    expect(memory.stats.displaced).toBe(0);
    expect(timesOf(memory, 39).length).toBeGreaterThan(0);
    // An aircraft that is not heard any more is forgotten with the span.
    memory.take(999, positionOf(cruise(50_000 * 20)));
    expect(memory.has(999)).toBe(true);
    for (let n = 0; n < 200; n += 1) memory.take(KEY, positionOf(cruise(50_000 * 20 + n * 20)));
    expect(memory.has(999)).toBe(false);
  });

  it('is never larger than its bytes: the oldest points go first, and the newest position of each aircraft stays', () => {
    assert(
      property(arrayOf(integer({ min: 0, max: 60 }), { minLength: 3000, maxLength: 6000 }), (keys) => {
        const bytesMax = 100 * 32 * 24;
        const memory = new TrackMemory({ bytesMax });
        const taken = new Map<number, number[]>();
        keys.forEach((key, n) => {
          memory.take(key, positionOf(cruise(n, { trackDeg: (n * 10) % 360 })));
          taken.set(key, [...(taken.get(key) ?? []), n * 1000]);
        });
        for (const [key, times] of taken) {
          const shown = timesOf(memory, key);
          expect(shown).toEqual(times.slice(-shown.length));
        }
      }),
      { numRuns: 5 },
    );
  });

  it('of more aircraft than blocks it forgets some, and counts their points', () => {
    const memory = new TrackMemory({ bytesMax: 10 * 32 * 24 });
    for (let n = 0; n < 1000; n += 1) memory.take(n, positionOf(cruise(n)));
    expect(memory.aircraft).toBe(10);
    expect(memory.stats.displaced).toBe(990);
    expect(timesOf(memory, 999)).toEqual([999_000]);
  });

  it('an aircraft that takes the row of another has none of its points', () => {
    const memory = new TrackMemory({ bytesMax: 3 * 32 * 24 });
    for (let n = 0; n < 3000; n += 1) memory.take(n % 7, positionOf(cruise(n, { trackDeg: (n * 10) % 360 })));
    for (let key = 0; key < 7; key += 1) for (const ms of timesOf(memory, key)) expect((ms / 1000) % 7).toBe(key);
  });
});
