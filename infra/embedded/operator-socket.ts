// Operators' commands to the running service: the log has one writing process, so a command asks that process. Over a Unix socket in the data folder, for
// the service's user alone: one line of JSON there, and lines back, a row each, then `end` or an error.
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { dirname, join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { PRIVATE_FILE_MODE, PRIVATE_FOLDER_MODE } from '../../pipeline/runtime/private-files.ts';
import { fromThreadError, type ThreadError, toThreadError } from '../../pipeline/runtime/thread-errors.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';

/** Length that every system allows. */
const SOCKET_PATH_BYTES = 103;

type Line = { readonly row: unknown } | { readonly error: ThreadError } | { readonly end: true };

/** Path of the socket: absolute, or from the working folder, whichever is shorter. Error: `operator.path_too_long`. */
export function operatorSocketPath(dataDir: string): string {
  const path = join(dataDir, 'operator', 'socket');
  const near = relative(process.cwd(), path);
  const shorter = near.length < path.length ? near : path;
  const bytes = Buffer.byteLength(shorter);
  if (bytes > SOCKET_PATH_BYTES) throw new SquitterError('operator.path_too_long', { path: shorter, bytes, limit: SOCKET_PATH_BYTES });
  return shorter;
}

/**
 * Listens, in the place of a socket that a killed service left: one service runs on a data folder. `respond` gives the rows for a request.
 * Errors: `operator.path_too_long`, `listen.failed`.
 */
export async function openOperatorSocket(dataDir: string, respond: (request: unknown) => AsyncIterable<unknown>) {
  const path = operatorSocketPath(dataDir);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    void pipeline(Readable.from(linesFor(socket, respond)), socket, { signal: AbortSignal.timeout(limits.operatorMsMax) }).catch(() =>
      socket.destroy(),
    );
  });
  server.maxConnections = limits.operatorClientsMax;
  try {
    // The folder keeps other users out, also before the socket has its mode.
    mkdirSync(dirname(path), { mode: PRIVATE_FOLDER_MODE, recursive: true });
    rmSync(path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(path, resolve);
    });
    chmodSync(path, PRIVATE_FILE_MODE);
  } catch (error) {
    server.close();
    throw new SquitterError('listen.failed', { address: path, detail: (error as Error).message }, error);
  }
  return {
    close: () =>
      new Promise<void>((resolve) => {
        // It removes the socket from the folder, too.
        server.close(() => resolve());
        for (const socket of open) socket.destroy();
      }),
  };
}

async function* linesFor(socket: Socket, respond: (request: unknown) => AsyncIterable<unknown>): AsyncGenerator<string> {
  const line = (value: Line): string => `${JSON.stringify(value)}\n`;
  try {
    for await (const row of respond(await requestFrom(socket))) yield line({ row });
    yield line({ end: true });
  } catch (error) {
    yield line({ error: toThreadError(error) });
  }
}

/** The first line. Error: `operator.bad_request`. */
function requestFrom(socket: Socket): Promise<unknown> {
  let text = '';
  return new Promise((resolve, reject) => {
    const refuse = (): void => reject(new SquitterError('operator.bad_request'));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (Buffer.byteLength(text) > limits.operatorRequestBytesMax) refuse();
      else if (text.includes('\n')) {
        try {
          resolve(JSON.parse(text.slice(0, text.indexOf('\n'))));
        } catch {
          refuse();
        }
      } else return;
      socket.removeAllListeners('data').resume();
    });
    socket.once('end', refuse).once('close', refuse);
  });
}

/**
 * Asks the service on a data folder; returns the rows of the response. Errors: `operator.no_service`, `operator.not_allowed`, `operator.no_response`,
 * `operator.path_too_long`, those of the service.
 */
export async function* askOperatorSocket(dataDir: string, request: object): AsyncGenerator<unknown> {
  const socket = connect(operatorSocketPath(dataDir));
  // Longer than the service lets a request take.
  socket.setTimeout(2 * limits.operatorMsMax, () => socket.destroy(new Error('it is busy or frozen')));
  socket.write(`${JSON.stringify(request)}\n`);
  try {
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) {
      const lines = (text + String(chunk)).split('\n');
      text = lines.pop()!;
      for (const line of lines) {
        const value = JSON.parse(line) as Line;
        if ('row' in value) yield value.row;
        else if ('error' in value) throw fromThreadError('service', value.error);
        else return;
      }
    }
    throw new Error('it closed the connection');
  } catch (error) {
    throw noResponse(dataDir, error as NodeJS.ErrnoException);
  } finally {
    socket.destroy();
  }
}

function noResponse(path: string, error: NodeJS.ErrnoException): Error {
  if (error instanceof SquitterError) return error;
  if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED' || error.code === 'ENOTDIR')
    return new SquitterError('operator.no_service', { path }, error);
  if (error.code === 'EACCES') return new SquitterError('operator.not_allowed', { path }, error);
  return new SquitterError('operator.no_response', { path, detail: error.message }, error);
}
