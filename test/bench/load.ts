// Load on a server: over HTTP by autocannon, which takes a good part of a core; over gRPC by this process.
import { once } from 'node:events';
import { connect } from 'node:http2';
import { createRequire } from 'node:module';

/** A GET, or a POST if it has a body. */
export interface HttpCall {
  readonly path: string;
  readonly body?: Buffer;
}

export interface LoadOptions {
  readonly port: number;
  /** Made one after another, on every connection. */
  readonly calls: readonly HttpCall[];
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  /** Responses with status 2xx. */
  readonly responses: number;
  readonly seconds: number;
}

/** The part of autocannon that is used; it has no types. */
type Autocannon = (options: {
  url: string;
  connections: number;
  duration: number;
  timeout: number;
  headers: Readonly<Record<string, string>>;
  requests: { method: 'GET' | 'POST'; path: string; body?: Buffer }[];
}) => Promise<{ '2xx': number; non2xx: number; errors: number; duration: number }>;

/** Fails on any response that breaks off or is not 2xx: the figure would be worthless. */
export async function runHttp({ port, calls, headers, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
  const requests = calls.map((call) => ({ method: call.body === undefined ? ('GET' as const) : ('POST' as const), ...call }));
  const url = `http://127.0.0.1:${port}`;
  const outcome = await autocannon({ url, connections, duration: seconds, timeout: 30, headers, requests });
  const [responses, failures] = [outcome['2xx'], outcome.non2xx + outcome.errors];
  if (failures > 0) throw new Error(`autocannon: ${responses} responses, ${failures} failures`);
  return { responses, seconds: outcome.duration };
}

export interface GrpcCalls {
  readonly path: string;
  readonly messages: readonly Buffer[];
}

const GRPC_CONNECTIONS = 4;
const GRPC_CALLS_AT_ONCE = 64;
const FRAME_HEAD_BYTES = 5;

/** gRPC calls over bare HTTP/2, several at once: a client library would take more of the machine than the server. */
export async function runGrpc(port: number, { path, messages }: GrpcCalls, seconds: number): Promise<LoadResult> {
  const sessions = Array.from({ length: GRPC_CONNECTIONS }, () => connect(`http://127.0.0.1:${port}`));
  await Promise.all(sessions.map((session) => once(session, 'connect')));
  const frames = messages.map((message) => Buffer.concat([Buffer.from([0, 0, 0, message.length >> 8, message.length & 0xff]), message]));
  const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' };
  const call = (n: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const stream = sessions[n % GRPC_CONNECTIONS]!.request(headers);
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
    });
  const startMs = performance.now();
  let responses = 0;
  const turn = async (): Promise<void> => {
    while (performance.now() - startMs < 1000 * seconds) {
      await call(responses);
      responses += 1;
    }
  };
  await Promise.all(Array.from({ length: GRPC_CALLS_AT_ONCE }, turn));
  for (const session of sessions) session.close();
  return { responses, seconds: (performance.now() - startMs) / 1000 };
}
