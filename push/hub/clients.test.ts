// Clients of every profile with every kind of filter: whatever aircraft do, and whenever clients connect and resume, each has the aircraft of its filter after
// every tick. Clients that stall and change their filters, and services that start again, are those of test/e2e/push-clients.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BINARY_PROTOCOL, NAMED_PROTOCOL } from '../../schemas/push.ts';
import { accepts, given, objectsOf, type Plane, shown } from '../../test/support/brute-filter.ts';
import { testModel } from '../../test/support/live-view.ts';
import { RecordingHub } from '../../test/support/recording-hub.ts';
import { differences } from '../../test/support/wire-objects.ts';
import { step, World } from '../../test/support/world.ts';
import { AircraftDecoder } from '../codec/decoder.ts';
import { type AircraftFrame, AircraftStreams } from '../codec/model.ts';
import type { SocketId } from '../transport/transport.ts';
import { type Encoding, encodings } from './encodings.ts';
import { parseFilter } from './filter.ts';

const TICK_MS = 10_000;
const CLIENTS = 6;
const kinds = fc.tuple(fc.constantFrom(...encodings), fc.constantFrom(...given));

/** A client as the documentation describes it. */
class Client {
  readonly filter: Readonly<Record<string, unknown>>;
  readonly encoding: Encoding;
  socket: SocketId | null = null;
  /** Connections that continued with a delta. */
  resumes = 0;
  private readonly hub: RecordingHub;
  private streams = new AircraftStreams();
  private decoder = new AircraftDecoder();
  private stream = '';
  private read = 0;
  private isFirst = true;

  constructor(hub: RecordingHub, encoding: Encoding, filter: Readonly<Record<string, unknown>>) {
    this.hub = hub;
    this.encoding = encoding;
    this.filter = filter;
  }

  async connect(): Promise<void> {
    const { encoding, hub } = this;
    [this.read, this.isFirst] = [0, true];
    const state = this.streams.streams.get(this.stream);
    if (encoding === 'named' || encoding === 'binary') {
      this.socket = await hub.open('/ws/', { protocols: [encoding === 'named' ? NAMED_PROTOCOL : BINARY_PROTOCOL] });
      await hub.say(this.socket, this.streams.resume(this.stream) ?? { type: 'subscribe', filter: this.filter });
      return;
    }
    const query = Object.entries(this.filter).map(([name, value]) => `${name}=${String(value)}`);
    // The default profile does not name its stream: there is nothing to resume.
    if (encoding === 'plain') this.streams = new AircraftStreams();
    this.socket =
      encoding === 'plain'
        ? await hub.open(`/ws/?${query.join('&')}`)
        : await hub.open(`/v2/stream?${query.join('&')}`, {
            kind: 'events',
            headers: state === undefined ? {} : { 'last-event-id': `${this.stream}:${state.seq}` },
          });
  }

  disconnect(): void {
    this.hub.of(this.socket!).channels.clear();
    this.hub.hub.closed(this.socket!);
    this.socket = null;
  }

  /** Its aircraft after the frames that came since the last call. */
  async aircraft(): Promise<ReadonlyMap<string, Plane>> {
    // Frames come meanwhile: a client that cannot resume subscribes again.
    for (const frames = this.hub.frames(this.socket!); this.read < frames.length; this.read += 1) {
      const { bytes, isBinary } = frames[this.read]!;
      const frame = isBinary ? await this.decoder.decode(bytes) : this.parse(Buffer.from(bytes).toString());
      if (frame?.type === 'error') {
        expect(frame).toMatchObject({ code: 'not-resumable' });
        await this.hub.say(this.socket!, { type: 'subscribe', filter: this.filter });
      }
      if (frame?.type !== 'full' && frame?.type !== 'delta') continue;
      expect(this.streams.apply(frame)).toBe('applied');
      if (frame.type === 'full') this.stream = frame.stream ?? '';
      else if (this.isFirst) this.resumes += 1;
      this.isFirst = false;
    }
    return this.streams.streams.get(this.stream)!.aircraft;
  }

  private parse(text: string): AircraftFrame & { readonly code?: string } {
    return JSON.parse(this.encoding === 'events' ? /^data: (.*)$/m.exec(text)![1]! : text) as AircraftFrame;
  }
}

const moment = fc.oneof(
  { weight: 8, arbitrary: step },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(TICK_MS, TICK_MS, 70_000) }) },
  // A client connects, or disconnects.
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('client' as const), n: fc.nat(CLIENTS - 1) }) },
);
type Moment = typeof moment extends fc.Arbitrary<infer T> ? T : never;
type Kinds = readonly (typeof kinds extends fc.Arbitrary<infer T> ? T : never)[];

/** Returns the number of aircraft. */
async function compare(client: Client, { view }: World): Promise<number> {
  if (client.socket === null) return 0;
  const filter = parseFilter(client.filter, testModel(view));
  const byHex = (planes: Iterable<Plane>) => new Map([...planes].map((plane) => [plane['hex'] as string, shown(plane, filter)]));
  const expected = byHex(objectsOf(view.current()!).filter((plane) => accepts(filter, plane)));
  const aircraft = byHex((await client.aircraft()).values());
  expect(differences(aircraft, expected), `${client.encoding}, ${JSON.stringify(client.filter)}`).toEqual([]);
  return expected.size;
}

test('whatever aircraft do, clients have the aircraft of their filters after every tick', { timeout: 120_000 }, async () => {
  let [compared, resumed] = [0, 0];
  const sequence = async (list: Kinds, moments: readonly Moment[]): Promise<void> => {
    const world = await World.create();
    for (let n = 0; n < 12; n += 1) world.do({ kind: 'state', n, empty: false });
    world.tick();
    const hub = new RecordingHub(world, {}, undefined, { tickMs: TICK_MS });
    const clients = list.map(([encoding, filter]) => new Client(hub, encoding, filter));
    for (const client of clients) await client.connect();
    for (const each of moments) {
      if (each.kind === 'client') {
        const client = clients[each.n]!;
        if (client.socket === null) await client.connect();
        else client.disconnect();
        continue;
      }
      if (each.kind === 'tick') world.view.clockMs += each.ms;
      if (each.kind !== 'pass') {
        world.do(each);
        if (each.kind === 'tick') await hub.settle();
        continue;
      }
      // Something is always heard.
      world.do({ kind: 'field', n: 11, name: 'groundSpeedDeciKt', value: 1 });
      await hub.tick(each.ms);
      for (const client of clients) compared += await compare(client, world);
    }
    for (const { resumes } of clients) resumed += resumes;
    hub.close();
  };
  const clients = fc.array(kinds, { minLength: CLIENTS, maxLength: CLIENTS });
  const moments = fc.array(moment, { minLength: 30, maxLength: 80 });
  await fc.assert(fc.asyncProperty(clients, moments, sequence), { numRuns: 40 });
  // Far below what the runs of any seed give.
  expect(compared).toBeGreaterThan(500);
  expect(resumed).toBeGreaterThan(5);
});
