// The hub's protocol, with a transport that only records: handshakes, profiles, control frames, slow clients, limits of callers.
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { identifyByAddress, type Tier } from '../../query-api/access/caller.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, testModel } from '../../test/support/live-view.ts';
import { AircraftDecoder } from '../codec/decoder.ts';
import { AircraftStreams } from '../codec/model.ts';
import type { Frame, FrameForChannel, Opening, Refusal, SocketId, Transport, TransportStats } from '../transport/transport.ts';
import { Hub } from './hub.ts';

type Message = Record<string, unknown> & { type: string; seq: number; ac: { hex: string }[] };

/** Delivers in the order of its calls, as a real transport does. */
class RecordingTransport implements Transport {
  readonly name = 'recording';
  readonly port = 0;
  readonly protocols = new Map<SocketId, string | null>();
  readonly refusals = new Map<SocketId, Refusal>();
  readonly responses = new Map<SocketId, { readonly headers: Readonly<Record<string, string>>; readonly body: Uint8Array }>();
  readonly texts = new Map<SocketId, string[]>();
  readonly binaries: Uint8Array[] = [];
  readonly ends = new Map<SocketId, [code: number, reason: string]>();
  private readonly channels = new Map<SocketId, Set<number>>();

  accept(socket: SocketId, protocol: string | null): void {
    this.protocols.set(socket, protocol);
    this.texts.set(socket, []);
    this.channels.set(socket, new Set());
  }
  refuse(socket: SocketId, refusal: Refusal): void {
    this.refusals.set(socket, refusal);
  }
  respond(socket: SocketId, headers: Readonly<Record<string, string>>, body: Uint8Array): void {
    this.responses.set(socket, { headers, body });
  }
  waitingBytes(): number {
    return 0;
  }
  join(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.add(channel);
  }
  leave(socket: SocketId, channel: number): void {
    this.channels.get(socket)!.delete(channel);
  }
  send(socket: SocketId, { bytes, isBinary }: Frame): void {
    if (isBinary) this.binaries.push(bytes);
    else this.texts.get(socket)!.push(Buffer.from(bytes).toString());
  }
  publish(frames: readonly FrameForChannel[]): void {
    for (const frame of frames) for (const [socket, channels] of this.channels) if (channels.has(frame.channel)) this.send(socket, frame);
  }
  end(socket: SocketId, code: number, reason: string): void {
    this.ends.set(socket, [code, reason]);
  }
  stats(): TransportStats {
    return { sockets: 0, queuedBytes: 0, openings: 0, framesSent: 0, bytesSent: 0, framesSkipped: 0, ended: {}, refused: {} };
  }
  async close(): Promise<void> {}

  /** What the transport does with a slow socket: it leaves its channels. */
  fallBehind(socket: SocketId): void {
    this.channels.get(socket)!.clear();
  }
  messages(socket: SocketId): Message[] {
    return this.texts.get(socket)!.map((text) => JSON.parse(text) as Message);
  }
}

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function hubOver(aircraft: number, tier: Tier = 'anonymous') {
  const view = await createTestView(aircraft);
  const lines: string[] = [];
  const transport = new RecordingTransport();
  const hub = new Hub({
    model: testModel(view),
    identify: (address, headers) =>
      headers['authorization'] === undefined ? identifyByAddress(address, headers) : { tier, principal: 'key' },
    tickMs: 1000,
    epoch: 'e',
    logger: pino({}, { write: (line: string) => lines.push(line) }),
    refusal: ({ code, message }, path) => ({ status: code === 'api.bad_value' ? 400 : 429, headers: {}, body: `${path} ${message}` }),
  });
  hub.attach(transport);
  cleanUps.push(() => hub.close());
  let sockets = 0;
  let nowMs = NOW_MS;
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    view,
    hub,
    transport,
    lines,
    settle,
    async open(url: string, more: Partial<Opening> = {}): Promise<SocketId> {
      sockets += 1;
      hub.opening({ socket: sockets, kind: 'websocket', address: '192.0.2.1', url, headers: {}, protocols: [], ...more });
      await settle();
      return sockets;
    },
    async say(socket: SocketId, message: unknown): Promise<void> {
      hub.message(socket, typeof message === 'string' ? message : JSON.stringify(message));
      await settle();
    },
    async tick(): Promise<void> {
      nowMs += 1000;
      view.clockMs = nowMs;
      view.tick(nowMs);
      await settle();
    },
  };
}

