// Load of the records bench, as a separate process: gRPC calls as fast as the server takes them, or calls of any protocol at a steady rate.
// Plain HTTP/2 frames of Node instead of a gRPC client: a client that parses messages would take more of the machine than the server.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpCall } from '../http-load.ts';
import type { GrpcCalls } from './calls.ts';

export interface LoadOrder {
  readonly port: number;
  readonly seconds: number;
  readonly grpc?: GrpcCalls;
  readonly http?: { readonly calls: readonly HttpCall[]; readonly headers: Readonly<Record<string, string>> };
  /** Calls per second; as fast as possible without it. */
  readonly rate?: number;
}

export interface LoadReport {
  /** Successful calls. */
  readonly calls: number;
  readonly seconds: number;
  /** Ms from the moment a call was due until its response was complete; empty without a rate. */
  readonly latenciesMs: readonly number[];
}

const CONNECTIONS = 4;
const CALLS_AT_ONCE = 16;
const FRAME_HEAD_BYTES = 5;
const PACE_MS = 2;
const WAITING_MAX = 2000;

/** Makes the n-th call; fails unless it succeeds. */
type Call = (n: number) => Promise<void>;

interface Caller {
  readonly call: Call;
  close(): void;
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(FRAME_HEAD_BYTES + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, FRAME_HEAD_BYTES);
  return frame;
}

async function grpcCaller(port: number, { path, messages }: GrpcCalls): Promise<Caller> {
  const sessions: ClientHttp2Session[] = [];
  for (let i = 0; i < CONNECTIONS; i += 1) {
    const session = connect(`http://127.0.0.1:${port}`);
    await once(session, 'connect');
    sessions.push(session);
  }
  const frames = messages.map(framed);
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  return {
    call: (n) =>
      new Promise((resolve, reject) => {
        const stream = sessions[n % CONNECTIONS]!.request(headers);
        let status: unknown;
        let bytes = 0;
        stream.on('trailers', (trailers) => {
          status = trailers['grpc-status'];
        });
        stream.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        stream.on('end', () => (status === '0' && bytes > FRAME_HEAD_BYTES ? resolve() : reject(new Error(`grpc-status ${status}`))));
        stream.on('error', reject);
        stream.end(frames[n % frames.length]);
      }),
    close: () => sessions.forEach((session) => void session.close()),
  };
}

function httpCaller(port: number, { calls, headers }: NonNullable<LoadOrder['http']>): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS * CALLS_AT_ONCE });
  return {
    call: (n) =>
      new Promise((resolve, reject) => {
        const { path, body } = calls[n % calls.length]!;
        const sent = request({ agent, host: '127.0.0.1', port, path, headers, method: body === undefined ? 'GET' : 'POST' }, (response) => {
          response.on('end', () =>
            response.statusCode === 200 ? resolve() : reject(new Error(`status ${response.statusCode} of ${path}`)),
          );
          response.resume();
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : Buffer.from(body));
      }),
    close: () => agent.destroy(),
  };
}

/** Calls one after another in several turns at once. */
async function atFullSpeed(call: Call, seconds: number): Promise<LoadReport> {
  const startMs = performance.now();
  const endMs = startMs + 1000 * seconds;
  let next = 0;
  let calls = 0;
  const turn = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const n = next;
      next += 1;
      await call(n);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS * CALLS_AT_ONCE }, turn));
  return { calls, seconds: (performance.now() - startMs) / 1000, latenciesMs: [] };
}

/** Calls when they are due, also while earlier ones are not done. */
async function atRate(call: Call, seconds: number, rate: number): Promise<LoadReport> {
  const startMs = performance.now();
  const due = (n: number): number => startMs + (1000 * n) / rate;
  const latenciesMs: number[] = [];
  const pending: Promise<void>[] = [];
  const total = Math.round(seconds * rate);
  let waiting = 0;
  for (let n = 0; n < total; ) {
    for (; n < total && due(n) <= performance.now(); n += 1) {
      const dueMs = due(n);
      waiting += 1;
      const done = (): void => {
        waiting -= 1;
        latenciesMs.push(performance.now() - dueMs);
      };
      pending.push(call(n).then(done));
    }
    // The server takes fewer calls: the latencies so far show it.
    if (waiting > WAITING_MAX) break;
    await sleep(PACE_MS);
  }
  await Promise.all(pending);
  return { calls: latenciesMs.length, seconds: (performance.now() - startMs) / 1000, latenciesMs };
}

process.on('disconnect', () => process.exit());
process.on('message', async ({ port, seconds, grpc, http, rate }: LoadOrder) => {
  const caller = grpc === undefined ? httpCaller(port, http!) : await grpcCaller(port, grpc);
  const report = rate === undefined ? await atFullSpeed(caller.call, seconds) : await atRate(caller.call, seconds, rate);
  caller.close();
  process.send!(report);
});
