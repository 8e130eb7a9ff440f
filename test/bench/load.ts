// Load on a server: over HTTP by wrk if it is installed, else by autocannon, which takes a good part of a core; over gRPC by this process.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:http2';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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

export interface LoadTool {
  readonly name: string;
  /** Fails on any response that breaks off or is not 2xx: the figure would be worthless. */
  run(options: LoadOptions): Promise<LoadResult>;
}

const run = promisify(execFile);

/** The tool to use on this machine. */
export async function findLoadTool(): Promise<LoadTool> {
  try {
    // It prints its version and fails; only its absence matters.
    await run('wrk', ['--version']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { name: 'autocannon', run: runAutocannon };
  }
  return { name: 'wrk', run: runWrk };
}

async function runWrk({ port, calls, headers, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'squitter-wrk-'));
  try {
    const script = join(folder, 'load.lua');
    await writeFile(script, wrkScript(calls));
    const headerFlags = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
    const numbers = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s'];
    const { stdout } = await run('wrk', [...numbers, ...headerFlags, '-s', script, `http://127.0.0.1:${port}`]);
    const [responses, failures, durationUs] = /^counted (\d+) (\d+) (\d+)$/m.exec(stdout)!.slice(1).map(Number) as [number, number, number];
    return result('wrk', responses, failures, durationUs / 1e6);
  } finally {
    await rm(folder, { recursive: true });
  }
}

function wrkScript(calls: readonly HttpCall[]): string {
  return `
local paths = {${calls.map(({ path }) => `"${path}"`).join(',')}}
local bodies = {${calls.map(({ body }) => (body === undefined ? 'false' : luaText(body))).join(',')}}
local requests = {}
local at = 0
function init(args)
  for i, path in ipairs(paths) do
    requests[i] = bodies[i] and wrk.format('POST', path, nil, bodies[i]) or wrk.format('GET', path)
  end
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary)
  local e = summary.errors
  local failures = e.connect + e.read + e.write + e.status + e.timeout
  io.write(string.format('counted %d %d %d\\n', summary.requests, failures, summary.duration))
end
`;
}

/** Bytes as a text of Lua. */
function luaText(bytes: Buffer): string {
  return `"${[...bytes].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
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

async function runAutocannon({ port, calls, headers, connections, seconds }: LoadOptions): Promise<LoadResult> {
  const autocannon = createRequire(import.meta.url)('autocannon') as Autocannon;
  const requests = calls.map((call) => ({ method: call.body === undefined ? ('GET' as const) : ('POST' as const), ...call }));
  const url = `http://127.0.0.1:${port}`;
  const outcome = await autocannon({ url, connections, duration: seconds, timeout: 30, headers, requests });
  return result('autocannon', outcome['2xx'], outcome.non2xx + outcome.errors, outcome.duration);
}

function result(tool: string, responses: number, failures: number, seconds: number): LoadResult {
  if (failures > 0) throw new Error(`${tool}: ${responses} responses, ${failures} failures`);
  return { responses, seconds };
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
