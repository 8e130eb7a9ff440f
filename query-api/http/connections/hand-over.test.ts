// Connections handed over to the push port: the request, pipelined ones, ends of either side, idle and stalled clients.
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { pipelined, RawClient, silentClient, untilMoreTaken } from '../../../test/support/raw-web-socket.ts';
import { until } from '../../../test/support/until.ts';
import { HandOver, isForStreams, rawRequests } from './hand-over.ts';
import { HttpGuard } from './http-guard.ts';

const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n';
const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** A push port that keeps the bytes of each connection. */
async function openPushPort(onConnection: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = [];
  const texts: string[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const i = sockets.push(socket) - 1;
    texts[i] = '';
    socket.on('error', () => {});
    socket.on('end', () => socket.end());
    socket.on('data', (bytes) => {
      texts[i] += bytes.toString('latin1');
    });
    onConnection(socket);
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, sockets, text: (i = 0) => texts[i] ?? '' };
}

async function openHttp(pushPort: number | null, { connectionsMax = 10, httpConnectionsMax = 100 } = {}) {
  const upstream = async () => ({ addresses: pushPort === null ? [] : [{ host: '127.0.0.1', port: pushPort }], hop: 'secret' });
  const handOver = new HandOver(connectionsMax, upstream);
  let aheadMs = 0;
  const guard = new HttpGuard({
    connectionsMax: httpConnectionsMax,
    nowMs: () => performance.now() + aheadMs,
  });
  const seen: string[] = [];
  const server = createHttpServer(
    { IncomingMessage: rawRequests(isForStreams) },
    guard.gate((request, response) => {
      let body = '';
      request.on('data', (bytes) => {
        body += bytes;
      });
      request.on('end', () => {
        seen.push(`${request.method} ${request.url}`);
        response.end(`seen ${request.url} ${body}`);
      });
    }),
  );
  guard.attach(server);
  const accepted: Socket[] = [];
  server.on('connection', (socket: Socket) => accepted.push(socket));
  server.on('upgrade', handOver.receive as (...event: unknown[]) => void);
  const port = await listening(server);
  onTestFinished(() => {
    guard.stop(0);
    server.close();
    guard.close();
  });
  const later = (ms: number): void => {
    aheadMs += ms;
    guard.sweep();
  };
  return { port, handOver, guard, accepted, seen, later };
}

/** A raw client until the end of the test. */
function client(port: number, bytes: string): RawClient {
  const opened = new RawClient(port).request({ bytes });
  onTestFinished(() => void opened.socket.destroy());
  return opened;
}

const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;