const NAMED = { protocols: ['aircraft.v2.json'] };

test('the default profile has one full and then a delta per tick, with numbers that grow by one, and nothing else', async () => {
  const { open, tick, say, transport, view } = await hubOver(5);
  const socket = await open('/ws/');
  await say(socket, 'anything');
  view.table.applyState({ ...fullState(2), groundSpeedDeciKt: 1234 });
  await tick();
  await tick();
  const [full, first, second] = transport.messages(socket) as [Message, Message, Message];
  expect(transport.protocols.get(socket)).toBeNull();
  expect(Object.keys(full)).toEqual(['type', 'seq', 'now', 'ac']);
  expect(Object.keys(first)).toEqual(['type', 'seq', 'now', 'new', 'update', 'remove']);
  expect([full.type, first.type, second.type]).toEqual(['full', 'delta', 'delta']);
  expect([first.seq, second.seq]).toEqual([full.seq + 1, full.seq + 2]);
  expect(full.ac.length).toBe(5);
  expect(first['update']).toMatchObject([{ hex: fullState(2).hex, gs: 123.4 }]);
  expect(second['update']).toEqual([]);
});

test('with lat and lon the stream is a zone of 250 nm; a wrong value is refused at the handshake', async () => {
  const { open, transport } = await hubOver(40);
  const { latitudeMicrodeg, longitudeMicrodeg, hex } = fullState(3);
  const near = await open(`/ws/?lat=${latitudeMicrodeg! / 1e6}&lon=${longitudeMicrodeg! / 1e6}`);
  const planes = transport.messages(near)[0]!.ac.map((plane) => plane.hex);
  expect(planes).toContain(hex);
  expect(planes.length).toBeLessThan(40);
  const wrong = await open('/ws/?lat=91&lon=0&token=secret');
  expect(transport.refusals.get(wrong)).toMatchObject({ status: 400 });
  expect(transport.refusals.get(wrong)!.body).toMatch(/^\/ws\/ lat cannot be/);
});

test('aircraft.v2.json: hello, subscribe with a new full on every change, ping, errors', async () => {
  const { open, say, transport } = await hubOver(5);
  const socket = await open('/v2/ws', NAMED);
  expect(transport.protocols.get(socket)).toBe('aircraft.v2.json');
  await say(socket, { type: 'ping', id: 7 });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex] } });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex, fullState(2).hex] } });
  const [hello, pong, one, two] = transport.messages(socket) as [Message, Message, Message, Message];
  expect(hello).toMatchObject({ type: 'hello', tier: 'anonymous', interval_ms: 1000 });
  expect(pong).toMatchObject({ type: 'pong', id: 7 });
  expect([one.ac.length, two.ac.length]).toEqual([1, 2]);
  expect(one['stream']).not.toBe(two['stream']);
  await say(socket, { type: 'subscribe', filter: { squawk: ['7700'] } });
  expect(transport.messages(socket).at(-1)).toMatchObject({ type: 'error', code: 'unknown-parameter' });
  expect(transport.ends.get(socket)).toMatchObject([1008, expect.stringContaining('squawks')]);
});

test('zones are one stream each; what stays subscribed gets no second full', async () => {
  const { open, say, transport } = await hubOver(100);
  const socket = await open('/v2/ws', NAMED);
  await say(socket, { type: 'subscribe', zones: ['50,0', '40,0'] });
  expect(transport.messages(socket).filter(({ type }) => type === 'full').length).toBe(2);
  await say(socket, { type: 'subscribe', zones: ['40,0', '40,10', '30,10'] });
  expect(transport.messages(socket).filter(({ type }) => type === 'full').length).toBe(4);
});

