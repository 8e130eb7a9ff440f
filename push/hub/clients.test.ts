// Clients of every profile against the view: whatever they do, and whatever happens to them, each has the aircraft of its filter after every tick.
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { BINARY_PROTOCOL, NAMED_PROTOCOL } from '../../schemas/push.ts';
import { accepts, given, objectsOf, type Plane, shown } from '../../test/support/brute-filter.ts';
import { testModel } from '../../test/support/live-view.ts';
import { RecordingTransport } from '../../test/support/recording-transport.ts';
import { differences } from '../../test/support/wire-objects.ts';
import { step, World } from '../../test/support/world.ts';
import { AircraftDecoder } from '../codec/decoder.ts';
import { type AircraftFrame, AircraftStreams } from '../codec/model.ts';
import type { Frame, Opening, SocketId } from '../transport/transport.ts';
import { type Encoding, encodings } from './encodings.ts';
import { parseFilter } from './filter.ts';
import { Hub } from './hub.ts';

const TICK_MS = 10_000;

const CLIENTS = 6;
const client = fc.nat(CLIENTS - 1);
const filter = fc.nat(given.length - 1);
const moment = fc.oneof(
  { weight: 30, arbitrary: step },
  { weight: 18, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(TICK_MS, TICK_MS, 70_000) }) },
  { weight: 9, arbitrary: fc.record({ kind: fc.constant('open' as const), client }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('close' as const), client }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('again' as const), client }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), client, filter }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('stall' as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;

/** A client as the documentation describes it. */
class Client {
  readonly encoding: Encoding;
  filter: number;
  socket: SocketId | null = null;
  isBehind = false;
  streams = new AircraftStreams();
  stream = '';
  /** Connections that went on with a delta. */
  resumes = 0;
  private isFirst = true;
  private decoder = new AircraftDecoder();
  private taken = 0;

  constructor(encoding: Encoding, filter: number) {
    this.encoding = encoding;
    this.filter = filter;
  }

  /** Takes frames that came since the last call. Returns messages to send. */
  async take(frames: readonly Frame[]): Promise<object[]> {
    const messages: object[] = [];
    for (const { bytes, isBinary } of frames.slice(this.taken)) {
      const frame = isBinary ? await this.decoder.decode(bytes) : this.parse(Buffer.from(bytes).toString());
      if (frame === null) continue;
      if (frame.type === 'error') {
        expect(frame).toMatchObject({ code: 'not-resumable' });
        messages.push(this.subscription());
      }
      if (frame.type !== 'full' && frame.type !== 'delta') continue;
      // Frames of the filter before may be under way while the client changes it.
      const applied = this.streams.apply(frame);
      if (applied === 'missed') throw new Error(`a frame is missing before ${frame.seq}`);
      if (frame.type === 'full') this.stream = frame.stream ?? '';
      else if (this.isFirst) this.resumes += 1;
      this.isFirst = false;
    }
    this.taken = frames.length;
    return messages;
  }

  opening(): Omit<Opening, 'socket'> {
    this.taken = 0;
    this.isBehind = false;
    this.isFirst = true;
    const { encoding } = this;
    const state = this.streams.streams.get(this.stream);
    const query = Object.entries(given[this.filter]!).map(([name, value]) => `${name}=${String(value)}`);
    const url = encoding === 'events' ? '/v2/stream' : '/ws/';
    const id = encoding === 'events' && state !== undefined ? { 'last-event-id': `${this.stream}:${state.seq}` } : {};
    const protocols = encoding === 'named' ? [NAMED_PROTOCOL] : encoding === 'binary' ? [BINARY_PROTOCOL] : [];
    return {
      kind: encoding === 'events' ? 'events' : 'websocket',
      address: '192.0.2.1',
      url: protocols.length > 0 ? url : `${url}?${query.join('&')}`,
      headers: id as Record<string, string>,
      protocols,
    };
  }

  /** First message of a profile that has messages. */
  begin(): object | null {
    if (this.encoding === 'plain' || this.encoding === 'events') return null;
    return this.streams.resume(this.stream) ?? this.subscription();
  }

  subscription(): object {
    return { type: 'subscribe', filter: given[this.filter] };
  }

  get aircraft(): ReadonlyMap<string, Plane> | undefined {
    return this.streams.streams.get(this.stream)?.aircraft;
  }

  /** Forgets what it knows. */
  forget(): void {
    this.streams = new AircraftStreams();
    this.decoder = new AircraftDecoder();
    this.stream = '';
  }

  private parse(text: string): AircraftFrame & { readonly code?: string } {
    return JSON.parse(this.encoding === 'events' ? /^data: (.*)$/m.exec(text)![1]! : text) as AircraftFrame;
  }
}

class Scene {
  readonly world: World;
  readonly clients: Client[];
  compared = 0;
  private transport = new RecordingTransport();
  private hub: Hub;
  private sockets = 0;
  private epochs = 0;

  constructor(world: World, clients: Client[]) {
    this.world = world;
    this.clients = clients;
    for (let n = 0; n < 12; n += 1) world.do({ kind: 'state', n, empty: false });
    world.tick();
    this.hub = this.start();
  }

  private start(): Hub {
    const { view } = this.world;
    this.epochs += 1;
    const hub = new Hub({
      model: testModel(view),
      access: unlimitedAccess,
      ...{ tickMs: TICK_MS, pageTickMs: TICK_MS, pageEgress: Number.POSITIVE_INFINITY },
      epoch: `e${this.epochs}`,
      logger: pino({ enabled: false }),
      refusal: ({ message }) => {
        throw new Error(message);
      },
    });
    this.transport = new RecordingTransport();
    hub.attach(this.transport);
    this.transport.onDrained = (socket) => {
      if (!this.clients.some((client) => client.socket === socket && client.isBehind)) hub.drained(socket);
    };
    return hub;
  }

  async settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      for (let turn = 0; turn < 4; turn += 1) await nextTurn();
      for (const client of this.clients) {
        if (client.socket === null) continue;
        for (const message of await client.take(this.transport.frames.get(client.socket)!)) this.say(client, message);
      }
    }
  }

  private say({ socket }: Client, message: object): void {
    this.hub.message(socket!, JSON.stringify(message));
  }

  open(client: Client): void {
    if (client.socket !== null) return;
    this.sockets += 1;
    client.socket = this.sockets;
    // The default profile does not name its stream: there is nothing to resume.
    if (client.encoding === 'plain') client.forget();
    this.hub.opening({ socket: this.sockets, ...client.opening() });
    const first = client.begin();
    if (first !== null) this.say(client, first);
  }

  close(client: Client): void {
    if (client.socket === null) return;
    this.transport.fallBehind(client.socket);
    this.hub.closed(client.socket);
    client.socket = null;
  }

  change(client: Client, filter: number): void {
    const isOpen = client.socket !== null;
    client.filter = filter;
    if (isOpen && (client.encoding === 'named' || client.encoding === 'binary')) {
      this.say(client, client.subscription());
      // A connection that is lost before the new full must not resume the stream of the filter before.
      client.stream = '';
      return;
    }
    this.close(client);
    client.forget();
    if (isOpen) this.open(client);
  }

  stall(client: Client): void {
    if (client.socket === null) return;
    if (client.isBehind) this.hub.drained(client.socket);
    else {
      this.transport.fallBehind(client.socket);
      this.hub.behind(client.socket);
    }
    client.isBehind = !client.isBehind;
  }

  restart(): void {
    for (const client of this.clients) this.close(client);
    this.hub.close();
    this.hub = this.start();
  }

  async tick(ms: number): Promise<void> {
    this.world.nowMs += ms;
    // Something is always heard.
    this.world.do({ kind: 'field', n: 11, name: 'groundSpeedDeciKt', value: 1 });
    this.world.view.clockMs = this.world.nowMs;
    this.world.tick();
    await this.settle();
    const whole = objectsOf(this.world.view.current()!);
    const model = testModel(this.world.view);
    for (const { socket, isBehind, filter: n, aircraft, encoding } of this.clients) {
      if (socket === null || isBehind) continue;
      const filter = parseFilter(given[n]!, model);
      const byHex = (planes: Iterable<Plane>): Map<string, Plane> =>
        new Map([...planes].map((plane) => [plane['hex'] as string, shown(plane, filter)]));
      const expected = byHex(whole.filter((plane) => accepts(filter, plane)));
      expect(differences(byHex(aircraft!.values()), expected), `${encoding}, filter ${n}`).toEqual([]);
      this.compared += expected.size;
    }
  }

  async do(each: Moment): Promise<void> {
    if (each.kind === 'pass') await this.tick(each.ms);
    else if (each.kind === 'open') this.open(this.clients[each.client]!);
    else if (each.kind === 'close') this.close(this.clients[each.client]!);
    else if (each.kind === 'again') {
      this.close(this.clients[each.client]!);
      this.open(this.clients[each.client]!);
    } else if (each.kind === 'change') this.change(this.clients[each.client]!, each.filter);
    else if (each.kind === 'stall') this.stall(this.clients[each.client]!);
    else if (each.kind === 'restart') this.restart();
    else {
      if (each.kind === 'tick') this.world.view.clockMs += each.ms;
      this.world.do(each);
    }
    await this.settle();
  }

  stop(): void {
    this.hub.close();
  }
}

test('whatever clients do, they have the aircraft of their filters after every tick', { timeout: 120_000 }, async () => {
  let compared = 0;
  let resumed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...encodings), filter), { minLength: CLIENTS, maxLength: CLIENTS }),
      fc.array(moment, { minLength: 30, maxLength: 80 }),
      async (kinds, moments) => {
        const scene = new Scene(
          await World.create(),
          kinds.map(([encoding, n]) => new Client(encoding, n)),
        );
        for (const one of scene.clients) scene.open(one);
        await scene.settle();
        for (const each of moments) await scene.do(each);
        compared += scene.compared;
        for (const { resumes } of scene.clients) resumed += resumes;
        scene.stop();
      },
    ),
    { numRuns: 40 },
  );
  // Far below what 40 runs of any seed give.
  expect(compared).toBeGreaterThan(500);
  expect(resumed).toBeGreaterThan(5);
});
