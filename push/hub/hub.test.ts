// The hub's protocol, with a transport that only records: handshakes, profiles, control frames, slow clients, limits of callers.

import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { plainCaller } from '../../query-api/access/caller.ts';
import { problem } from '../../query-api/http/errors/problems.ts';
import { QueryError } from '../../query-api/queries/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { SNAPSHOT_PATH } from '../../schemas/push.ts';
import type { Tier } from '../../schemas/tiers.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView, testModel } from '../../test/support/live-view.ts';
import { RecordingTransport } from '../../test/support/recording-transport.ts';
import { AircraftDecoder } from '../codec/decoder.ts';
import { AircraftStreams } from '../codec/model.ts';
import type { Opening, SocketId } from '../transport/transport.ts';
import { Hub } from './hub.ts';

type Message = Record<string, unknown> & { type: string; seq: number; ac: { hex: string }[] };

const messagesOf = (transport: RecordingTransport, socket: SocketId): Message[] =>
  transport.texts.get(socket)!.map((text) => JSON.parse(text) as Message);

const cleanUps: (() => void)[] = [];
afterEach(() => {
  for (const cleanUp of cleanUps.splice(0)) cleanUp();
});

async function hubOver(aircraft: number, tier: Tier = 'anonymous') {
  const view = await createTestView(aircraft);
  const lines: string[] = [];
  let opened = 0;
  const transport = new RecordingTransport();
  const hub = new Hub({
    model: testModel(view),
    access: {
      ...unlimitedAccess,
      identify: (address, headers) => (headers['authorization'] === undefined ? plainCaller(address) : plainCaller('key', tier)),
      open(caller) {
        if (caller.tier !== 'anonymous' && opened >= 1) throw new QueryError('access.too_many_sockets', { limit: 1, hint: '' });
        opened += 1;
        return {
          caller,
          close() {
            opened -= 1;
          },
        };
      },
    },
    ...{ tickMs: 1000, pageTickMs: 1000, pageEgress: Number.POSITIVE_INFINITY },
    epoch: 'e',
    logger: pino({}, { write: (line: string) => lines.push(line) }),
    refusal: (error, path) => problem(error, path, 'test'),
  });
  hub.attach(transport);
  transport.onDrained = (socket) => hub.drained(socket);
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
  const [full, first, second] = messagesOf(transport, socket) as [Message, Message, Message];
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
  const planes = messagesOf(transport, near)[0]!.ac.map((plane) => plane.hex);
  expect(planes).toContain(hex);
  expect(planes.length).toBeLessThan(40);
  const wrong = await open('/ws/?lat=91&lon=0&token=secret');
  expect(transport.refusals.get(wrong)).toMatchObject({ status: 400 });
  expect(transport.refusals.get(wrong)!.body).toMatch(/"detail":"lat cannot be .*"instance":"\/ws\/"/);
});

test('aircraft.v2.json: hello, subscribe with a new full on every change, ping, errors', async () => {
  const { open, say, transport } = await hubOver(5);
  const socket = await open('/v2/ws', NAMED);
  expect(transport.protocols.get(socket)).toBe('aircraft.v2.json');
  await say(socket, { type: 'ping', id: 7 });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex] } });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex, fullState(2).hex] } });
  const [hello, pong, one, two] = messagesOf(transport, socket) as [Message, Message, Message, Message];
  expect(hello).toMatchObject({ type: 'hello', tier: 'anonymous', interval_ms: 1000 });
  expect(pong).toMatchObject({ type: 'pong', id: 7 });
  expect([one.ac.length, two.ac.length]).toEqual([1, 2]);
  expect(one['stream']).not.toBe(two['stream']);
  await say(socket, { type: 'subscribe', filter: { squawk: ['7700'] } });
  expect(messagesOf(transport, socket).at(-1)).toMatchObject({ type: 'error', code: 'unknown-parameter' });
  expect(transport.ends.get(socket)).toMatchObject([1008, expect.stringContaining('squawks')]);
});

test('a client resumes with the frames that it missed, or is told that it cannot', async () => {
  const { open, say, tick, hub, transport } = await hubOver(3);
  const socket = await open('/v2/ws', NAMED);
  await say(socket, { type: 'subscribe', filter: {} });
  await tick();
  const { seq, stream } = messagesOf(transport, socket).at(-1)! as Message & { stream: string };
  hub.closed(socket);
  await tick();
  await tick();
  const again = await open('/v2/ws', NAMED);
  await say(again, { type: 'resume', stream, seq });
  await tick();
  const missed = messagesOf(transport, again).slice(1);
  expect(missed.map((frame) => [frame.type, frame.seq])).toEqual([1, 2, 3].map((n) => ['delta', seq + n]));
  const events = await open('/v2/stream', { kind: 'events', headers: { 'last-event-id': `${stream}:${seq}` } });
  const texts = transport.texts.get(events)!;
  expect(texts.length).toBe(3);
  expect(texts[0]).toMatch(
    new RegExp(`^event: delta\\nid: ${stream}:${seq + 1}\\ndata: {"type":"delta","stream":"${stream}","seq":${seq + 1},.*}\\n\\n$`),
  );
  // Frames are kept for a minute.
  for (let n = 0; n < 62; n += 1) await tick();
  for (const resume of [
    { stream, seq },
    { stream: 'other', seq: 1 },
  ]) {
    const late = await open('/v2/ws', NAMED);
    await say(late, { type: 'resume', ...resume });
    expect(messagesOf(transport, late).at(-1)).toMatchObject({ type: 'error', code: 'not-resumable' });
  }
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
  expect(messagesOf(transport, plain).map(({ type }) => type)).toEqual(['full', 'full', 'delta']);
  expect(messagesOf(transport, named).map(({ type }) => type)).toEqual(['hello', 'full', 'status', 'full', 'delta']);
  const [, again, delta] = messagesOf(transport, plain) as [Message, Message, Message];
  expect(delta.seq).toBe(again.seq + 1);
});

