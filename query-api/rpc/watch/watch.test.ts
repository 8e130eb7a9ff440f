// Streams of WatchAircraft: merged messages give the aircraft of the target, for clients of any speed; work is shared, and everything is bounded.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import type { Filter } from '../../../push/hub/filter.ts';
import { FilterIndex } from '../../../push/hub/select.ts';
import { limits } from '../../../schemas/limits/index.ts';
import {
  type Aircraft,
  AircraftSchema,
  WatchAircraftRequestSchema,
  type WatchAircraftResponse,
  WatchAircraftResponseSchema,
} from '../../../schemas/proto/v1/aircraft_pb.ts';
import { fullState, NOW_MS } from '../../../test/support/full-state.ts';
import { createTestView, type TestView, testModel } from '../../../test/support/live-view.ts';
import { step, World } from '../../../test/support/world.ts';
import { plainCaller } from '../../access/caller.ts';
import { aircraftRecord } from '../record-objects.ts';
import { AircraftWatch } from './aircraft-watch.ts';
import { EncodedMessages, watchMessages } from './messages.ts';
import { watchFilter } from './target.ts';

const CALLER = plainCaller('192.0.2.1');
const boxFilter = (minLat?: number, minLon?: number, maxLat?: number, maxLon?: number): Filter =>
  watchFilter(
    create(WatchAircraftRequestSchema, {
      target: { case: 'box', value: JSON.parse(JSON.stringify({ minLat, minLon, maxLat, maxLon }), (_, value) => value ?? Number.NaN) },
    }),
  );
const hexFilter = (hex: string): Filter => watchFilter({ target: { case: 'hex', value: hex } });
const WORLD = boxFilter(-90, -180, 90, 180);
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

/** A client that merges messages. A slow one takes its first message, and further ones when `take` is called. */
class Follower {
  readonly aircraft = new Map<string, unknown>();
  readonly messages: WatchAircraftResponse[] = [];
  failure: unknown = null;
  private readonly filter: Filter;
  private readonly stream: AsyncGenerator<WatchAircraftResponse>;
  private isSlow: boolean;

  constructor(watch: AircraftWatch, filter: Filter, isSlow = false) {
    this.stream = watch.watch(filter, CALLER, new AbortController().signal);
    this.isSlow = isSlow;
    this.filter = filter;
    this.pull();
  }

  /** Takes the message that it has; the next one may come. */
  pull(): void {
    this.stream.next().then(
      ({ value, done }) => {
        if (done === true) return;
        this.merge(value as WatchAircraftResponse);
        if (!this.isSlow) this.pull();
      },
      (error) => {
        this.failure = error;
      },
    );
  }

  quicken(): void {
    this.isSlow = false;
    this.pull();
  }

  /** It has the aircraft of its target. */
  expectCurrent(view: TestView): void {
    expect(sorted(this.aircraft)).toEqual(sorted(expected(this.filter, view)));
  }

  private merge(message: WatchAircraftResponse): void {
    this.messages.push(message);
    const { complete, aircraft, removed } = message;
    if (complete) this.aircraft.clear();
    for (const each of aircraft) this.aircraft.set(each.hex, withoutAge(each));
    for (const hex of removed) expect(this.aircraft.delete(hex)).toBe(true);
  }
}

function withoutAge({ seenSeconds: _, ...values }: Aircraft): unknown {
  return values;
}

/** The aircraft of a target, made anew. */
function expected(filter: Filter, view: TestView): Map<string, unknown> {
  const snapshot = view.current()!;
  const records = [...new FilterIndex(snapshot, testModel(view).flights).find(filter)].map((index) => aircraftRecord({ snapshot, index }));
  return new Map(records.map((record) => [record.hex, withoutAge(create(AircraftSchema, record))]));
}

const sorted = (aircraft: ReadonlyMap<string, unknown>) => [...aircraft].sort(([a], [b]) => (a < b ? -1 : 1));
const codeOf = (error: unknown): string => (error as { code: string }).code;
const settled = () => new Promise((resolve) => setTimeout(resolve, 2));

describe('a stream', () => {
  it('has, merged, the aircraft of its target after every tick; a slow client has them once it has caught up', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.array(fc.boolean(), { minLength: 5 }), async (steps, turns) => {
        const world = await World.create();
        world.tick();
        const watch = new AircraftWatch(testModel(world.view), SECOND);
        const filters = [WORLD, boxFilter(-30, 100, 60, -20), hexFilter(fullState(3).hex)];
        const quick = filters.map((filter) => new Follower(watch, filter));
        const slow = new Follower(watch, WORLD, true);
        await settled();
        let n = 0;
        for (const each of steps) {
          world.do(each);
          if (each.kind !== 'tick') continue;
          await settled();
          n += 1;
          if (turns[n % turns.length]) slow.pull();
          if (each.ms === 0) continue;
          await settled();
          for (const each of quick) each.expectCurrent(world.view);
        }
        slow.quicken();
        await settled();
        world.tick(SECOND);
        await settled();
        for (const each of [...quick, slow]) each.expectCurrent(world.view);
        watch.close();
      }),
      { numRuns: 25 },
    );
  });

  it('has only changed aircraft, and a message at every interval', async () => {
    const view = await createTestView(50);
    const follower = new Follower(watchOf(view, 10_000), WORLD);
    await settled();
    view.table.applyState({ ...fullState(7), squawk: '7700' });
    // An age changes without a message of the aircraft.
    view.table.applyState({ ...fullState(8), seenMs: fullState(8).seenMs + 1000, messages: 90_000 });
    for (const ms of [5000, 10_000, 20_000, 25_000]) {
      view.tick(NOW_MS + ms);
      await settled();
    }
    expect(follower.messages.slice(1)).toMatchObject([
      { aircraft: [{ hex: fullState(7).hex, squawk: '7700' }], sourceTime: NOW_MS / 1000 + 10, complete: false },
      { aircraft: [], removed: [], sourceTime: NOW_MS / 1000 + 20 },
    ]);
  });
});

