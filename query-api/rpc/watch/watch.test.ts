// Streams of WatchAircraft: merged messages give the aircraft of the target, for clients of any speed; work is shared, and everything is bounded.
import { fromBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits.ts';
import { type Aircraft, AircraftSchema, WatchAircraftResponseSchema } from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestView, type TestView, testModel } from '../../../test/support/live-view.ts';
import { step, World } from '../../../test/support/world.ts';
import type { Caller } from '../../access/caller.ts';
import { RecordWriter } from '../record-bytes.ts';
import { AircraftWatch } from './aircraft-watch.ts';
import { findTarget, type WatchTarget, watchTarget } from './target.ts';
import type { WatchSink } from './watcher.ts';

const CALLER: Caller = { tier: 'anonymous', principal: '192.0.2.1' };
const WORLD = watchTarget({ box: { minLat: -90, minLon: -180, maxLat: 90, maxLon: 180 } });
const SECOND = 1000;

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function watchOf(view: TestView, tickMs = SECOND): AircraftWatch {
  const watch = new AircraftWatch(testModel(view), tickMs);
  closers.push(() => watch.close());
  return watch;
}

/** A client that merges messages; a slow one takes them when `take` is called. */
class Follower implements WatchSink {
  readonly aircraft = new Map<string, unknown>();
  readonly messages: Buffer[] = [];
  failure: unknown = null;
  isSlow = false;
  private taken: (() => void) | null = null;

  send(message: Buffer, taken: () => void): void {
    this.messages.push(message);
    const { complete, aircraft, removed } = fromBinary(WatchAircraftResponseSchema, message);
    if (complete) this.aircraft.clear();
    for (const each of aircraft) this.aircraft.set(each.hex, withoutAge(each));
    for (const hex of removed) expect(this.aircraft.delete(hex)).toBe(true);
    if (this.isSlow) this.taken = taken;
    else taken();
  }

  fail(error: unknown): void {
    this.failure = error;
  }

  /** Takes the message that it has; the next one may come. */
  take(): void {
    const { taken } = this;
    this.taken = null;
    taken?.();
  }
}

function withoutAge({ seenSeconds: _, ...values }: Aircraft): unknown {
  return values;
}

/** The aircraft of a target, encoded anew. */
function expected(target: WatchTarget, snapshot: Snapshot): Map<string, unknown> {
  const writer = new RecordWriter();
  const records = [...findTarget(target, snapshot)].map((index) => fromBinary(AircraftSchema, writer.aircraft({ snapshot, index })));
  return new Map(records.map((record) => [record.hex, withoutAge(record)]));
}

const sorted = (aircraft: ReadonlyMap<string, unknown>) => [...aircraft].sort(([a], [b]) => (a < b ? -1 : 1));
const codeOf = (error: unknown): string => (error as { code: string }).code;
/** Every client has the aircraft of its target. */
function expectCurrent(clients: readonly { readonly target: WatchTarget; readonly follower: Follower }[], view: TestView): void {
  for (const { target, follower } of clients) expect(sorted(follower.aircraft)).toEqual(sorted(expected(target, view.current()!)));
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('a stream', () => {
  it('has, merged, the aircraft of its target after every tick; a slow client has them once it has caught up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.array(fc.boolean(), { minLength: 5 }), async (steps, turns) => {
        const world = await World.create();
        world.tick();
        const watch = new AircraftWatch(testModel(world.view), SECOND);
        const box = watchTarget({ box: { minLat: -30, minLon: 100, maxLat: 60, maxLon: -20 } });
        const one = watchTarget({ hex: fullState(3).hex });
        const quick = [WORLD, box, one].map((target) => ({ target, follower: new Follower() }));
        const slow = { target: WORLD, follower: new Follower() };
        slow.follower.isSlow = true;
        for (const { target, follower } of [...quick, slow]) watch.watch(target, CALLER, follower);
        let n = 0;
        for (const each of steps) {
          world.do(each);
          if (each.kind !== 'tick') continue;
          await settled();
          n += 1;
          if (turns[n % turns.length]) slow.follower.take();
          if (each.ms === 0) continue;
          expectCurrent(quick, world.view);
        }
        for (let i = 0; i < 3; i += 1) slow.follower.take();
        slow.follower.isSlow = false;
        world.tick(SECOND);
        await settled();
        expectCurrent([...quick, slow], world.view);
        watch.close();
      }),
      { numRuns: 25 },
    );
  });

  it('has only aircraft with news, and a message at every interval', async () => {
    const view = await createTestView(50);
    const watch = watchOf(view, 10_000);
    const follower = new Follower();
    watch.watch(WORLD, CALLER, follower);
    view.tick(NOW_MS + 5000);
    await settled();
    expect(follower.messages.length).toBe(1);
    view.table.applyState({ ...fullState(7), squawk: '7700' });
    for (const ms of [10_000, 20_000, 25_000]) {
      view.tick(NOW_MS + ms);
      await settled();
    }
    const [, second, third] = follower.messages.map((message) => fromBinary(WatchAircraftResponseSchema, message));
    expect(second).toMatchObject({
      aircraft: [{ hex: fullState(7).hex, squawk: '7700' }],
      sourceTime: NOW_MS / 1000 + 10,
      complete: false,
    });
    expect(third).toMatchObject({ aircraft: [], removed: [], sourceTime: NOW_MS / 1000 + 20 });
    expect(follower.messages.length).toBe(3);
  });

  it('has a large state in pieces, of which the first is complete', async () => {
    const view = await createTestView(1500);
    const follower = new Follower();
    watchOf(view).watch(WORLD, CALLER, follower);
    const pieces = follower.messages.map((message) => fromBinary(WatchAircraftResponseSchema, message));
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.map(({ complete }) => complete)).toEqual(pieces.map((_, n) => n === 0));
    expect(new Set(pieces.map(({ sourceTime }) => sourceTime))).toEqual(new Set([NOW_MS / 1000]));
    for (const { length } of follower.messages) expect(length).toBeLessThan(limits.recordWatchPieceBytes + 1024);
    expect(follower.aircraft.size).toBe(1500);
  });

  it('shares its messages with all streams of its target', async () => {
    const view = await createTestView(20);
    const watch = watchOf(view);
    const followers = [1, 2, 3].map(() => new Follower());
    const ends = followers.map((follower) => watch.watch(watchTarget({ hex: fullState(3).hex }), CALLER, follower));
    view.tick(NOW_MS + SECOND);
    await settled();
    const [first, ...others] = followers.map(({ messages }) => messages);
    expect(first!.length).toBe(2);
    for (const messages of others) for (const [n, message] of messages.entries()) expect(message).toBe(first![n]);
    expect(watch.stats()).toMatchObject({ watchers: 3, topics: 1 });
    for (const end of ends) end();
    expect(watch.stats()).toMatchObject({ watchers: 0, topics: 0 });
  });

  it('of a slow client has the messages of one tick, whatever comes meanwhile', async () => {
    const view = await createTestView(1500);
    const watch = watchOf(view);
    const follower = new Follower();
    follower.isSlow = true;
    watch.watch(WORLD, CALLER, follower);
    for (let n = 1; n <= 5; n += 1) {
      view.tick(NOW_MS + n * SECOND);
      await settled();
    }
    expect(follower.messages.length).toBe(1);
    expect(watch.stats().skipped).toBe(5);
    for (let n = 0; n < 10 && follower.aircraft.size < 1500; n += 1) follower.take();
    const before = follower.messages.length;
    follower.take();
    // The state of the last tick follows at once.
    expect(fromBinary(WatchAircraftResponseSchema, follower.messages[before]!)).toMatchObject({
      complete: true,
      sourceTime: NOW_MS / 1000 + 5,
    });
  });
});

