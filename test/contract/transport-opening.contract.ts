// Contract of the transport: requests, their acceptance and refusal, addresses, and clients that never finish a request.
import { networkInterfaces } from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { RawClient, RawRequest } from '../support/raw-web-socket.ts';
import { until } from '../support/until.ts';
import { pattern, Stand, type Subject, text, upgradeHeaders } from './transport-stand.ts';

export function openingCases(subject: Subject): void {
  let stand: Stand;
  afterEach(() => stand.close());

  test('reports a request and opens the stream with a subprotocol', async () => {
    stand = await Stand.open(subject);
    stand.onOpening = ({ socket }) => stand.transport.accept(socket, 'aircraft.v2.json');
    const client = stand.connect({
      path: '/ws/?lat=1&token=a%20b',
      headers: {
        ...upgradeHeaders,
        'Sec-WebSocket-Protocol': 'aircraft.v2.bin, aircraft.v2.json',
        'Sec-WebSocket-Extensions': 'permessage-deflate',
        'X-Some': 'thing',
        Origin: 'https://elsewhere',
        // The transport has no secret, and ignores both headers.
        'X-Squitter-Hop': '',
        'X-Squitter-Address': '192.0.2.1',
      },
    });
    await client.until('an upgrade', ({ status }) => status === 101);
    expect(client.response!.head).toMatch(/sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i);
    expect(client.response!.head).toMatch(/sec-websocket-protocol: aircraft\.v2\.json(\r\n|$)/i);
    expect(client.response!.head).not.toMatch(/sec-websocket-extensions/i);
    expect(stand.openings).toMatchObject([
      {
        kind: 'websocket',
        address: '127.0.0.1',
        url: '/ws/?lat=1&token=a%20b',
        protocols: ['aircraft.v2.bin', 'aircraft.v2.json'],
        headers: { 'x-some': 'thing', origin: 'https://elsewhere' },
      },
    ]);
    expect(stand.transport.stats()).toMatchObject({ ended: {}, refused: {} });
  });

  test('opens an event stream, also where a client offers HTTP/2', async () => {
    stand = await Stand.open(subject);
    const plain = await stand.eventStream('/v2/stream?hex=abc');
    expect(plain.client.response!.head).toMatch(/content-type: text\/event-stream/i);
    expect(stand.openings[0]).toMatchObject({ kind: 'events', url: '/v2/stream?hex=abc', protocols: [], headers: {} });
    const offer = stand.connect({ headers: { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABk' } });
    await offer.until('an event stream', ({ status }) => status === 200);
    for (const { socket } of stand.openings) stand.transport.send(socket, text('data: 1\n\n'));
    for (const client of [plain.client, offer]) await client.until('the event', ({ events }) => events === 'data: 1\n\n');
  });

  test.each<[string, Record<string, string>]>([
    ['websocket', upgradeHeaders],
    ['events', {}],
    ['events of a client that keeps its connection', { Connection: 'keep-alive' }],
    // The HTTP port adds this header to each request that it hands over. The response to it must have `Connection: close`, too.
    ['events of a client that does not', { Connection: 'close' }],
  ])('refuses with status, headers and body, and says once that it closes: %s', async (_, headers) => {
    stand = await Stand.open(subject);
    const body = '{"code":"not-found","msg":"ünknown"}';
    stand.onOpening = ({ socket }) =>
      stand.transport.refuse(socket, { status: 429, headers: { 'Content-Type': 'application/problem+json', 'Retry-After': '7' }, body });
    const client = stand.connect({ headers });
    await client.until('the end of the connection', ({ isEnded }) => isEnded);
    expect(client.response!.head).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\n/);
    expect(client.response!.head).toMatch(/content-type: application\/problem\+json/i);
    expect(client.response!.head).toMatch(/retry-after: 7/i);
    expect(client.response!.head.match(/connection: close/gi)).toHaveLength(1);
    expect(client.response!.body.toString()).toBe(body);
    await stand.closedCode(stand.openings[0]!.socket);
    expect(stand.transport.stats().refused).toEqual({});
  });

  test.each<[number, string, RawRequest]>([
    [405, 'POST', { method: 'POST', headers: { 'Content-Length': '5' } }],
    [405, 'HEAD', { method: 'HEAD' }],
    [426, 'an old version', { headers: { ...upgradeHeaders, 'Sec-WebSocket-Version': '8' } }],
    [414, 'a long URL', { path: `/${'x'.repeat(9000)}` }],
  ])('refuses itself with %i: %s', async (status, _, request) => {
    stand = await Stand.open(subject);
    const client = await stand.connect(request).until('the end of the connection', ({ isEnded }) => isEnded);
    expect(client.status).toBe(status);
    expect(stand.reported).toEqual([]);
  });

  test('reports a client that leaves during its opening', async () => {
    stand = await Stand.open(subject);
    stand.onOpening = () => {};
    const leaving = [{ headers: upgradeHeaders }, {}, { headers: upgradeHeaders }, {}].map((request) => stand.connect(request));
    await stand.untilReported('four openings', () => stand.openings.length === 4);
    for (const client of leaving.slice(0, 2)) client.destroy();
    for (const client of leaving.slice(2)) client.socket.end();
    for (const { socket } of stand.openings) {
      expect(await stand.closedCode(socket)).toBe(1006);
      stand.transport.accept(socket, null);
      stand.transport.refuse(socket, { status: 404, headers: {}, body: '' });
    }
  });

  test('responds with a body that the client may take its time for, and then ends, as the end of an event stream, in valid HTTP', async () => {
    stand = await Stand.open(subject);
    const { transport } = stand;
    const body = pattern(3_000_000, 7);
    stand.onOpening = ({ socket, url }) => {
      if (url !== '/v2/stream') return transport.respond(socket, { 'Content-Type': 'application/octet-stream' }, body);
      transport.accept(socket, null);
      transport.send(socket, text('data: 1\n\n'));
      transport.end(socket, 1001, '');
    };
    const client = stand.connect({ path: '/v2/stream/snapshot' });
    await client.until('the head', ({ status }) => status === 200);
    client.socket.pause();
    // Longer than the end of a stream may take.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(client.isClosed).toBe(false);
    client.socket.resume();
    await client.until('the body', ({ response }) => response!.body.length >= body.length);
    expect(client.response!.head).toMatch(/content-type: application\/octet-stream/i);
    expect(client.response!.head).toMatch(/content-length: 3000000/i);
    expect(client.response!.head).toMatch(/connection: close/i);
    expect(client.response!.body.equals(body)).toBe(true);
    await stand.closedCode(stand.openings[0]!.socket);
    expect(transport.stats()).toMatchObject({ ended: {}, refused: {} });
    // Its parser is strict, unlike those of browsers.
    const read = async (path: string) => Buffer.from(await (await fetch(`http://127.0.0.1:${transport.port}${path}`)).arrayBuffer());
    expect((await read('/v2/stream/snapshot')).equals(body)).toBe(true);
    expect((await read('/v2/stream')).toString()).toMatch(/data: 1\n\n$/);
  });

  test('ends a response whose client takes none of it, without the end of its body', async () => {
    stand = await Stand.open(subject, { pushBehindMsMax: 300 });
    const body = pattern(30_000_000, 7);
    stand.onOpening = ({ socket }) => stand.transport.respond(socket, {}, body);
    const client = stand.connect({ path: '/v2/stream/snapshot' });
    client.socket.pause();
    await stand.closedCode(await until(() => stand.openings[0]?.socket, 'the request'));
    await stand.untilReported('the count', () => stand.transport.stats().ended[4408] === 1);
    client.socket.resume();
    await client.until('the end', ({ isEnded, isClosed }) => isEnded || isClosed);
    expect(client.content.length).toBeLessThan(body.length);
    expect(client.received.subarray(-5).toString()).not.toBe('0\r\n\r\n');
  });

  test('refuses with 503 and Retry-After when nobody decides, and over the limit of sockets; names an address in use', async () => {
    stand = await Stand.open(subject, { pushOpeningMsMax: 150 }, { socketsMax: 2 });
    const { onOpening } = stand;
    const refused = async (...clients: RawClient[]): Promise<void> => {
      for (const client of clients) {
        await client.until('a response', ({ isEnded }) => isEnded);
        expect(client.status).toBe(503);
        expect(client.response!.head).toMatch(/retry-after: \d/i);
      }
    };
    stand.onOpening = () => {};
    await refused(stand.connect({ headers: upgradeHeaders }), stand.connect());
    for (const { socket } of stand.openings) await stand.closedCode(socket);
    stand.onOpening = onOpening;
    const first = await stand.webSocket();
    await stand.eventStream();
    await refused(stand.connect({ headers: upgradeHeaders }));
    expect(stand.openings).toHaveLength(4);
    await stand.untilReported('the count', () => stand.transport.stats().refused[503] === 3);
    first.client.destroy();
    await stand.closedCode(first.socket);
    await stand.webSocket();
    const { transport } = stand;
    await stand.untilReported('the statistics', () => transport.stats().sockets === 2 && transport.stats().openings === 5);
    await expect(Stand.open(subject, {}, { port: transport.port })).rejects.toMatchObject({ code: 'listen.port_in_use' });
  });

  test('takes the address from the HTTP port only, and never passes its headers on', async () => {
    stand = await Stand.open(subject, {}, { hop: 'a secret' });
    const ask = (headers: Record<string, string>) =>
      stand.connect({ headers: { ...upgradeHeaders, ...headers } }).until('an upgrade', ({ status }) => status === 101);
    await ask({ 'X-Squitter-Hop': 'a secret', 'X-Squitter-Address': '2001:db8::7' });
    await ask({ 'X-Squitter-Hop': 'a secret', 'X-Squitter-Address': '::ffff:192.0.2.9' });
    await ask({ 'X-Squitter-Hop': 'wrong', 'X-Squitter-Address': '192.0.2.1' });
    await ask({ 'X-Squitter-Address': '192.0.2.1' });
    await ask({ 'X-Squitter-Hop': 'a secret', 'X-Squitter-Address': 'nonsense' });
    expect(stand.openings.map(({ address }) => address)).toEqual(['2001:db8::7', '192.0.2.9', '127.0.0.1', '127.0.0.1', '127.0.0.1']);
    expect(stand.openings.flatMap(({ headers }) => Object.keys(headers)).filter((name) => name.startsWith('x-squitter'))).toEqual([]);
  });

  const hasIpv6 = Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === '::1'));
  test.skipIf(!hasIpv6)('has plain addresses on a port of both families (skipped: there is no IPv6)', async () => {
    stand = await Stand.open(subject, {}, { host: '::' });
    await stand.connect({ host: '::1' }).until('a stream', ({ status }) => status === 200);
    await stand.connect({ host: '127.0.0.1' }).until('a stream', ({ status }) => status === 200);
    expect(stand.openings.map(({ address }) => address)).toEqual(['::1', '127.0.0.1']);
  });

  test('keeps what a client sends before it is accepted', async () => {
    stand = await Stand.open(subject);
    let accept = (): void => {};
    stand.onOpening = ({ socket }) => {
      accept = () => stand.transport.accept(socket, null);
    };
    const client = stand.connect({ headers: upgradeHeaders });
    await stand.untilReported('the opening', () => stand.openings.length === 1);
    client.text('early');
    await new Promise((resolve) => setTimeout(resolve, 30));
    accept();
    if (subject.differences.losesEarlyMessages) return;
    client.text('later');
    await stand.untilReported('both messages', () => stand.texts.length === 2);
    expect(stand.texts).toEqual(['early', 'later']);
  });
}

