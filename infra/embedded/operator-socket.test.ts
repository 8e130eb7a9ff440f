// Operators' socket: rows and errors, its limits, and paths that are too long.
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { askOperatorSocket, openOperatorSocket, operatorSocketPath } from './operator-socket.ts';

const folder = folderOfTest();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function* echo(request: unknown): AsyncGenerator<unknown> {
  yield request;
  if (request === 1) throw new Error('fault');
  if (request === 2) throw new SquitterError('feeders.no_key', { id: 'a' });
}

async function rowsOf(request: unknown = {}, at = folder.path): Promise<unknown[]> {
  const rows: unknown[] = [];
  for await (const row of askOperatorSocket(at, request as object)) rows.push(row);
  return rows;
}

const connected = (): Socket => {
  const socket = connect(operatorSocketPath(folder.path)).on('error', () => {});
  cleanups.push(() => socket.destroy());
  return socket;
};

/** The response to raw bytes. */
async function sent(bytes: string): Promise<string> {
  const socket = connected();
  socket.write(bytes);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

test('responds with rows and errors, for its user alone, refuses what is no request, and leaves nothing', async () => {
  const { path } = folder;
  const socket = await openOperatorSocket(path, echo);
  expect(await rowsOf({ text: 'é\n' })).toEqual([{ text: 'é\n' }]);
  await expect(rowsOf(2)).rejects.toMatchObject({ code: 'feeders.no_key', details: { id: 'a' } });
  await expect(rowsOf(1)).rejects.toThrow(/fault/);
  expect(['', 'operator', 'operator/socket'].map((name) => statSync(join(path, name)).mode & 0o777)).toEqual([0o700, 0o700, 0o600]);
  for (const bytes of ['{\n', 'GET / HTTP/1.1\r\n\r\n', `${'x'.repeat(limits.operatorRequestBytesMax + 1)}`, '"é'.repeat(2000)])
    expect(await sent(bytes)).toMatch(/^\{"error":\{"code":"operator\.bad_request"/);
  // The first line only.
  expect(await sent('3\n2\n')).toBe('{"row":3}\n{"end":true}\n');
  await socket.close();
  expect(readdirSync(join(path, 'operator'))).toEqual([]);
  await expect(rowsOf()).rejects.toMatchObject({ code: 'operator.no_service' });
});

test('closes connections beyond its limit', async () => {
  cleanups.push((await openOperatorSocket(folder.path, echo)).close);
  const waiting = Array.from({ length: limits.operatorClientsMax }, connected);
  await Promise.all(waiting.map((socket) => once(socket, 'connect')));
  await expect(rowsOf()).rejects.toMatchObject({ code: 'operator.no_response' });
  waiting[0]!.end('{}\n');
  await once(waiting[0]!.resume(), 'close');
  expect(await rowsOf()).toHaveLength(1);
});

test('has a path that systems allow, the shorter one of two', async () => {
  expect(operatorSocketPath(join(process.cwd(), 'data'))).toBe('data/operator/socket');
  const far = join(folder.path, 'x'.repeat(100));
  await expect(openOperatorSocket(far, echo)).rejects.toMatchObject({ code: 'operator.path_too_long' });
  await expect(rowsOf({}, far)).rejects.toMatchObject({ code: 'operator.path_too_long' });
});
