// Contract of the transport: clients that read slowly or not at all, and the end of the service.
import { afterEach, expect, test } from 'vitest';
import { pattern, Stand, type Subject, text, upgradeHeaders } from './transport-stand.ts';

/** More than a kernel takes for a client that does not read. */
const STALLING_TIMES = 40;
const MIB = 1024 * 1024;

export function budgetCases(subject: Subject): void {
  let stand: Stand;
  afterEach(() => stand.close());
  const frame = { channel: 1, bytes: pattern(MIB), isBinary: true };

  test.each(['websocket', 'events'])('a client over its budget is behind once, leaves its channels and drains: %s', async (kind) => {
    stand = await Stand.open(subject);
    const { transport } = stand;
    const slow = kind === 'websocket' ? await stand.webSocket() : await stand.eventStream();
    const fast = await stand.webSocket();
    for (const { socket } of [slow, fast]) for (const channel of [1, 2]) transport.join(socket, channel);
    slow.client.socket.pause();
    // The reader takes each frame before the next one, so that only the other is over its budget.
    for (let i = 0; i < STALLING_TIMES && stand.of('behind').length === 0; i++) {
      await transport.publish([frame]);
      await stand.settled(fast);
    }
    for (let i = 0; i < 3; i++) {
      await transport.publish([frame, { channel: 2, ...text('other') }]);
      await stand.settled(fast);
    }
    expect(stand.of('behind')).toEqual([{ type: 'behind', socket: slow.socket }]);
    expect(stand.of('drained')).toEqual([]);
    await stand.untilReported('the count', () => transport.stats().framesSkipped >= 1);
    const { framesSkipped, queuedBytes } = transport.stats();
    expect(framesSkipped).toBeLessThanOrEqual(2);
    expect(queuedBytes).toBeGreaterThan(MIB);
    expect(queuedBytes).toBeLessThanOrEqual(2 * MIB + 65_536);
    slow.client.socket.resume();
    await stand.untilReported('drained', () => stand.of('drained').length === 1);
    // It is a member again when it joins again.
    await transport.publish([frame]);
    transport.join(slow.socket, 2);
    await transport.publish([{ channel: 2, ...text('again') }]);
    const isThere = (): boolean => slow.client.received.subarray(-100).includes('again');
    await slow.client.until('the frame behind the gap', isThere);
    expect(slow.client.received.includes('other')).toBe(false);
    expect(stand.of('behind')).toHaveLength(1);
    await stand.untilReported('no queue', () => transport.stats().queuedBytes === 0);
  });

  test('a client that joins again while it is behind, and is over its budget again, is told again', async () => {
    stand = await Stand.open(subject);
    const { transport } = stand;
    const { client, socket } = await stand.webSocket();
    client.socket.pause();
    transport.join(socket, 1);
    await stand.publishUntil(frame, STALLING_TIMES, () => stand.of('behind').length === 1);
    transport.send(socket, text('a full'));
    transport.join(socket, 1);
    await stand.publishUntil(frame, STALLING_TIMES, () => stand.of('behind').length === 2);
    expect(stand.of('drained')).toEqual([]);
    client.socket.resume();
    await stand.untilReported('drained', () => stand.of('drained').length === 1);
    expect(stand.of('behind')).toHaveLength(2);
  });

  test('what is sent to one socket does not count for its budget', async () => {
    stand = await Stand.open(subject);
    const { transport } = stand;
    const { client, socket } = await stand.webSocket();
    client.socket.pause();
    transport.send(socket, { bytes: pattern(20 * MIB), isBinary: true });
    transport.join(socket, 1);
    const small = { channel: 1, bytes: pattern(300_000), isBinary: true };
    for (let i = 0; i < 4; i++) await transport.publish([small]);
    await stand.untilReported('the queue', () => transport.stats().queuedBytes > 4 * MIB);
    expect(stand.of('behind')).toEqual([]);
    await transport.publish([small, small]);
    await stand.untilReported('behind', () => stand.of('behind').length === 1);
    transport.send(socket, text('after the gap'));
    client.socket.resume();
    await client.until('the last message', ({ received }) => received.subarray(-20).includes('after the gap'));
    expect(client.messages.map(({ payload }) => payload.length)).toEqual([20 * MIB, ...Array<number>(4).fill(300_000), 13]);
    await stand.untilReported('drained', () => stand.of('drained').length === 1);
  });

  test.each(['websocket', 'events'])('reports when all is sent: at once, or when the client has read: %s', async (kind) => {
    stand = await Stand.open(subject);
    const idle = await (kind === 'websocket' ? stand.webSocket() : stand.eventStream());
    stand.transport.drain(idle.socket);
    await stand.untilReported('drained at once', () => stand.of('drained').length === 1);
    const slow = await (kind === 'websocket' ? stand.webSocket() : stand.eventStream());
    slow.client.socket.pause();
    stand.transport.send(slow.socket, { bytes: pattern(40_000_000), isBinary: true });
    stand.transport.drain(slow.socket);
    stand.transport.drain(slow.socket);
    stand.transport.drain(idle.socket);
    await stand.untilReported('the other', () => stand.of('drained').length === 2);
    expect(stand.of('drained').map((event) => 'socket' in event && event.socket)).toEqual([idle.socket, idle.socket]);
    slow.client.socket.resume();
    await stand.untilReported('drained', () => stand.of('drained').length > 2);
    expect(stand.of('behind')).toEqual([]);
    expect(stand.of('drained')).toHaveLength(3);
  });

  test('clients that stay behind, or read nothing of what was sent to them, are closed with 4408, and slow ones are not', async () => {
    // Longer than a busy machine lets the reading client wait.
    stand = await Stand.open(subject, { pushBehindMsMax: 2000 });
    const { transport } = stand;
    const [behind, stalled, reading] = [await stand.webSocket(), await stand.webSocket(), await stand.webSocket()];
    for (const { client } of [behind, stalled, reading]) client.socket.pause();
    transport.join(behind.socket, 1);
    await stand.publishUntil(frame, STALLING_TIMES, () => stand.of('behind').length > 0);
    for (const { socket } of [stalled, reading]) transport.send(socket, { bytes: pattern(20 * MIB), isBinary: true });
    // Slowly, and for longer than the limit.
    const steps = setInterval(() => reading.client.socket.resume().once('data', () => reading.client.socket.pause()), 10);
    for (const { socket } of [behind, stalled]) expect(await stand.closedCode(socket)).toBe(4408);
    clearInterval(steps);
    reading.client.socket.resume();
    await reading.client.until('the message', ({ messages }) => messages.length === 1);
    expect([stand.of('closed').length, stand.of('drained')]).toEqual([2, []]);
    await stand.untilReported('the count', () => transport.stats().ended[4408] === 2 && transport.stats().queuedBytes === 0);
  });
}

export function closeCases(subject: Subject): void {
  test('closes all sockets with 1001, also those that do not respond', async () => {
    const stand = await Stand.open(subject);
    const { transport } = stand;
    const polite = await stand.webSocket();
    const events = await stand.eventStream();
    const stalled = await stand.webSocket();
    stalled.client.socket.pause();
    transport.send(stalled.socket, { bytes: pattern(20 * MIB), isBinary: true });
    stand.onOpening = () => {};
    const waiting = stand.connect({ headers: upgradeHeaders });
    await stand.untilReported('the opening', () => stand.openings.length === 4);
    const closed = transport.close();
    await polite.client.until('a close frame', ({ closeFrame }) => closeFrame?.code === 1001);
    polite.client.frame(8, Buffer.from([3, 233]));
    await waiting.until('a response', ({ isEnded }) => isEnded);
    expect(waiting.status).toBe(503);
    await events.client.until('the end', ({ isEnded }) => isEnded);
    await closed;
    for (const { socket } of [polite, events, stalled]) expect(await stand.closedCode(socket)).toBe(1001);
    const late = stand.connect();
    await late.until('a refused connection', ({ isClosed }) => isClosed);
    expect(late.status).toBe(0);
    await stand.close();
  });
}
