// The hub's protocol, with a transport that only records: handshakes, profiles, control frames, slow clients, refusals.
import { afterEach, expect, test } from 'vitest';
import { unlimitedAccess } from '../../query-api/access/access.ts';
import { plainCaller } from '../../query-api/access/caller.ts';
import { QueryError } from '../../query-api/queries/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { SNAPSHOT_PATH } from '../../schemas/push.ts';
import { fullState } from '../../test/support/full-state.ts';
import { RecordingHub } from '../../test/support/recording-hub.ts';
import { World } from '../../test/support/world.ts';
import { AircraftDecoder } from '../codec/decoder.ts';
import { AircraftStreams } from '../codec/model.ts';
import type { SocketId } from '../transport/transport.ts';

type Message = Record<string, unknown> & { type: string; seq: number; stream: string; ac: { hex: string }[] };

const NAMED = { protocols: ['aircraft.v2.json'] };
let hub: RecordingHub;
afterEach(() => hub.close());

const messagesOf = (socket: SocketId): Message[] => hub.texts(socket).map((text) => JSON.parse(text) as Message);

async function open(aircraft: number, access = unlimitedAccess): Promise<void> {
  const world = await World.create();
  for (let n = 0; n < aircraft; n += 1) world.do({ kind: 'state', n, empty: false });
  if (aircraft > 0) world.tick();
  hub = new RecordingHub(world, {}, access);
}

test('the default profile has one full and then a delta per tick, with numbers that grow by one, and nothing else; a wrong value is refused', async () => {
  await open(5);
  const socket = await hub.open('/ws/');
  await hub.say(socket, 'anything');
  hub.world.view.table.applyState({ ...fullState(2), groundSpeedDeciKt: 1234 });
  await hub.tick();
  await hub.tick();
  const [full, first, second] = messagesOf(socket) as [Message, Message, Message];
  expect(hub.of(socket).protocol).toBeNull();
  expect(Object.keys(full)).toEqual(['type', 'seq', 'now', 'ac']);
  expect(Object.keys(first)).toEqual(['type', 'seq', 'now', 'new', 'update', 'remove']);
  expect([full.type, first.type, second.type]).toEqual(['full', 'delta', 'delta']);
  expect([first.seq, second.seq]).toEqual([full.seq + 1, full.seq + 2]);
  expect(full.ac.length).toBe(5);
  expect(first['update']).toMatchObject([{ hex: fullState(2).hex, gs: 123.4 }]);
  expect(second['update']).toEqual([]);
  hub.close();

  // With lat and lon the stream is a zone of 250 nm.
  await open(12);
  const { latitudeMicrodeg, longitudeMicrodeg, hex } = fullState(3);
  const near = await hub.open(`/ws/?lat=${latitudeMicrodeg! / 1e6}&lon=${longitudeMicrodeg! / 1e6}`);
  const planes = messagesOf(near)[0]!.ac.map((plane) => plane.hex);
  expect(planes).toContain(hex);
  expect(planes.length).toBeLessThan(12);
  const wrong = await hub.open('/ws/?lat=91&lon=0&token=secret');
  expect(hub.refusal(wrong)).toMatchObject({ status: 400 });
  expect(hub.refusal(wrong)!.body).toMatch(/"detail":"lat cannot be .*"instance":"\/ws\/"/);
});

test('aircraft.v2.json: hello, subscribe with a new full on every change, ping, errors; messages that come too fast end it', async () => {
  await open(5);
  const socket = await hub.open('/v2/ws', NAMED);
  expect(hub.of(socket).protocol).toBe('aircraft.v2.json');
  await hub.say(socket, { type: 'ping', id: 7 });
  await hub.say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex] } });
  await hub.say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex, fullState(2).hex] } });
  const [hello, pong, one, two] = messagesOf(socket) as [Message, Message, Message, Message];
  expect(hello).toMatchObject({ type: 'hello', tier: 'anonymous', interval_ms: 1000 });
  expect(pong).toMatchObject({ type: 'pong', id: 7 });
  expect([one.ac.length, two.ac.length]).toEqual([1, 2]);
  expect(one.stream).not.toBe(two.stream);
  await hub.say(socket, { type: 'subscribe', filter: { squawk: ['7700'] } });
  expect(messagesOf(socket).at(-1)).toMatchObject({ type: 'error', code: 'unknown-parameter' });
  expect(hub.end(socket)).toMatchObject([1008, expect.stringContaining('squawks')]);
  const fast = await hub.open('/ws/', NAMED);
  for (let n = 0; n <= limits.pushWaitingMax; n += 1) hub.hub.message(fast, '{"type":"ping"}');
  expect(hub.end(fast)).toMatchObject([1008, expect.stringContaining('too many messages')]);
});