/** Sends requests that never become one, before the cases that follow. Returns a test for after them: uWebSockets.js ends these after 12 and 32 s. */
export function unfinishedRequests(subject: Subject): () => Promise<void> {
  const start = 'GET / HTTP/1.1\r\nHost: x\r\n';
  const malformed = ['\x16\x03\x01\x02\x00\x01\x00\x01\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n', `${start}X: ${'y'.repeat(40_000)}`];
  let stand: Stand;
  let clients: RawClient[] = [];
  let trickle: NodeJS.Timeout;
  beforeAll(async () => {
    stand = await Stand.open(subject, { pushHandshakeMsMax: 400 });
    clients = [...malformed, '', start].map((bytes) => stand.connect({ bytes }));
    trickle = setInterval(() => clients.at(-1)!.socket.write('A: b\r\n'), 100);
  });
  afterAll(() => {
    clearInterval(trickle);
    return stand.close();
  });
  return async () => {
    for (const client of clients) await client.until('the end of the connection', ({ isEnded, isClosed }) => isEnded || isClosed);
    for (const { status } of clients.slice(0, malformed.length))
      expect(status === 0 ? subject.differences.closesMalformedRequests : status >= 400).toBe(true);
    expect(stand.reported).toEqual([]);
    await stand.webSocket();
  };
}
