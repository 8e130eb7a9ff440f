// Streams against the view: a client that applies the frames of a topic has, after every tick, the aircraft of its filter as `/v2` shows them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { accepts, given, objectsOf, type Plane, shown } from '../../test/support/brute-filter.ts';
import { NOW_MS } from '../../test/support/full-state.ts';
import { testModel } from '../../test/support/live-view.ts';
import { step, World } from '../../test/support/world.ts';
import { everything, parseFilter } from './filter.ts';
import type { TopicDelta } from './kept-frames.ts';
import { ServiceClass } from './service-class.ts';
import type { Topic } from './topic.ts';

interface Frame {
  readonly seq: number;
  readonly now: number;
  readonly ac?: readonly Plane[];
  readonly new?: readonly Plane[];
  readonly update?: readonly Plane[];
  readonly remove?: readonly string[];
}

/** As the documentation tells clients to do it. */
class Client {
  readonly planes = new Map<string, Plane>();
  seq = -1;

  take(bytes: Uint8Array): void {
    const frame = JSON.parse(Buffer.from(bytes).toString()) as Frame;
    if (frame.ac !== undefined) this.planes.clear();
    else expect(frame.seq).toBe(this.seq + 1);
    this.seq = frame.seq;
    for (const plane of frame.ac ?? frame.new ?? []) this.planes.set(plane['hex'] as string, plane);
    for (const update of frame.update ?? []) {
      const plane = { ...this.planes.get(update['hex'] as string)!, ...update };
      this.planes.set(update['hex'] as string, Object.fromEntries(Object.entries(plane).filter(([, value]) => value !== null)));
    }
    for (const hex of frame.remove ?? []) expect(this.planes.delete(hex)).toBe(true);
  }
}

/** Clients of random filters over a changing world. */
class Scene {
  readonly world: World;
  private readonly model: ReadModel;
  private readonly clients: { readonly topic: Topic; readonly client: Client }[] = [];
  private readonly frames = new Map<Topic, Map<number, Uint8Array>>();
  private readonly serviceClass: ServiceClass;

  constructor(world: World) {
    this.world = world;
    this.model = testModel(world.view);
    let topics = 0;
    this.serviceClass = new ServiceClass({
      ...{ name: 'n', intervalMs: 1000, flights: this.model.flights, steadyMs: () => 0 },
      nextTopicId: () => (topics += 1),
      streamPrefix: 'e',
      onDeltas: async (deltas) => this.take(deltas),
    });
    world.view.onSnapshot((snapshot) => this.serviceClass.take(snapshot));
    for (let n = 0; n < 12; n += 1) world.do({ kind: 'state', n, empty: false });
    world.tick();
  }

  join(filter: number): void {
    const topic = this.topic(filter);
    const client = new Client();
    client.take(this.serviceClass.full(topic));
    this.clients.push({ topic, client });
    topic.subscribers.named += 1;
  }

  /** The frames that a client missed are those that the others got. */
  resume(filter: number, back: number): void {
    const topic = this.topic(filter);
    const missed = this.serviceClass.since(topic, this.serviceClass.seq - back);
    if (missed === null) return;
    expect(missed.map(({ seq }) => seq)).toEqual(Array.from({ length: back }, (_, n) => this.serviceClass.seq - back + 1 + n));
    for (const { seq, text } of missed) expect(text).toEqual(this.frames.get(topic)!.get(seq));
  }

  async settle(): Promise<void> {
    await this.serviceClass.settled();
  }

  /** Every client has what `/v2/all` shows of its filter. Returns the number of aircraft compared. */
  check(): number {
    const whole = objectsOf(this.world.view.current()!);
    const byHex = (planes: Plane[]): Plane[] => planes.toSorted((a, b) => (String(a['hex']) < String(b['hex']) ? -1 : 1));
    let compared = 0;
    for (const { topic, client } of this.clients) {
      const expected = whole.filter((plane) => accepts(topic.filter, plane)).map((plane) => shown(plane, topic.filter));
      expect(byHex([...client.planes.values()].map((plane) => shown(plane, topic.filter)))).toEqual(byHex(expected));
      compared += expected.length;
    }
    return compared;
  }

  private topic(filter: number): Topic {
    return this.serviceClass.topic(parseFilter(given[filter]!, this.model), this.world.view.current()!);
  }

  private take(deltas: readonly TopicDelta[]): number {
    for (const { topic, seq, text } of deltas) {
      for (const each of this.clients) if (each.topic === topic) each.client.take(text!);
      this.frames.set(topic, (this.frames.get(topic) ?? new Map()).set(seq, text!));
    }
    return 0;
  }
}

test('a client has the aircraft of its filter after every tick, whenever it begins or resumes', async () => {
  const filter = fc.nat(given.length - 1);
  const moment = fc.oneof(
    { weight: 8, arbitrary: step },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('join' as const), filter }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const), filter, back: fc.nat(4) }) },
  );
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(filter, { minLength: 3, maxLength: 5 }),
      fc.array(moment, { minLength: 20, maxLength: 60 }),
      async (filters, moments) => {
        const scene = new Scene(await World.create());
        for (const filter of filters) scene.join(filter);
        for (const [n, each] of moments.entries()) {
          if (each.kind === 'join') scene.join(each.filter);
          else if (each.kind === 'resume') scene.resume(each.filter, each.back);
          else scene.world.do(each);
          await scene.settle();
          if (n % 4 !== 3) continue;
          scene.world.tick(1000);
          await scene.settle();
          compared += scene.check();
        }
      },
    ),
    { numRuns: 60 },
  );
  expect(compared).toBeGreaterThan(4000);
});

test('frames older than three ticks and a minute are forgotten, and a topic without subscribers with them', async () => {
  const world = await World.create();
  const model = testModel(world.view);
  let steadyMs = 0;
  let topics = 0;
  const serviceClass = new ServiceClass({
    ...{ name: 'n', intervalMs: 10_000, flights: model.flights, steadyMs: () => steadyMs },
    nextTopicId: () => (topics += 1),
    streamPrefix: 'e',
    onDeltas: async () => 0,
  });
  world.view.onSnapshot((snapshot) => serviceClass.take(snapshot));
  world.tick();
  const topic = serviceClass.topic(everything, world.view.current()!);
  topic.subscribers.named += 1;
  const first = serviceClass.seq;
  for (let n = 0; n < 8; n += 1) {
    steadyMs += 10_000;
    world.tick(10_000);
    await serviceClass.settled();
  }
  expect(serviceClass.seq).toBe(first + 8);
  expect(serviceClass.since(topic, first)).toBeNull();
  expect(serviceClass.since(topic, first + 1)!.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8].map((n) => first + n));
  expect(serviceClass.since(topic, serviceClass.seq + 1)).toBeNull();
  topic.subscribers.named -= 1;
  topic.leftMs.text = steadyMs;
  for (let n = 0; n < 8; n += 1) {
    steadyMs += 10_000;
    world.tick(10_000);
    await serviceClass.settled();
  }
  expect(serviceClass.topics.size).toBe(0);
  expect(world.nowMs).toBe(NOW_MS + 160_000);
});