describe('the request', () => {
  it('reaches the push port as it came, without forged headers of the hop, the address in front; then both directions are raw', async () => {
    const push = await openPushPort();
    const { port, handOver } = await openHttp(push.port);
    const forged = ['X-Squitter-Hop', 'x-squitter-address', 'X-SQUITTER-ADDRESS'].map(
      (name) => `${name}: 203.0.113.9\r\n${name}: forged\r\n`,
    );
    const request = get('/ws/?lat=1&token=a%20b', `${UPGRADE}X-Twice: 1\r\n${forged.join('')}x-twice: 2\r\nX-Latin: \xe9\r\n`);
    const it = client(port, '');
    it.socket.write(Buffer.from(`${request}early`, 'latin1'));
    await until(() => push.text().endsWith('\r\n\r\n'));
    // Bytes that the client sends before its response come after it.
    push.sockets[0]!.write(SWITCH);
    await until(() => push.text().endsWith('early'));
    const lines = push.text().split('\r\n');
    expect(lines.slice(0, 3)).toEqual(['GET /ws/?lat=1&token=a%20b HTTP/1.1', 'x-squitter-hop: secret', 'x-squitter-address: 127.0.0.1']);
    expect(push.text()).toContain(
      '\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-Twice: 1\r\nx-twice: 2\r\nX-Latin: \xe9\r\n\r\nearly',
    );
    expect(push.text()).not.toMatch(/203\.0\.113\.9|forged/);
    expect(push.text().match(/x-squitter-\w+/gi)).toEqual(['x-squitter-hop', 'x-squitter-address']);
    it.socket.write(Buffer.from([1, 0, 0xff]));
    await until(() => push.text().endsWith('early\x01\x00\xff'));
    push.sockets[0]!.write(Buffer.from([0x81, 0, 0xff]));
    await until(() => it.latin1.endsWith('\x81\x00\xff'));
    expect(handOver).toMatchObject({ open: 1, total: 1, refused: { limit: 0, unavailable: 0, pipelined: 0 } });
  });

  it('by GET to the paths of streams is handed over, also without an upgrade', async () => {
    const push = await openPushPort();
    const { port, seen } = await openHttp(push.port);
    for (const [i, path] of ['/ws/', '/ws', '/v2/ws', '/v2/stream', '/v2/stream?hex=4b1234', '/v2/stream/snapshot'].entries()) {
      client(port, get(path));
      await until(() => push.text(i).startsWith(`GET ${path} HTTP/1.1\r\n`));
    }
    expect(seen).toEqual([]);
  });

  it('to other paths, or with other methods, is an ordinary one: also where the client offers an upgrade, and with its body', async () => {
    const { port, seen, handOver } = await openHttp(null);
    const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
    const it = client(port, '');
    for (const request of [
      get('/v2/all', offer),
      get('/ws/x', UPGRADE),
      get('/v2/streams'),
      `POST /ws/ HTTP/1.1\r\nHost: x\r\n${offer}Content-Length: 4\r\n\r\nbody`,
      get('/last'),
    ]) {
      const before = seen.length;
      it.socket.write(request);
      await until(() => seen.length > before);
    }
    await until(() => it.latin1.includes('seen /last'));
    expect(seen).toEqual(['GET /v2/all', 'GET /ws/x', 'GET /v2/streams', 'POST /ws/', 'GET /last']);
    expect(it.latin1).toContain('seen /ws/ body');
    expect(handOver.total).toBe(0);
  });
});

