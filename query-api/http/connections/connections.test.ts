// The guard over plain servers of Node: turns of pipelined requests, memory, idle connections that give way, connections that stand still.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { limits } from '../../../schemas/limits/index.ts';
import { pipelined, RawClient, silentClient } from '../../../test/support/raw-web-socket.ts';
import { until } from '../../../test/support/until.ts';
import { HttpGuard } from './http-guard.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, guard: HttpGuard) => void;

async function serve(handle: Handle, options: ConstructorParameters<typeof HttpGuard>[0] = {}) {
  let aheadMs = 0;
  const guard = new HttpGuard({ nowMs: () => performance.now() + aheadMs, ...options });
  const server = createServer(guard.gate((request, response) => handle(request, response, guard)));
  guard.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          guard.close();
          resolve();
        });
        guard.stop(0);
      }),
  );
  const later = (ms: number): void => {
    aheadMs += ms;
    guard.sweep();
  };
  return { guard, port, later, server };
}

async function client(port: number, bytes = ''): Promise<Socket> {
  const socket = await silentClient(port, { bytes });
  onTestFinished(() => void socket.destroy());
  return socket;
}

const paths = (length: number) => Array.from({ length }, (_, i) => `/${i}`);

/** Ends the response as the API does. */
function respond(response: ServerResponse, body: Buffer | string, guard: HttpGuard): void {
  response.setHeader('content-length', body.length);
  guard.memory.made(response, body);
  response.end(body);
}

it('pipelined requests end the connection that has too many while there is no room for more', async () => {
  const { guard, port } = await serve(() => {});
  const crowd = Math.ceil(limits.pipelinedRequestsMax / 1000) + 1;
  for (let i = 0; i < crowd; i += 1) await client(port, pipelined(paths(1000)));
  await until(() => guard.ended.pipelined > 0);
  await until(() => guard.open + guard.ended.pipelined === crowd);
});

describe('memory', () => {
  it('counts a block that several responses share once, and nothing of what is sent', async () => {
    const shared = Buffer.alloc(16 * 1024 * 1024);
    const { guard, port } = await serve((_request, response) => respond(response, shared, guard));
    const sockets = [await client(port, pipelined(['/'])), await client(port, pipelined(['/'])), await client(port, pipelined(['/']))];
    await until(() => guard.memory.count() > 0);
    expect(guard.memory.count()).toBe(shared.length);
    for (const socket of sockets) socket.resume();
    await until(() => guard.memory.count() === 0);
  });

  it('is refused beyond its limit, and slow clients give way', async () => {
    const refused: string[] = [];
    const { guard, port, later } = await serve(({ url }, response) => {
      try {
        guard.memory.admit();
      } catch (error) {
        refused.push((error as { code: string }).code);
        respond(response, '', guard);
        return;
      }
      respond(response, Buffer.alloc(url === '/small' ? 10 : 12 * 1024 * 1024), guard);
    });
    const sockets: Socket[] = [];
    for (let i = 0; i < 8; i += 1) sockets.push(await client(port, pipelined(['/'])));
    await until(() => refused.length > 0);
    expect(new Set(refused)).toEqual(new Set(['api.overloaded']));
    expect(guard.memory.refused).toBe(refused.length);
    expect(() => guard.memory.admit(true)).toThrow();
    expect(guard.memory.count()).toBeLessThanOrEqual(limits.responseBytesMax + 12 * 1024 * 1024);
    later(0);
    expect(guard.ended.memory).toBe(0);
    later(limits.responseStallMsPressed);
    expect(guard.ended.memory).toBeGreaterThan(0);
    // Half of it: enough for everyone again.
    expect(guard.memory.count()).toBeLessThanOrEqual(limits.responseBytesScarceRatio * limits.responseBytesMax);
    guard.memory.admit(true);
    // Those that hold nothing stay.
    expect(guard.open).toBe(8 - guard.ended.memory);
  });
});

describe('connections', () => {
  it('end after a write that made no progress, not while it makes some, and not while a request is at work', async () => {
    const { guard, port, later } = await serve(({ url }, response) => {
      if (url !== '/never') respond(response, Buffer.alloc(16 * 1024 * 1024), guard);
    });
    const stalled = await client(port, pipelined(['/']));
    const slow = await client(port, pipelined(['/']));
    await client(port, pipelined(['/never']));
    await until(() => guard.memory.count() === 32 * 1024 * 1024);
    await sleep(50);
    later(1);
    for (let step = 0; step < 3; step += 1) {
      const enough = Math.min(16 * 1024 * 1024, slow.bytesRead + 4 * 1024 * 1024);
      slow.resume();
      await until(() => slow.bytesRead >= enough);
      slow.pause();
      await sleep(30);
      later(limits.responseStallMsMax / 2 + 1);
    }
    expect(guard.ended.no_progress).toBe(1);
    expect([stalled.destroyed, guard.open]).toEqual([false, 2]);
  });

  it('give way while they are idle, and are refused with a 503 while all are busy', async () => {
    const { guard, port, later } = await serve(
      ({ url }, response) => {
        if (url !== '/never') respond(response, 'ok', guard);
      },
      { connectionsMax: 3 },
    );
    for (let i = 0; i < 3; i += 1) await client(port);
    await until(() => guard.open === 3);
    const ask = async (): Promise<string> => {
      const client = new RawClient(port).request({ headers: { Connection: 'close' } });
      await until(() => client.isOver);
      client.socket.destroy();
      return client.latin1;
    };
    // None has been idle for long enough.
    expect(await ask()).toMatch(/^HTTP\/1\.1 503 .*retry-after: 1.*"code":"too-many-connections"/is);
    later(limits.idleGivesWayMs);
    expect(await ask()).toMatch(/^HTTP\/1\.1 200/);
    expect(guard.ended.gave_way).toBe(1);
    for (let i = 0; i < 3; i += 1) await client(port, pipelined(['/never']));
    await sleep(50);
    later(limits.idleGivesWayMs);
    expect(await ask()).toMatch(/^HTTP\/1\.1 503/);
    expect(guard.refused.connections).toBeGreaterThan(1);
  });

  it('that are refused and silent do not stay, and only a few may wait', async () => {
    const { guard, port, later } = await serve(() => {}, { connectionsMax: 1 });
    await client(port, pipelined(['/']));
    await until(() => guard.open === 1);
    for (let i = 0; i < limits.httpConnectionsRefusing + 10; i += 1) await client(port);
    await until(() => guard.refused.connections === limits.httpConnectionsRefusing + 10);
    expect(guard.open).toBe(1 + limits.httpConnectionsRefusing);
    later(limits.halfClosedMsMax);
    await until(() => guard.open === 1);
  });

  it('a failure to accept is counted and ends nothing', async () => {
    const { guard, server } = await serve(() => {});
    server.emit('error', new Error('accept EMFILE'));
    expect(guard.refused.accept_failed).toBe(1);
  });
});