describe('bounds', () => {
  it('a client that takes too long over one tick is ended, and so are all streams without live data', async () => {
    const view = await createTestView(10);
    const watch = watchOf(view);
    const [slow, quick] = [new Follower(), new Follower()];
    slow.isSlow = true;
    for (const follower of [slow, quick]) watch.watch(WORLD, CALLER, follower);
    view.clockMs += limits.pushBehindMsMax;
    view.tick();
    await settled();
    watch.check();
    expect([codeOf(slow.failure), quick.failure]).toEqual(['api.overloaded', null]);
    view.clockMs += 61_000;
    watch.check();
    expect(codeOf(quick.failure)).toBe('api.no_snapshot');
    expect(watch.stats()).toMatchObject({ watchers: 0, topics: 0, ended: 1 });
    expect(() => watch.watch(WORLD, CALLER, new Follower())).toThrow('no live data');
  });

  it('streams, and the aircraft of all targets, are limited', async () => {
    const view = await createTestView(2000);
    const watch = watchOf(view);
    // Takes nothing, so that only the bounds are tried.
    const deaf: WatchSink = { send() {}, fail() {} };
    const boxes = limits.recordWatchAircraftMax / 2000;
    for (let n = 0; n < boxes; n += 1)
      watch.watch(watchTarget({ box: { minLat: -90, minLon: -180, maxLat: 90 - n / 1000, maxLon: 180 } }), CALLER, deaf);
    const more = watchTarget({ box: { minLat: -89, minLon: -180, maxLat: 90, maxLon: 180 } });
    expect(() => watch.watch(more, CALLER, deaf)).toThrow('watch all 100000 aircraft');
    // A target that is watched already costs nothing.
    for (let n = boxes; n < limits.recordWatchesMax; n += 1) watch.watch(WORLD, CALLER, deaf);
    expect(watch.stats()).toMatchObject({ watchers: limits.recordWatchesMax, topics: boxes });
    expect(() => watch.watch(WORLD, CALLER, deaf)).toThrow('all 1000 streams of aircraft are in use');
  });

  it('targets are checked', () => {
    for (const [given, message] of [
      [{}, 'the parameter hex or box is missing'],
      [{ hex: 'x' }, 'hex cannot be "x"'],
      [{ box: { minLat: 1, minLon: 1, maxLat: 2 } }, 'the parameter max_lon is missing'],
      [{ box: { minLat: 3, minLon: 1, maxLat: 2, maxLon: 1 } }, 'min_lat cannot be "3"'],
      [{ box: { minLat: Number.NaN, minLon: 1, maxLat: 2, maxLon: 1 } }, 'min_lat cannot be "NaN"'],
      [{ box: { minLat: -91, minLon: 1, maxLat: 2, maxLon: 1 } }, 'expected at least -90'],
      [{ box: { minLat: 1, minLon: 1, maxLat: 2, maxLon: Number.POSITIVE_INFINITY } }, 'expected at most 180'],
    ] as const)
      expect(() => watchTarget(given)).toThrow(message);
  });
});