describe('bounds', () => {
  it.each([true, false])('messages have less than 1 MB, and the same bytes when encoded once for all: complete %s', async (isComplete) => {
    const view = await createTestView(2000, { version: 0, facts: () => ({ registration: 'x'.repeat(900), dbFlags: 0 }) });
    const numbers = Int32Array.from({ length: 2000 }, (_, i) => i);
    const removed = Array.from({ length: 3000 }, (_, i) => fullState(i).hex);
    const messages = watchMessages(view.current()!, numbers, removed, isComplete);
    expect(messages.length).toBe(3000 / limits.recordWatchMessageItemsMax);
    expect(messages.flatMap(({ aircraft }) => aircraft.map(({ hex }) => hex)).sort()).toEqual(removed.slice(0, 2000).sort());
    expect(messages.flatMap((message) => message.removed)).toEqual(removed);
    expect(messages.map(({ complete }) => complete)).toEqual(messages.map((_, n) => isComplete && n === 0));
    const encoded = new EncodedMessages();
    for (const message of messages) {
      const bytes = toBinary(WatchAircraftResponseSchema, encoded.encoded(message));
      expect(Buffer.from(bytes).equals(toBinary(WatchAircraftResponseSchema, message))).toBe(true);
      expect(fromBinary(WatchAircraftResponseSchema, bytes)).toEqual(message);
      expect(encoded.encoded(message)).toBe(encoded.encoded(message));
      // Clients of gRPC take 4 MB.
      expect(bytes.length).toBeLessThan(1024 ** 2);
    }
  });

  it('a client that takes too long over one tick is ended, and so are all streams without live data', async () => {
    const view = await createTestView(10);
    const watch = watchOf(view);
    const [slow, quick] = [new Follower(watch, WORLD, true), new Follower(watch, WORLD)];
    await settled();
    view.clockMs += limits.pushBehindMsMax;
    view.tick();
    await settled();
    watch.check();
    expect(watch.stats()).toMatchObject({ watchers: 1, ended: 1 });
    slow.pull();
    await settled();
    expect([codeOf(slow.failure), quick.failure]).toEqual(['api.overloaded', null]);
    view.clockMs += 61_000;
    watch.check();
    await settled();
    expect(codeOf(quick.failure)).toBe('api.no_snapshot');
    expect(watch.stats()).toMatchObject({ watchers: 0, topics: 0, ended: 1 });
    const late = new Follower(watch, WORLD);
    await settled();
    expect(codeOf(late.failure)).toBe('api.no_snapshot');
  });

  it('streams, and the aircraft of all targets, are limited', async () => {
    const view = await createTestView(2000);
    const watch = watchOf(view);
    const boxes = limits.recordWatchAircraftMax / 2000;
    // They take one message, so that only the bounds are tried.
    for (let n = 0; n < boxes; n += 1) new Follower(watch, boxFilter(-90, -180, 90 - n / 1000, 180), true);
    await settled();
    const more = new Follower(watch, boxFilter(-89, -180, 90, 180));
    await settled();
    expect((more.failure as Error).message).toContain('watch all 100000 aircraft');
    // A target that is watched already costs nothing.
    for (let n = boxes; n < limits.recordWatchesMax; n += 1) new Follower(watch, WORLD, true);
    await settled();
    expect(watch.stats()).toMatchObject({ watchers: limits.recordWatchesMax, topics: boxes });
    const last = new Follower(watch, WORLD);
    await settled();
    expect((last.failure as Error).message).toContain('all 1000 streams of aircraft are in use');
  });

  it.each([
    [() => watchFilter(create(WatchAircraftRequestSchema)), 'the parameter hex or box is missing'],
    [() => hexFilter('x'), 'hex cannot be "x"'],
    [() => boxFilter(1, 1, 2), 'the parameter max_lon is missing'],
    [() => boxFilter(3, 1, 2, 1), 'min_lat cannot be "3"'],
    [() => boxFilter(Number.NaN, 1, 2, 1), 'min_lat cannot be "NaN"'],
    [() => boxFilter(1, 1, 2, 181), 'expected at most 180'],
  ])('%s is refused', (filter, message) => {
    expect(filter).toThrow(message);
  });
});
