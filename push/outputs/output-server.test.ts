// The server of an output over real sockets: clients that read slowly, not at all, or leave; crowds; ports in use.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { silentClient } from '../../test/support/hostile-client.ts';
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

interface Reader {
  readonly socket: Socket;
  text(): string;
}

/** A client that reads; resolves when the server has it. */
async function reader(server: OutputServer): Promise<Reader> {
  const { clients } = server.stats();
  const socket = connect(server.port, '127.0.0.1');
  cleanups.push(() => socket.destroy());
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  await until(() => server.stats().clients > clients, 'the client is connected');
  return { socket, text: () => text };
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
  const lines = text.slice(0, -1).split('\n');
  const counts = new Map<number, number>();
  for (const line of lines) {
    expect(line).toMatch(/^\d{8}\.{90}$/);
    counts.set(Number(line.slice(0, 8)), (counts.get(Number(line.slice(0, 8))) ?? 0) + 1);
  }
  expect([...counts.values()].filter((count) => count !== linesPerPiece)).toEqual([]);
  return [...counts.keys()];
}

const MIB = 1024 * 1024;

describe('clients that read', () => {
  test('all get the same bytes, in order, from their connection on', async () => {
    const server = await open();
    server.send(Buffer.from('nobody\n'));
    const first = await reader(server);
    server.send(Buffer.from('one\n'));
    const second = await reader(server);
    server.send(Buffer.from('two\n'));
    await until(() => first.text() === 'one\ntwo\n' && second.text() === 'two\n', 'both have it');
    expect(server.stats()).toMatchObject({ clients: 2, bytes: 12, dropped: { behind: 0, closed: 0 } });
  });

  test('get everything first if pieces are changes, made once for all who are new', async () => {
    const server = await open();
    const [first, second] = [await reader(server), await reader(server)];
    let made = 0;
    const all = (): Buffer => {
      made += 1;
      return Buffer.from(`all ${made}\n`);
    };
    server.send(Buffer.from('change 1\n'), all);
    await until(() => first.text() === 'all 1\n' && second.text() === 'all 1\n', 'both have all');
    const third = await reader(server);
    server.send(Buffer.from('change 2\n'), all);
    await until(() => first.text() === 'all 1\nchange 2\n' && third.text() === 'all 2\n', 'changes, and all');
    expect(made).toBe(2);
  });
});

describe('clients that do not read', () => {
  test('cost their budget and one piece, disturb nobody, and are closed', async () => {
    const lines: string[] = [];
    const server = await open({
      queuedBytesMax: MIB,
      stallMsMax: 400,
      sweepMs: 50,
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
      await until(() => good.text().length === sent * bytes, 'the good client has the piece');
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const stats = server.stats();
    expect(stats.ended.stalled).toBe(1);
    expect(stats.clients).toBe(1);
    expect(stats.dropped.behind).toBeGreaterThan(0);
    expect(stats.dropped.behind % bytes).toBe(0);
    // The bytes queued when it was closed are within the budget.
    expect(stats.dropped.closed).toBeGreaterThan(0);
    expect(stats.dropped.closed).toBeLessThanOrEqual(MIB);
    expect(piecesIn(good.text(), bytes / 99)).toHaveLength(sent);
    expect(lines).toEqual(['SBS output: a client reads too slowly: it misses data ', 'SBS output: a client was ended stalled']);
  });

  test('are closed also if they send, if more is queued for them, and if they closed their half', async () => {
    const server = await open({ queuedBytesMax: 64 * MIB, stallMsMax: 300, sweepMs: 50 });
    const chatty = await sleeper(server);
    const chatting = setInterval(() => {
      chatty.write('?');
      server.send(Buffer.alloc(1000));
    }, 20);
    cleanups.push(() => clearInterval(chatting));
    server.send(Buffer.alloc(32 * MIB));
    await until(() => server.stats().ended.stalled === 1, 'the client that sends is closed');
    const half = await sleeper(server);
    server.send(Buffer.alloc(32 * MIB));
    half.end();
    await until(() => server.stats().ended.left === 1, 'the half-open client is forgotten');
    expect(server.hasClients).toBe(false);
    server.send(Buffer.from('to nobody'));
  });

  test('but read slowly stay: progress inside one large write counts', async () => {
    const server = await open({ stallMsMax: 1500, sweepMs: 25 });
    const slow = await sleeper(server);
    let received = 0;
    slow.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received % MIB < chunk.length) {
        slow.pause();
        setTimeout(() => slow.resume(), 50);
      }
    });
    server.send(Buffer.alloc(48 * MIB));
    slow.resume();
    const startMs = performance.now();
    await until(() => received === 48 * MIB, 'the client has everything');
    expect(performance.now() - startMs).toBeGreaterThan(2000);
    expect(server.stats()).toMatchObject({ clients: 1, ended: { stalled: 0 } });
  });

  test('but read slowly miss whole pieces, and get the later ones when they read again', async () => {
    const server = await open({ queuedBytesMax: MIB });
    const slow = await sleeper(server);
    let text = '';
    slow.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    slow.pause();
    const bytes = piece(0, 200_000).length;
    let sent = 0;
    const send = (): void => server.send(piece(sent++, 200_000));
    while (server.stats().dropped.behind === 0 && sent < 1000) send();
    slow.resume();
    await until(() => text.length > 0 && text.length === server.stats().bytes, 'the client has what was queued');
    const before = sent;
    send();
    await until(() => text.length === server.stats().bytes, 'the client has the next piece');
    const received = piecesIn(text, bytes / 99);
    expect(received.at(-1)).toBe(before);
    expect(received.length).toBeLessThan(sent);
    expect(received).toEqual([...received].sort((a, b) => a - b));
    expect(server.stats().dropped.behind).toBe((sent - received.length) * bytes);
  });

  test('get everything instead of the changes that they missed', async () => {
    const server = await open({ queuedBytesMax: MIB });
    const slow = await sleeper(server);
    let text = '';
    slow.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    slow.pause();
    const all = (): Buffer => Buffer.from('all\n');
    server.send(Buffer.from('change\n'), all);
    for (let i = 0; server.stats().dropped.behind === 0 && i < 1000; i += 1) server.send(piece(1, 200_000), all);
    const { bytes } = server.stats();
    server.send(Buffer.from('missed\n'), all);
    expect(server.stats().bytes).toBe(bytes);
    slow.resume();
    await until(() => text.length === bytes, 'the client has what was queued');
    server.send(Buffer.from('missed\n'), all);
    server.send(Buffer.from('news\n'), all);
    await until(() => text.endsWith('news\n'), 'the client has the news');
    expect(text.startsWith('all\n0000')).toBe(true);
    expect(text.endsWith('.\nall\nnews\n')).toBe(true);
  });
});

