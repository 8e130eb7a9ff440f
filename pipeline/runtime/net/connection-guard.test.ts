// The guard over a plain server: who gives way, who is refused, what counts as progress, and the end of all.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { untilMoreTaken } from '../../../test/support/raw-web-socket.ts';
import { until } from '../../../test/support/until.ts';
import { ConnectionGuard, GuardedConnection } from './connection-guard.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

const STALL_MS = 1000;

class Client extends GuardedConnection {
  readonly sinceMs = this.progressMs;
}

class TestGuard extends ConnectionGuard<Client, 'stalled'> {
  readonly busy = new Set<Client>();
  readonly all: Client[] = [];

  protected enter(socket: Socket): Client {
    const connection = new Client(socket, this.nowMs());
    this.all.push(connection);
    socket.on('error', () => {});
    return connection;
  }

  protected override check(connection: Client, nowMs: number): void {
    if (connection.stalledMs(nowMs) >= STALL_MS) this.end(connection, 'stalled');
  }

  protected override idleMs(connection: Client, nowMs: number): number {
    return this.busy.has(connection) ? 0 : nowMs - connection.sinceMs;
  }
}

async function guarded(connectionsMax: number) {
  let clockMs = 0;
  const lines: string[] = [];
  const guard = new TestGuard({
    ...{ noun: 'a test', reasons: ['stalled'], connectionsMax, giveWayFrom: connectionsMax, idleMsMin: 500 },
    nowMs: () => clockMs,
    log: (_level, { reason }, message) => lines.push(`${message} ${reason ?? ''}`.trim()),
  });
  const server = createServer();
  guard.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  cleanUps.push(() => {
    server.close();
    guard.close();
  });
  /** Resolves when the guard has it or refused it. */
  const client = async (): Promise<Socket> => {
    const before = guard.all.length + guard.refused.connections;
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    cleanUps.push(() => socket.destroy());
    await until(() => guard.all.length + guard.refused.connections > before);
    return socket;
  };
  const pass = (ms: number): void => {
    clockMs += ms;
    guard.sweep();
  };
  return { guard, server, lines, client, pass };
}

it('lets the longest idle one give way, and refuses a new one when none is idle long enough', async () => {
  const { guard, lines, client, pass } = await guarded(3);
  await client();
  pass(100);
  await client();
  pass(100);
  await client();
  guard.busy.add(guard.all[0]!);
  await client();
  expect([guard.open, guard.refused.connections]).toEqual([3, 1]);
  pass(450);
  await client();
  expect(guard.all.map(({ socket }) => socket.destroyed)).toEqual([false, true, false, false]);
  expect(guard.ended).toEqual({ stalled: 0, gave_way: 1, shutdown: 0 });
  expect(lines).toEqual(['a test was refused: all are in use', 'a test was ended gave_way']);
});

it('ends a client that takes nothing, also while more is queued for it; a part of one large write is progress', async () => {
  const { guard, client, pass } = await guarded(10);
  const stalled = (await client()).pause();
  const slow = (await client()).pause();
  // More than the kernel ever holds for them.
  const body = Buffer.alloc(128 * 1024 * 1024);
  for (const { socket } of guard.all) socket.write(body);
  const later = async (): Promise<void> => {
    // Bytes that the kernel takes by itself.
    await new Promise((resolve) => setTimeout(resolve, 50));
    guard.all[0]!.socket.write('more');
    pass(STALL_MS / 2);
  };
  const { socket: toSlow } = guard.all[1]!;
  for (let step = 1; step < 6; step += 1) {
    slow.resume();
    await untilMoreTaken(toSlow);
    slow.pause();
    await later();
  }
  expect(guard.ended.stalled).toBe(1);
  expect(guard.all.map(({ socket }) => socket.destroyed)).toEqual([true, false]);
  stalled.destroy();
});

it('counts failed accepts, and ends all that are left', async () => {
  const { guard, server, client } = await guarded(10);
  await client();
  (await client()).destroy();
  await until(() => guard.open === 1);
  server.emit('error', new Error('accept EMFILE'));
  expect(guard.refused.accept_failed).toBe(1);
  guard.stop(0);
  await until(() => guard.open === 0);
  expect(guard.ended).toEqual({ stalled: 0, gave_way: 0, shutdown: 1 });
});
