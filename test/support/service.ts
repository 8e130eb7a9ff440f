// Runs the real executable as a child process: start, wait until ready, query, stop, or kill the whole process tree. The service chooses its ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import { type Ending, endOf } from './child-end.ts';
import { freePortFlags } from './free-port-flags.ts';
import { projectDir } from './requirements.ts';
import { until } from './until.ts';

/** A program. `BUILT`: another build of it, whose modules are not joined: tests can change them. */
export const builtProgram = (module: string, { BUILT: folder = 'dist' }: NodeJS.ProcessEnv = {}): string =>
  join(projectDir, folder, `${module}.js`);
export const squitterBin = builtProgram('infra/cli/squitter');
/** `npm run cluster`. */
export const clusterBin = builtProgram('modules/test/runner/run');

export interface Run {
  readonly code: Ending;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it ends. `onOutput` gets what it has printed so far. */
export function squitter(
  args: readonly string[],
  options: {
    program?: string;
    input?: string | Buffer;
    cwd?: string;
    env?: Record<string, string | undefined>;
    onOutput?: (stdout: string) => void;
  } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [options.program ?? squitterBin, ...args], {
      cwd: options.cwd ?? projectDir,
      env: { ...process.env, ...options.env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk);
      options.onOutput?.(Buffer.concat(out).toString());
    });
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    const letGo = killWithTests(() => child.kill('SIGKILL'));
    child.on('close', (code, signal) => {
      letGo();
      resolve({ code: code ?? signal!, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

/** A failing test leaves no process behind. Returns what to call when it has ended. */
export function killWithTests(kill: () => void): () => void {
  process.once('exit', kill);
  return () => process.off('exit', kill);
}

/**
 * Ports that neither Linux gives to outgoing connections nor our local programs choose (test/local/ports.ts): one of those would hold the port when a
 * service listens on it again. Each worker of the tests has its own, and gives each once.
 */
const PORT_MIN = 15_000;
const WORKER_PORTS = 1000;
const WORKERS_MAX = 5;
let portsGiven = Math.floor(Math.random() * WORKER_PORTS);

/** A port that is free, for what must be known before it is listened on. */
export async function freePort(): Promise<number> {
  const first = PORT_MIN + (Number(process.env['VITEST_POOL_ID'] ?? 0) % WORKERS_MAX) * WORKER_PORTS;
  for (;;) {
    portsGiven += 1;
    const port = first + (portsGiven % WORKER_PORTS);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'squitter-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export interface RunningService {
  readonly child: ChildProcess;
  readonly url: string;
  readonly listenPort: number;
  /** HOST:PORT of the push port. */
  readonly push: string;
  /** Resolves when it has ended, whatever ended it. */
  readonly ended: Promise<Ending>;
  /** All output so far, of both streams. */
  output(): string;
  /** The error says whether the service has ended, and how. */
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends SIGTERM. */
  stop(): Promise<Ending>;
  /** Sends SIGKILL to the whole process group; does nothing if it has ended. */
  kill(): Promise<void>;
}

/** Generous, for a busy machine. */
const READY_MS_MAX = 120_000;
const RESPONSE_MS_MAX = 120_000;
/** A process that dies closes its connections a little earlier. */
const DYING_MS_MAX = 2000;
const OUTPUT_SHOWN = 4000;
/** Where the service says what it listens on. */
const ADDRESSES = {
  http: /^Squitter starts at +http:\/\/(\S+)\/$/m,
  push: /^ +push port +([^\s,]+),/m,
  listen: /^ +feeders push Beast\/AVR +\S+:(\d+)$/m,
};

/** Starts `squitter start` and waits for 200 from /readyz. `env` overrides that of the tests; `descriptors` is the limit of open files. */
export async function startService(
  dataDir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  descriptors?: number,
  launcher: readonly string[] = [],
  nodeFlags: readonly string[] = [],
): Promise<RunningService> {
  const command = [
    ...launcher,
    process.execPath,
    ...nodeFlags,
    builtProgram('infra/cli/squitter', env),
    'start',
    '--data',
    dataDir,
    ...freePortFlags,
    ...args,
  ];
  const [program = '', ...words] =
    descriptors === undefined ? command : ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(descriptors), ...command];
  const child = spawn(program, words, {
    cwd: projectDir,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
  let ending: Ending | null = null;
  const killGroup = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  };
  const letGo = killWithTests(killGroup);
  const ended = endOf(child, (how) => {
    letGo();
    ending = how;
  });
  const failure = (what: string, cause?: unknown): Error =>
    new Error(`${what}; the service ${ending === null ? 'runs' : `ended with ${ending}`}: ${text.slice(-OUTPUT_SHOWN)}`, { cause });
  const kill = async (): Promise<void> => {
    killGroup();
    await ended;
  };
  try {
    const shown = await until(() => ending !== null || addressesIn(text), 'the addresses of the service', READY_MS_MAX);
    if (shown === true) throw new Error('it does not run');
    const { http, push, listen } = shown;
    const url = `http://${http}`;
    const service: RunningService = {
      child,
      url,
      listenPort: Number(listen),
      push,
      ended,
      output: () => text,
      async get(path, headers = {}) {
        try {
          return await fetch(url + path, { headers, signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
        } catch (error) {
          await settledWithin(ended, DYING_MS_MAX);
          throw failure(`no response to ${path}`, error);
        }
      },
      stop() {
        child.kill('SIGTERM');
        return ended;
      },
      kill,
    };
    await until(async () => (await service.get('/readyz')).ok, '200 from /readyz', READY_MS_MAX);
    return service;
  } catch (error) {
    const full = failure((error as Error).message, error);
    await kill();
    throw full;
  }
}

function addressesIn(text: string): Record<keyof typeof ADDRESSES, string> | null {
  const [http, push, listen] = [ADDRESSES.http, ADDRESSES.push, ADDRESSES.listen].map((pattern) => pattern.exec(text)?.[1]);
  return http === undefined || push === undefined || listen === undefined ? null : { http, push, listen };
}
