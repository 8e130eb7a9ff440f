// Runs the real executable as a child process: start, wait until ready, query, stop, or kill the whole process tree.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePortFlags } from './free-port-flags.ts';
import { projectDir } from './requirements.ts';

export const squitterBin = join(projectDir, 'dist/infra/cli/squitter.js');

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it ends. */
export function squitter(
  args: readonly string[],
  options: { input?: string | Buffer; cwd?: string; env?: Record<string, string | undefined> } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [squitterBin, ...args], {
      cwd: options.cwd ?? projectDir,
      env: { ...process.env, ...options.env },
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }));
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}

/** Ports that Linux does not use for outgoing connections: one of those would hold the port when a service listens on it again. */
const PORT_MIN = 15_000;
const PORT_MAX = 32_000;

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = PORT_MIN + Math.floor(Math.random() * (PORT_MAX - PORT_MIN));
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
  /** All output so far, of both streams. */
  output(): string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends SIGTERM; resolves with the exit status. */
  stop(): Promise<number | null>;
  /** Sends SIGKILL to the whole process group. */
  kill(): Promise<void>;
}

const READY_MS_MAX = 60_000;

/** Starts `squitter start` on free ports and waits for 200 from /readyz. `env` overrides that of the tests; `descriptors` is the limit of open files. */
export async function startService(
  dataDir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  descriptors?: number,
  launcher: readonly string[] = [],
): Promise<RunningService> {
  const [httpPort, listenPort] = [await freePort(), await freePort()];
  const addresses = [...freePortFlags, '--http', `127.0.0.1:${httpPort}`, '--listen', `127.0.0.1:${listenPort}`];
  const command = [...launcher, process.execPath, squitterBin, 'start', '--data', dataDir, ...addresses, ...args];
  const [program = '', ...words] =
    descriptors === undefined ? command : ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(descriptors), ...command];
  const child = spawn(program, words, {
    cwd: projectDir,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  // A failing test leaves no service behind.
  const killLeftover = (): void => void child.kill('SIGKILL');
  process.once('exit', killLeftover);
  child.once('exit', () => process.off('exit', killLeftover));
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = `http://127.0.0.1:${httpPort}`;
  const service: RunningService = {
    child,
    url,
    listenPort,
    output: () => text,
    get: (path, headers = {}) => fetch(url + path, { headers }),
    stop() {
      child.kill('SIGTERM');
      return exited;
    },
    async kill() {
      process.kill(-child.pid!, 'SIGKILL');
      await exited;
    },
  };
  const deadline = Date.now() + READY_MS_MAX;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${text}`);
    const ready = await service.get('/readyz').then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return service;
    if (Date.now() > deadline) {
      await service.kill();
      throw new Error(`the service was not ready within ${READY_MS_MAX} ms: ${text}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