test('a client resumes with the frames that it missed for a minute, or learns that it cannot', async () => {
  await open(3);
  const socket = await hub.open('/v2/ws', NAMED);
  await hub.say(socket, { type: 'subscribe', filter: {} });
  await hub.tick();
  const { seq, stream } = messagesOf(socket).at(-1)!;
  hub.hub.closed(socket);
  await hub.tick();
  await hub.tick();
  const again = await hub.open('/v2/ws', NAMED);
  await hub.say(again, { type: 'resume', stream, seq });
  await hub.tick();
  const missed = messagesOf(again).slice(1);
  expect(missed.map((frame) => [frame.type, frame.seq])).toEqual([1, 2, 3].map((n) => ['delta', seq + n]));
  const events = await hub.open('/v2/stream', { kind: 'events', headers: { 'last-event-id': `${stream}:${seq}` } });
  expect(hub.texts(events).length).toBe(3);
  const event = `^event: delta\\nid: ${stream}:${seq + 1}\\ndata: {"type":"delta","stream":"${stream}","seq":${seq + 1},.*}\\n\\n$`;
  expect(hub.texts(events)[0]).toMatch(new RegExp(event));
  for (let n = 0; n < 62; n += 1) await hub.tick();
  for (const resume of [
    { stream, seq },
    { stream: 'other', seq: 1 },
  ]) {
    const late = await hub.open('/v2/ws', NAMED);
    await hub.say(late, { type: 'resume', ...resume });
    expect(messagesOf(late).at(-1)).toMatchObject({ type: 'error', code: 'not-resumable' });
  }
});

test('a binary full comes over HTTP, too, and its client connects to what changed since', async () => {
  await open(5);
  const request = await hub.open(`${SNAPSHOT_PATH}?min_altitude=1`, { kind: 'events' });
  const { headers, body } = hub.of(request).response!;
  expect(headers).toMatchObject({ 'content-type': 'application/octet-stream', 'access-control-allow-origin': '*' });
  hub.world.view.table.applyState({ ...fullState(2), squawk: '7700' });
  await hub.tick();
  const decoder = new AircraftDecoder();
  const model = new AircraftStreams();
  model.apply((await decoder.decode(body))!);
  const socket = await hub.open(`/v2/ws?stream=${decoder.stream}&seq=${decoder.seq}`, { protocols: ['aircraft.v2.bin'] });
  await hub.tick();
  expect(messagesOf(socket)).toMatchObject([{ type: 'hello', snapshot_url: SNAPSHOT_PATH }]);
  const binaries = hub.frames(socket).filter(({ isBinary }) => isBinary);
  for (const { bytes } of binaries) model.apply((await decoder.decode(bytes))!);
  expect(binaries.length).toBe(2);
  expect([...model.streams.values()][0]!.aircraft.get(fullState(2).hex)).toMatchObject({ squawk: '7700' });
  // Another process, or too late.
  const elsewhere = await hub.open('/v2/ws?stream=other&seq=7', { protocols: ['aircraft.v2.bin'] });
  expect(messagesOf(elsewhere).at(-1)).toMatchObject({ type: 'error', code: 'not-resumable' });
  const wrong = await hub.open(`${SNAPSHOT_PATH}?min_altitude=x`, { kind: 'events' });
  expect(hub.refusal(wrong)).toMatchObject({ status: 400 });
});