describe('what is pipelined', () => {
  it('behind an event stream goes nowhere, and too much of it ends the connection', async () => {
    const push = await openPushPort((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    const { port, seen } = await openHttp(push.port);
    const it = client(port, get('/v2/stream') + get('/v2/all', 'x-squitter-address: 203.0.113.9\r\n'));
    await until(() => it.latin1.includes('200 OK'));
    it.socket.write(get('/v2/all'));
    await sleep(50);
    expect(push.text().match(/GET /g)).toHaveLength(1);
    expect([seen, it.isOver]).toEqual([[], false]);
    it.socket.write('x'.repeat(limits.pushMessageBytesMax));
    await until(() => it.isOver && push.sockets[0]!.readableEnded);
  });

  it('behind an upgrade that is refused goes nowhere: it would be a request of the HTTP port itself, without the address of the client', async () => {
    // In two pieces, and it stays open.
    const push = await openPushPort((socket) => {
      socket.write('HTTP/1.1 ');
      setTimeout(() => socket.write('426 Upgrade Required\r\nContent-Length: 0\r\n\r\n'), 20);
    });
    const { port } = await openHttp(push.port);
    const it = client(port, get('/ws/', UPGRADE) + get('/v2/stream'));
    await until(() => it.latin1.includes('426'));
    it.socket.write(get('/v2/stream'));
    await sleep(50);
    expect([push.text().match(/GET /g), it.isOver]).toEqual([['GET '], false]);
  });

  it('in front of a stream ends the connection: its response would be mixed with the stream', async () => {
    const push = await openPushPort();
    const { port, handOver } = await openHttp(push.port);
    const it = client(port, pipelined(['/a', '/b']) + get('/ws/', UPGRADE));
    await until(() => it.isOver);
    expect(handOver.refused.pipelined).toBe(1);
    expect(push.sockets).toEqual([]);
  });
});

describe('ends', () => {
  it.each<[string, (client: Socket, push: Socket) => void]>([
    ['the client ends its half', (it) => it.end()],
    ['the client is gone', (it) => it.resetAndDestroy()],
    ['the push port ends', (_, push) => push.end('last words')],
    ['the push port is gone', (_, push) => push.resetAndDestroy()],
  ])('of either side reach the other: %s', async (name, end) => {
    const push = await openPushPort((socket) => socket.write(SWITCH));
    const { port, handOver } = await openHttp(push.port);
    // Each side keeps its half open until `end`.
    const it = client(port, get('/ws/', UPGRADE));
    await until(() => it.latin1.includes('101'));
    end(it.socket, push.sockets[0]!);
    await until(() => (name.startsWith('the client') ? push.sockets[0]!.readableEnded || push.sockets[0]!.destroyed : it.isOver));
    if (name === 'the push port ends') expect(it.latin1).toMatch(/last words$/);
    push.sockets[0]!.end();
    await until(() => handOver.open === 0, 'all let go', limits.halfClosedMsMax + 5000);
  });

  it('503 with Retry-After where there is no push port, or one that ends without a response', async () => {
    const dead = createServer();
    const deadPort = await listening(dead);
    await new Promise((resolve) => dead.close(resolve));
    const rude = await openPushPort((socket) => socket.end());
    for (const push of [null, deadPort, rude.port]) {
      const { port, handOver } = await openHttp(push);
      for (const request of [get('/ws/?token=hush', UPGRADE), get('/v2/stream?token=hush')]) {
        const it = client(port, request);
        await until(() => it.isOver, `the end with push port ${push}`);
        for (const part of [/^HTTP\/1\.1 503 /, /retry-after: 1\r\n/i, /access-control-allow-origin: \*\r\n/i, /"code":"unavailable"/])
          expect(it.latin1).toMatch(part);
        expect(it.latin1).not.toContain('hush');
        it.socket.end();
      }
      expect(handOver.refused.unavailable).toBe(2);
      await until(() => handOver.open === 0);
    }
  });
});

describe('the guard', () => {
  it('counts handed-over connections, never ends them for idleness, and never lets them give way', async () => {
    const push = await openPushPort((socket) => socket.write(SWITCH));
    const { port, guard, later } = await openHttp(push.port, { httpConnectionsMax: 2 });
    const streams = [client(port, get('/ws/', UPGRADE)), client(port, get('/v2/stream'))];
    await until(() => streams.every(({ latin1 }) => latin1.includes('101')));
    expect(guard.open).toBe(2);
    for (let i = 0; i < 10; i += 1) later(limits.responseStallMsMax);
    const third = client(port, get('/v2/all'));
    await until(() => third.isOver);
    expect(third.latin1).toMatch(/^HTTP\/1\.1 503 /);
    expect(streams.some(({ isOver }) => isOver)).toBe(false);
    expect(guard.ended).toEqual({ no_progress: 0, memory: 0, gave_way: 0, pipelined: 0, half_closed: 0, shutdown: 0 });
    guard.stop(0);
    await until(() => streams.every(({ isOver }) => isOver));
    expect(guard.ended.shutdown).toBeGreaterThanOrEqual(2);
  });

  it('a client that takes nothing is ended after a while, whether its stream has ended or not; one that reads slowly or rarely gets something stays', async () => {
    const push = await openPushPort((socket) => {
      socket.write(SWITCH);
      socket.once('data', (request) => {
        if (request.includes('X-Idle')) return;
        // Until the kernel takes no more; half of them then end.
        const piece = Buffer.alloc(1024 * 1024);
        for (let i = 0; i < 128; i += 1) socket.write(piece);
        if (push.sockets.indexOf(socket) % 2 === 0) socket.end();
      });
    });
    const { port, handOver, guard, accepted, later } = await openHttp(push.port);
    const idle = client(port, get('/v2/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\nX-Idle: 1\r\n'));
    const stalled = await Promise.all([0, 1].map(() => silentClient(port, { bytes: get('/ws/', UPGRADE) })));
    const slow = connect(port, '127.0.0.1', () => slow.write(get('/ws/', UPGRADE)));
    onTestFinished(() => {
      for (const socket of [...stalled, slow]) socket.destroy();
    });
    slow.on('data', () => {
      slow.pause();
      setTimeout(() => slow.resume(), 20);
    });
    await until(() => push.sockets.length === 4);
    const toSlow = accepted.find(({ remotePort }) => remotePort === slow.localPort)!;
    for (let step = 0; step < 6; step += 1) {
      await untilMoreTaken(toSlow);
      later((limits.pushBehindMsMax + limits.halfClosedMsMax) / 3);
    }
    await until(() => handOver.open === 2, 'the end of those that stand still');
    expect([guard.ended.no_progress, idle.isOver, slow.readableEnded]).toEqual([2, false, false]);
    await untilMoreTaken(toSlow);
  });
});