test('a client resumes with the frames that it missed, or is told that it cannot', async () => {
  const { open, say, tick, hub, transport } = await hubOver(3);
  const socket = await open('/v2/ws', NAMED);
  await say(socket, { type: 'subscribe', filter: {} });
  await tick();
  const { seq, stream } = transport.messages(socket).at(-1)! as Message & { stream: string };
  hub.closed(socket);
  await tick();
  await tick();
  const again = await open('/v2/ws', NAMED);
  await say(again, { type: 'resume', stream, seq });
  await tick();
  const missed = transport.messages(again).slice(1);
  expect(missed.map((frame) => [frame.type, frame.seq])).toEqual([1, 2, 3].map((n) => ['delta', seq + n]));
  const late = await open('/v2/ws', NAMED);
  await say(late, { type: 'resume', stream: 'other', seq: 1 });
  expect(transport.messages(late).at(-1)).toMatchObject({ type: 'error', code: 'not-resumable' });
  const events = await open('/v2/stream', { kind: 'events', headers: { 'last-event-id': `${stream}:${seq}` } });
  const texts = transport.texts.get(events)!;
  expect(texts.length).toBe(3);
  expect(texts[0]).toMatch(
    new RegExp(`^event: delta\\nid: ${stream}:${seq + 1}\\ndata: {"type":"delta","stream":"${stream}","seq":${seq + 1},.*}\\n\\n$`),
  );
});

test('a client that was behind gets a new full, in the v2 profile after a status', async () => {
  const { open, say, tick, hub, transport, settle } = await hubOver(3);
  const plain = await open('/ws/');
  const named = await open('/ws/', NAMED);
  await say(named, { type: 'subscribe' });
  for (const socket of [plain, named]) {
    transport.fallBehind(socket);
    hub.behind(socket);
  }
  await tick();
  for (const socket of [plain, named]) hub.drained(socket);
  await settle();
  await tick();
  expect(transport.messages(plain).map(({ type }) => type)).toEqual(['full', 'full', 'delta']);
  expect(transport.messages(named).map(({ type }) => type)).toEqual(['hello', 'full', 'status', 'full', 'delta']);
  const [, again, delta] = transport.messages(plain) as [Message, Message, Message];
  expect(delta.seq).toBe(again.seq + 1);
});

test('aircraft.v2.bin: the same streams as binary frames', async () => {
  const { open, say, tick, transport, view } = await hubOver(5);
  const socket = await open('/ws/', { protocols: ['aircraft.v2.bin'] });
  await say(socket, { type: 'subscribe' });
  view.table.applyState({ ...fullState(2), squawk: '7700' });
  view.table.remove(fullState(1).hex);
  await tick();
  const decoder = new AircraftDecoder();
  const model = new AircraftStreams();
  for (const bytes of transport.binaries) model.apply((await decoder.decode(bytes))!);
  expect(transport.protocols.get(socket)).toBe('aircraft.v2.bin');
  expect(transport.binaries.length).toBe(2);
  const { aircraft } = [...model.streams.values()][0]!;
  expect([...aircraft.keys()].sort()).toEqual([0, 2, 3, 4].map((n) => fullState(n).hex));
  expect(aircraft.get(fullState(2).hex)).toMatchObject({ squawk: '7700', flight: fullState(2).flight });
});

test('callers: the hook gets tokens of every kind, tiers have their interval and their number of connections, and no token is logged', async () => {
  const { open, hub, transport, lines } = await hubOver(3, 'free');
  const token = 'sqt_secret';
  const first = await open('/ws/', { protocols: ['aircraft.v2.json', `token.${token}`] });
  expect(transport.messages(first)[0]).toMatchObject({ type: 'hello', tier: 'free', interval_ms: 150_000 });
  const second = await open(`/ws/?token=${token}`);
  const third = await open('/ws/', { headers: { authorization: `Bearer ${token}` } });
  for (const socket of [second, third]) expect(transport.refusals.get(socket)).toMatchObject({ status: 429 });
  expect(Object.fromEntries(hub.refused)).toEqual({ 'push.too_many_connections': 2 });
  hub.closed(first);
  const fourth = await open(`/ws/?token=${token}`);
  expect(transport.protocols.has(fourth)).toBe(true);
  expect(JSON.stringify([...transport.refusals.values(), lines])).not.toContain(token);
});

test('without a snapshot, on another path, or without an upgrade, a connection is refused', async () => {
  const { open, transport, hub } = await hubOver(0);
  await open('/ws/');
  await open('/v2/all');
  await open('/ws/', { kind: 'events' });
  expect([...transport.refusals.keys()]).toEqual([1, 2, 3]);
  expect([...hub.refused.keys()]).toEqual(['api.no_snapshot', 'api.not_found', 'api.bad_request']);
});