test('a binary full comes over HTTP, too, and its client connects to what changed since', async () => {
  const { open, tick, transport, view } = await hubOver(5);
  const request = await open('/v2/stream/snapshot?min_altitude=1', { kind: 'events' });
  const { headers, body } = transport.responses.get(request)!;
  expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'access-control-allow-origin': '*' });
  view.table.applyState({ ...fullState(2), squawk: '7700' });
  await tick();
  const decoder = new AircraftDecoder();
  const model = new AircraftStreams();
  model.apply((await decoder.decode(body))!);
  const socket = await open(`/v2/ws?stream=${decoder.stream}&seq=${decoder.seq}`, { protocols: ['aircraft.v2.bin'] });
  await tick();
  expect(messagesOf(transport, socket)).toMatchObject([{ type: 'hello', snapshot_url: '/v2/stream/snapshot' }]);
  for (const bytes of transport.binaries) model.apply((await decoder.decode(bytes))!);
  expect(transport.binaries.length).toBe(2);
  expect([...model.streams.values()][0]!.aircraft.get(fullState(2).hex)).toMatchObject({ squawk: '7700' });
  // Another process, or too late.
  const elsewhere = await open('/v2/ws?stream=other&seq=7', { protocols: ['aircraft.v2.bin'] });
  expect(messagesOf(transport, elsewhere).at(-1)).toMatchObject({ type: 'error', code: 'not-resumable' });
  const wrong = await open('/v2/stream/snapshot?min_altitude=x', { kind: 'events' });
  expect(transport.refusals.get(wrong)).toMatchObject({ status: 400 });
});

test('a client that asks and does not read has one full queued, not one for each request; then it has what it asked for last', async () => {
  const { open, say, hub, transport, settle } = await hubOver(5);
  const socket = await open('/ws/', NAMED);
  await say(socket, { type: 'subscribe' });
  transport.onDrained = () => {};
  for (let n = 0; n < 10; n += 1) await say(socket, { type: 'subscribe', filter: { hex: [fullState(n % 5).hex] } });
  await say(socket, { type: 'resume', stream: 'other', seq: 1 });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(2).hex] } });
  expect(messagesOf(transport, socket).map(({ type }) => type)).toEqual(['hello', 'full']);
  hub.drained(socket);
  await settle();
  const messages = messagesOf(transport, socket);
  expect(messages.map(({ type }) => type)).toEqual(['hello', 'full', 'full']);
  expect(messages.at(-1)!.ac).toMatchObject([{ hex: fullState(2).hex }]);
});

test('a client whose messages come faster than they are handled is closed', async () => {
  const { open, hub, transport } = await hubOver(5);
  const socket = await open('/ws/', NAMED);
  for (let n = 0; n <= limits.pushWaitingMax; n += 1) hub.message(socket, '{"type":"ping"}');
  expect(transport.ends.get(socket)).toMatchObject([1008, expect.stringContaining('too many messages')]);
});

test('a filter without room is refused, and its client may come again', async () => {
  const { open, say, hub, transport } = await hubOver(5);
  const socket = await open('/v2/ws', NAMED);
  Object.defineProperty(hub.classes.normal.topics, 'size', { value: limits.pushTopicsMax });
  await say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex] } });
  expect(messagesOf(transport, socket).at(-1)).toMatchObject({ type: 'error', code: 'too-many-filters' });
  expect(transport.ends.get(socket)).toMatchObject([1013, expect.stringContaining('filters are in use')]);
  const snapshot = await open(SNAPSHOT_PATH, { kind: 'events' });
  expect(transport.refusals.get(snapshot)).toMatchObject({ headers: { 'retry-after': '60' } });
});

test('callers: the hook gets tokens of every kind, tiers have their interval and their number of connections, and no token is logged', async () => {
  const { open, hub, transport, lines } = await hubOver(3, 'free');
  const token = 'sqt_secret';
  const first = await open('/ws/', { protocols: ['aircraft.v2.json', `token.${token}`] });
  expect(messagesOf(transport, first)[0]).toMatchObject({ type: 'hello', tier: 'free', interval_ms: 150_000 });
  const second = await open(`/ws/?token=${token}`);
  const third = await open('/ws/', { headers: { authorization: `Bearer ${token}` } });
  for (const socket of [second, third]) expect(transport.refusals.get(socket)).toMatchObject({ status: 429 });
  expect(Object.fromEntries(hub.refused)).toEqual({ 'access.too_many_sockets': 2 });
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
