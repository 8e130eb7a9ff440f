// The server of an output over real sockets: clients that read slowly, not at all, or leave; crowds. What counts as progress: runtime/net/connection-guard.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { silentClient } from '../../test/support/raw-web-socket.ts';
import { until } from '../../test/support/until.ts';
import { OutputServer, type OutputServerOptions } from './output-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function open(options: Partial<OutputServerOptions> = {}): Promise<OutputServer> {
  const server = await OutputServer.open({ host: '127.0.0.1', port: 0, flag: '--sbs', name: 'SBS', log: () => {}, ...options });
  cleanups.push(() => server.close());
  return server;
}

/** A client with the text that it received; resolves when the server has it. */
async function reader(server: OutputServer): Promise<{ readonly socket: Socket; text: string }> {
  const { clients } = server.stats();
  const client = { socket: connect(server.port, '127.0.0.1'), text: '' };
  cleanups.push(() => client.socket.destroy());
  client.socket.on('error', () => {});
  client.socket.on('data', (chunk: Buffer) => (client.text += chunk.toString('latin1')));
  await until(() => server.stats().clients > clients, 'the client is connected');
  return client;
}

/** A client that reads nothing. */
async function sleeper(server: OutputServer): Promise<Socket> {
  const { clients } = server.stats();
  const socket = await silentClient(server.port);
  cleanups.push(() => socket.destroy());
  await until(() => server.stats().clients > clients, 'the client is connected');
  return socket;
}

/** A piece of whole lines: its number, and filling. */
function piece(number: number, bytes: number): Buffer {
  const line = `${String(number).padStart(8, '0')}${'.'.repeat(90)}\n`;
  return Buffer.from(line.repeat(Math.ceil(bytes / line.length)));
}

/** Numbers of the pieces in a text, each once; fails if a line is not whole or a piece lacks a line. */
function piecesIn(text: string, linesPerPiece: number): number[] {
  expect(text.endsWith('\n')).toBe(true);
  const counts = new Map<number, number>();
  for (const line of text.slice(0, -1).split('\n')) {
    expect(line).toMatch(/^\d{8}\.{90}$/);
    counts.set(Number(line.slice(0, 8)), (counts.get(Number(line.slice(0, 8))) ?? 0) + 1);
  }
  expect([...counts.values()].filter((count) => count !== linesPerPiece)).toEqual([]);
  return [...counts.keys()];
}

const MIB = 1024 * 1024;

test('clients have the same bytes from their connection on; where pieces are changes, everything first, made once for all new ones', async () => {
  const server = await open();
  const all = vi.fn(() => Buffer.from(`all ${all.mock.calls.length}\n`));
  server.send(Buffer.from('nobody\n'));
  const [first, second] = [await reader(server), await reader(server)];
  server.send(Buffer.from('change 1\n'), all);
  await until(() => first.text === 'all 1\n' && second.text === 'all 1\n', 'both have all');
  const third = await reader(server);
  server.send(Buffer.from('change 2\n'), all);
  await until(() => first.text === 'all 1\nchange 2\n' && third.text === 'all 2\n', 'changes, and all');
  expect(server.stats()).toMatchObject({ clients: 3, bytes: 36, dropped: { behind: 0, closed: 0 } });
});

test('a client that does not read costs its budget and one piece, disturbs no other, and is closed', async () => {
  const lines: string[] = [];
  const server = await open({
    ...{ queuedBytesMax: MIB, stallMsMax: 400, sweepMs: 50 },
    log: (_, fields, message) => lines.push(`${message} ${String(fields['reason'] ?? '')}`),
  });
  await sleeper(server);
  const good = await reader(server);
  const bytes = piece(0, 300_000).length;
  let sent = 0;
  // Never more at a time than a good client takes.
  while (server.stats().ended.stalled === 0 && sent < 1000) {
    server.send(piece(sent, 300_000));
    sent += 1;
    await until(() => good.text.length === sent * bytes, 'the good client has the piece');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const { ended, clients, dropped } = server.stats();
  expect([ended.stalled, clients, dropped.behind % bytes]).toEqual([1, 1, 0]);
  expect(dropped.behind).toBeGreaterThan(0);
  // The bytes queued when it was closed are within the budget.
  expect(dropped.closed).toBeGreaterThan(0);
  expect(dropped.closed).toBeLessThanOrEqual(MIB);
  expect(piecesIn(good.text, bytes / 99)).toHaveLength(sent);
  expect(lines).toEqual(['SBS output: a client reads too slowly: it misses data ', 'SBS output: a client was ended stalled']);
});

test('a slow client misses whole pieces; later it has the next ones, or everything where pieces are changes', async () => {
  const bytes = piece(0, 200_000).length;
  for (const hasAll of [false, true]) {
    const server = await open({ queuedBytesMax: MIB });
    const slow = await reader(server);
    slow.socket.pause();
    let sent = 0;
    const send = (): void => server.send(piece(sent++, 200_000), hasAll ? () => piece(99_999_999, 99) : null);
    while (server.stats().dropped.behind === 0 && sent < 1000) send();
    slow.socket.resume();
    const isWhole = (): boolean => slow.text.length > 0 && slow.text.length === server.stats().bytes;
    await until(isWhole, 'the client has what was queued');
    send();
    await until(isWhole, 'the client has the next piece');
    if (hasAll) expect([slow.text, slow.text.slice(-99)].map((text) => text.slice(0, 8))).toEqual(['99999999', '99999999']);
    else {
      const received = piecesIn(slow.text, bytes / 99);
      expect(received).toEqual([...received].sort((a, b) => a - b));
      expect(received.at(-1)).toBe(sent - 1);
      expect(server.stats().dropped.behind).toBe((sent - received.length) * bytes);
    }
  }
});

test('the number of clients is limited: others are closed and counted', async () => {
  const server = await open();
  const sockets = await Promise.all(Array.from({ length: limits.outputClientsMax + 50 }, () => silentClient(server.port)));
  cleanups.push(...sockets.map((socket) => () => socket.destroy()));
  await until(() => server.stats().clients + server.stats().ended.refused === sockets.length, 'all are counted');
  expect(server.stats()).toMatchObject({ clients: limits.outputClientsMax, ended: { refused: 50 } });
  for (const socket of sockets) socket.destroy();
  await until(() => server.stats().clients === 0, 'all are gone');
});

test('bytes of clients are ignored, and one that sends many is closed; one that closed its half is forgotten', async () => {
  const server = await open({ sweepMs: 50 });
  const { socket } = await reader(server);
  for (let i = 0; i < 10; i += 1) {
    socket.write(Buffer.alloc(limits.outputReceivedBytesMax / 4));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(server.stats()).toMatchObject({ clients: 1, ended: { sent_too_much: 0 } });
  socket.write(Buffer.alloc(MIB));
  await until(() => server.stats().ended.sent_too_much === 1, 'the client is closed');
  const half = await sleeper(server);
  server.send(Buffer.alloc(32 * MIB));
  half.end();
  await until(() => server.stats().ended.left === 1, 'the half-open client is forgotten');
});

test('a stop closes all connections at once, and clients that read have all their bytes', async () => {
  const server = await open();
  const good = await reader(server);
  await sleeper(server);
  server.send(piece(1, 32 * MIB));
  await until(() => good.text.length >= 32 * MIB, 'the good client has it');
  server.send(Buffer.from('bye\n'));
  const closed = Promise.all([once(good.socket, 'close'), until(() => good.text.endsWith('bye\n'), 'the last bytes')]);
  await server.close();
  await closed;
  expect(server.stats().clients).toBe(0);
});
