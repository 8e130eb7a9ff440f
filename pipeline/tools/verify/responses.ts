// Sources of the other program's responses: an `aircraft.json` that is polled (URL, file or folder), a TCP port that sends a JSON line at each
// position or lines of SBS-1, or a file of recorded responses.
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { ByteSource } from '../../runtime/byte-source.ts';
import { LineReader } from '../../runtime/lines.ts';
import type { Endpoint } from '../../runtime/options.ts';
import { connectSocket } from '../replay/beast-target.ts';
import { isSbsLine, readSbsLine } from './sbs.ts';
import { readResponse, type TheirResponse } from './theirs.ts';

const AGAIN_MS = 1000;

export interface ResponseFeed {
  /** Name for the report: a URL, a path. */
  readonly source: string;
  /** Failed attempts since the first success. */
  failures: number;
  close(): Promise<void>;
}

/** The other program's name from the `receiver.json` beside its `aircraft.json`; null when it has none. */
export async function programName(source: string): Promise<string | null> {
  try {
    const text = await readText(await siblingPath(source, 'receiver.json'));
    const { version } = JSON.parse(text) as { version?: unknown };
    return typeof version === 'string' ? version : null;
  } catch {
    return null;
  }
}

/**
 * Requests at once and then every `pollMs`. A response with the same `now` as the previous one is ignored. Errors of the first request:
 * `verify.no_answer`, `verify.not_aircraft`.
 */
export async function pollResponses(
  source: string,
  pollMs: number,
  onResponse: (theirResponse: TheirResponse) => void,
): Promise<ResponseFeed> {
  const target = await siblingPath(source, 'aircraft.json');
  const stop = new AbortController();
  let lastMs = Number.NaN;
  const feed: ResponseFeed & { failures: number } = {
    source,
    failures: 0,
    async close() {
      stop.abort();
      await polling;
    },
  };
  const ask = async (): Promise<void> => {
    const theirResponse = readResponse(await readText(target), source, Date.now());
    if (theirResponse.nowMs === lastMs) return;
    lastMs = theirResponse.nowMs;
    onResponse(theirResponse);
  };
  await ask();
  const polling = (async () => {
    for (;;) {
      await sleep(pollMs, undefined, { signal: stop.signal }).catch(() => {});
      if (stop.signal.aborted) return;
      // A file that is being replaced, or a program that restarts: counted in the report.
      await ask().catch(() => {
        feed.failures += 1;
      });
    }
  })();
  return feed;
}

/** Reads lines from a port and reconnects when it closes. Errors of the first connection: `connect.failed`. */
export async function followPositions(from: Endpoint, onResponse: (theirResponse: TheirResponse) => void): Promise<ResponseFeed> {
  const source = String(from);
  let lines = responseLines(source, onResponse);
  let closed = false;
  let socket = await connectSocket(from);
  const feed: ResponseFeed & { failures: number } = {
    source,
    failures: 0,
    async close() {
      closed = true;
      socket.destroy();
    },
  };
  const attach = (): void => {
    socket.on('data', (chunk: Buffer) => {
      try {
        lines.push(chunk);
      } catch {
        // A line that is no aircraft is counted in the report.
        feed.failures += 1;
        lines = responseLines(source, onResponse);
      }
    });
    socket.on('error', () => {});
    socket.once('close', again);
  };
  const again = (): void => {
    if (closed) return;
    feed.failures += 1;
    lines = responseLines(source, onResponse);
    setTimeout(() => {
      if (closed) return;
      connectSocket(from).then((opened) => {
        socket = opened;
        if (closed) socket.destroy();
        else attach();
      }, again);
    }, AGAIN_MS);
  };
  attach();
  return feed;
}

/** Responses of a file, one JSON value per line: lists and single aircraft. Errors: `input.unreadable`, `verify.not_aircraft`. */
export async function* recordedResponses(path: string): AsyncGenerator<TheirResponse, undefined> {
  const file = new ByteSource(path, createReadStream(path));
  const found: TheirResponse[] = [];
  const lines = responseLines(path, (theirResponse) => found.push(theirResponse));
  await file.peek();
  for await (const bytes of file.bytes()) {
    lines.push(bytes);
    yield* found.splice(0);
  }
  lines.end();
  yield* found.splice(0);
  return undefined;
}

/** Reads each line of a stream as a response. */
function responseLines(source: string, onResponse: (theirResponse: TheirResponse) => void): LineReader {
  const line = (text: string): void => {
    if (text.trim() === '') return;
    const response = isSbsLine(text) ? readSbsLine(text, source) : readResponse(text, source, Date.now());
    if (response !== null) onResponse(response);
  };
  const tooLongLine = (): never => {
    throw tooLong(source);
  };
  return new LineReader({ line, tooLong: tooLongLine }, limits.verifyResponseBytesMax);
}

function isUrl(source: string): boolean {
  return /^https?:\/\//.test(source);
}

/** Path of `name`: in the folder `source`, or beside the path or URL of `aircraft.json`. */
async function siblingPath(source: string, name: string): Promise<string> {
  if (isUrl(source)) return name === 'aircraft.json' ? source : new URL(name, source).href;
  const isFolder = await stat(source).then(
    (info) => info.isDirectory(),
    () => false,
  );
  if (isFolder) return join(source, name);
  return name === 'aircraft.json' ? source : join(source, '..', name);
}

/** Error: `verify.no_answer`. */
async function readText(target: string): Promise<string> {
  try {
    if (!isUrl(target)) {
      const { size } = await stat(target);
      if (size > limits.verifyResponseBytesMax) throw tooLong(target);
      return await readFile(target, 'utf8');
    }
    const response = await fetch(target, { signal: AbortSignal.timeout(limits.toolConnectMsMax) });
    if (!response.ok) throw new Error(`status ${response.status}`);
    let bytes = 0;
    const parts: Uint8Array[] = [];
    for await (const part of response.body ?? []) {
      bytes += (part as Uint8Array).length;
      if (bytes > limits.verifyResponseBytesMax) throw tooLong(target);
      parts.push(part as Uint8Array);
    }
    return Buffer.concat(parts).toString();
  } catch (error) {
    if (error instanceof SquitterError) throw error;
    const cause = (error as Error).cause;
    const detail = cause instanceof Error ? cause.message : (error as Error).message;
    throw new SquitterError('verify.no_answer', { source: target, detail }, error);
  }
}

function tooLong(source: string): SquitterError {
  return new SquitterError('verify.not_aircraft', { source, detail: `more than ${limits.verifyResponseBytesMax} bytes` });
}