describe('crowds and strangers', () => {
  test('1,000 connections: the limit is kept, the others are closed and counted, and there is room again later', async () => {
    const server = await open();
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => silentClient(server.port)));
    cleanups.push(...sockets.map((socket) => () => socket.destroy()));
    await until(() => server.stats().clients + server.stats().ended.refused === 1000, 'all are counted');
    expect(server.stats()).toMatchObject({ clients: limits.outputClientsMax, ended: { refused: 1000 - limits.outputClientsMax } });
    server.send(Buffer.from('hello\n'));
    expect(server.stats().bytes).toBe(6 * limits.outputClientsMax);
    for (const socket of sockets) socket.destroy();
    await until(() => server.stats().clients === 0, 'all are gone');
    const late = await reader(server);
    server.send(Buffer.from('again\n'));
    await until(() => late.text() === 'again\n', 'a later client has its bytes');
  });

  test('what clients send is ignored, and one that sends much is closed', async () => {
    const server = await open({ sweepMs: 50 });
    const polite = await reader(server);
    for (let i = 0; i < 10; i += 1) {
      polite.socket.write(Buffer.alloc(limits.outputReceivedBytesMax / 4));
      await new Promise((resolve) => setTimeout(resolve, 60));
    }
    expect(server.stats()).toMatchObject({ clients: 1, ended: { sent_too_much: 0 } });
    polite.socket.write(Buffer.alloc(1024 * 1024));
    await until(() => server.stats().ended.sent_too_much === 1, 'the client is closed');
    expect(server.stats().clients).toBe(0);
  });

  test('a port in use is an error that names the flag', async () => {
    const { port } = await open();
    await expect(open({ port, flag: '--beast-out' })).rejects.toMatchObject({
      code: 'listen.port_in_use',
      message: expect.stringMatching(`^127.0.0.1:${port} is in use by another program: choose another with --beast-out`),
    });
    await expect(open({ host: '192.0.2.1' })).rejects.toMatchObject({ code: 'listen.failed' });
  });

  test('a stop closes all connections at once, and the bytes of those who read have left', async () => {
    const server = await OutputServer.open({ host: '127.0.0.1', port: 0, flag: '--sbs', name: 'SBS', log: () => {} });
    const good = await reader(server);
    const bad = await sleeper(server);
    server.send(piece(1, 32 * MIB));
    await until(() => good.text().length >= 32 * MIB, 'the good client has it');
    server.send(Buffer.from('bye\n'));
    const closed = Promise.all([once(good.socket, 'close'), until(() => good.text().endsWith('bye\n'), 'the last bytes')]);
    await server.close();
    await closed;
    expect(server.stats().clients).toBe(0);
    bad.destroy();
  });
});
