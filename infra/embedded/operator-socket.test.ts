// Operators' socket: rows and errors, its limits, and paths that are too long.
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { askOperatorSocket, openOperatorSocket, operatorSocketPath } from './operator-socket.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function newFolder(): string {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  return folder.path;
}

async function opened(respond: (request: unknown) => AsyncIterable<unknown>, folder = newFolder()): Promise<string> {
  const socket = await openOperatorSocket(folder, respond);
  cleanups.push(socket.close);
  return folder;
}

async function* echo(request: unknown): AsyncGenerator<unknown> {
  yield request;
  yield { row: 2 };
}

async function rowsOf(folder: string, request: object = {}): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of askOperatorSocket(folder, request)) rows.push(row);
  return rows;
}

/** The response to raw bytes. */
function sent(folder: string, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(operatorSocketPath(folder));
    cleanups.push(() => socket.destroy());
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    socket.on('close', () => resolve(text));
    socket.write(bytes);
  });
}

test('responds with rows and errors, for its user alone, and leaves nothing', async () => {
  const folder = newFolder();
  const socket = await openOperatorSocket(folder, async function* (request) {
    yield request;
    if (request === 1) throw new Error('fault');
    throw new SquitterError('feeders.no_key', { id: 'a' });
  });
  const [row] = await Promise.allSettled([askOperatorSocket(folder, { text: 'é\n' }).next()]);
  expect(row).toMatchObject({ value: { value: { text: 'é\n' } } });
  await expect(rowsOf(folder)).rejects.toMatchObject({ code: 'feeders.no_key', details: { id: 'a' } });
  await expect(rowsOf(folder, 1 as never)).rejects.toThrow(/fault/);
  expect(['', 'operator', 'operator/socket'].map((path) => statSync(join(folder, path)).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  await socket.close();
  expect(readdirSync(join(folder, 'operator'))).toEqual([]);
  await expect(rowsOf(folder)).rejects.toMatchObject({ code: 'operator.no_service' });
});

test('refuses what is no request, and takes the first line only', async () => {
  const folder = await opened(echo);
  const refused = '{"error":{"code":"operator.bad_request"';
  for (const bytes of ['{\n', 'GET / HTTP/1.1\r\n\r\n', `${'x'.repeat(limits.operatorRequestBytesMax + 1)}`, '"é'.repeat(2000)])
    expect((await sent(folder, bytes)).startsWith(refused)).toBe(true);
  expect(await sent(folder, '1\n2\n')).toBe('{"row":1}\n{"row":{"row":2}}\n{"end":true}\n');
});

test('closes connections beyond its limit', async () => {
  const folder = await opened(echo);
  const waiting = Array.from({ length: limits.operatorClientsMax }, () => {
    const socket = connect(operatorSocketPath(folder));
    cleanups.push(() => socket.destroy());
    return socket;
  });
  await Promise.all(waiting.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  await expect(rowsOf(folder)).rejects.toMatchObject({ code: 'operator.no_response' });
  waiting[0]!.end('{}\n');
  await new Promise((resolve) => waiting[0]!.resume().once('close', resolve));
  expect(await rowsOf(folder)).toHaveLength(2);
});

test('has a path that systems allow, the shorter one of two', async () => {
  expect(operatorSocketPath(join(process.cwd(), 'data'))).toBe('data/operator/socket');
  const far = join(newFolder(), 'x'.repeat(100));
  mkdirSync(far);
  await expect(openOperatorSocket(far, echo)).rejects.toMatchObject({ code: 'operator.path_too_long' });
  await expect(rowsOf(far)).rejects.toMatchObject({ code: 'operator.path_too_long' });
});