test('a client that was behind has a status and a full; one that asks and does not read has one full queued, then what it asked for last', async () => {
  await open(5);
  const slow = await hub.open('/ws/', NAMED);
  await hub.say(slow, { type: 'subscribe' });
  await hub.stall(slow);
  await hub.tick();
  expect(messagesOf(slow).map(({ type }) => type)).toEqual(['hello', 'full', 'status', 'full', 'delta']);
  const socket = await hub.open('/ws/', NAMED);
  await hub.say(socket, { type: 'subscribe' });
  hub.onDrained = () => {};
  for (let n = 0; n < 10; n += 1) await hub.say(socket, { type: 'subscribe', filter: { hex: [fullState(n % 5).hex] } });
  await hub.say(socket, { type: 'resume', stream: 'other', seq: 1 });
  await hub.say(socket, { type: 'subscribe', filter: { hex: [fullState(2).hex] } });
  expect(messagesOf(socket).map(({ type }) => type)).toEqual(['hello', 'full']);
  hub.hub.drained(socket);
  await hub.settle();
  const messages = messagesOf(socket);
  expect(messages.map(({ type }) => type)).toEqual(['hello', 'full', 'full']);
  expect(messages.at(-1)!.ac).toMatchObject([{ hex: fullState(2).hex }]);
});

test('a filter without room is refused, and its client may come again', async () => {
  await open(5);
  const socket = await hub.open('/v2/ws', NAMED);
  const sameFilter = { type: 'subscribe', filter: { hex: [fullState(2).hex] } };
  await hub.say(await hub.open('/v2/ws', NAMED), sameFilter);
  Object.defineProperty(hub.hub.classes.normal.topics, 'size', { value: limits.pushTopicsMax });
  // A filter that others have needs no room.
  await hub.say(socket, sameFilter);
  expect(messagesOf(socket).at(-1)).toMatchObject({ type: 'full' });
  await hub.say(socket, { type: 'subscribe', filter: { hex: [fullState(1).hex] } });
  expect(messagesOf(socket).at(-1)).toMatchObject({ type: 'error', code: 'too-many-filters' });
  expect(hub.end(socket)).toMatchObject([1013, expect.stringContaining('filters are in use')]);
  const snapshot = await hub.open(SNAPSHOT_PATH, { kind: 'events' });
  expect(hub.refusal(snapshot)).toMatchObject({ headers: { 'retry-after': '60' } });
});

test('tokens of every kind are those of the caller, and its number of connections is limited', async () => {
  let free = 1;
  const close = () => {
    free += 1;
  };
  await open(3, {
    ...unlimitedAccess,
    identify: (address, headers) => (headers['authorization'] === 'Bearer t' ? plainCaller('key', 'free') : plainCaller(address)),
    open(caller) {
      if (free === 0) throw new QueryError('access.too_many_sockets', { limit: 1, hint: '' });
      free -= 1;
      return { caller, close };
    },
  });
  const first = await hub.open('/ws/', { protocols: ['aircraft.v2.json', 'token.t'] });
  expect(messagesOf(first)[0]).toMatchObject({ type: 'hello', tier: 'free', interval_ms: 150_000 });
  for (const again of [await hub.open('/ws/?token=t'), await hub.open('/ws/', { headers: { authorization: 'Bearer t' } })])
    expect(hub.refusal(again)).toMatchObject({ status: 429 });
  expect(Object.fromEntries(hub.hub.refused)).toEqual({ 'access.too_many_sockets': 2 });
  hub.hub.closed(first);
  expect(hub.of(await hub.open('/ws/?token=t')).protocol).toBeNull();
});

test('a connection is refused without data, with data that are 60 s old, on another path and without an upgrade', async () => {
  await open(0);
  await hub.open('/ws/');
  await hub.open('/v2/all');
  await hub.open('/ws/', { kind: 'events' });
  expect([...hub.hub.refused.keys()]).toEqual(['api.no_snapshot', 'api.not_found', 'api.bad_request']);
  hub.world.do({ kind: 'state', n: 0, empty: false });
  await hub.tick();
  const subscribed = await hub.open('/ws/');
  hub.world.view.clockMs += limits.snapshotAgeMsMax + 1;
  const late = await hub.open('/ws/');
  expect([hub.end(subscribed), hub.refusal(subscribed), hub.refusal(late)]).toMatchObject([null, null, { status: 503 }]);
});
