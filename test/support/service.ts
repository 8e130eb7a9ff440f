// Runs the real executable as a child process: start, wait until ready, query, stop, or kill the whole process tree. The service chooses its ports.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import { isFree } from '../local/ports.ts';
import { parseMetrics, sumOf } from '../runner/metrics-page.ts';
import { projectDir } from './requirements.ts';
import { until } from './until.ts';

/** A program. `BUILT`: another build of it, whose modules are not joined: tests can change them. */
export const builtProgram = (module: string, { BUILT: folder = 'dist' }: NodeJS.ProcessEnv = {}): string =>
  join(projectDir, folder, `${module}.js`);
export const squitterBin = builtProgram('infra/cli/squitter');
/** The installed command, which sets the variables and flags that memory depends on. */
export const squitterCommand = join(projectDir, 'infra/cli/squitter.sh');
/** `npm run cluster`. */
export const clusterBin = builtProgram('modules/test/runner/run');

/** Every port of `squitter start`, chosen by the system. The same flag behind them replaces one. */
export const freePortFlags: readonly string[] = ['--http', '--listen', '--push', '--grpc'].flatMap((flag) => [flag, '127.0.0.1:0']);

/** Exit status, or the name of the signal that ended a process. */
export type Ending = number | string;

export interface Run {
  readonly code: Ending;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command until it ends. `onOutput` gets what it has printed so far. */
export async function squitter(
  args: readonly string[],
  { program = squitterBin, env, ...io }: ProgramIo & { program?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Run> {
  const running = new TestProgram([process.execPath, program, ...args], { ...process.env, ...env }, io);
  const code = await running.ended;
  await running.closed;
  return { code, ...running.printed };
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

export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'squitter-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Generous, for a busy machine. */
export const READY_MS_MAX = 120_000;
/** Also for a frozen process. */
const RESPONSE_MS_MAX = 120_000;
/** A process that dies closes its connections a little earlier. */
const DYING_MS_MAX = 2000;
/** The last output may arrive after the exit, and a child of the process may hold the output open. */
const OUTPUT_MS_MAX = 1000;
const OUTPUT_SHOWN = 4000;

interface ProgramIo {
  readonly input?: string | Buffer;
  readonly onOutput?: (stdout: string) => void;
}

/** A program in a process group of its own, which does not outlive the tests. */
export class TestProgram {
  readonly child: ChildProcess;
  /** Resolves with its last output. */
  readonly ended: Promise<Ending>;
  /** Its output is complete. A child of the process may hold it open. */
  readonly closed: Promise<unknown>;
  /** Null while it runs. */
  ending: Ending | null = null;
  readonly printed = { stdout: '', stderr: '' };
  private text = '';

  constructor([program = '', ...words]: readonly string[], env: NodeJS.ProcessEnv = process.env, { input, onOutput }: ProgramIo = {}) {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    this.child = spawn(program, words, { cwd: projectDir, env, detached: true, stdio: [stdin, 'pipe', 'pipe'] });
    this.child.stdin?.on('error', () => {}).end(input);
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name]!.setEncoding('utf8').on('data', (chunk: string) => {
        this.text += chunk;
        this.printed[name] += chunk;
        if (name === 'stdout') onOutput?.(this.printed.stdout);
      });
    // A failing test leaves no process behind.
    const kill = (): void => this.killGroup();
    process.once('exit', kill);
    this.closed = new Promise((resolve) => this.child.once('close', resolve));
    this.ended = new Promise((resolve) =>
      this.child.once('exit', (code, signal) => {
        process.off('exit', kill);
        const ending = code ?? signal!;
        this.ending = ending;
        void settledWithin(this.closed, OUTPUT_MS_MAX).then(() => resolve(ending));
      }),
    );
  }

  get running(): boolean {
    return this.ending === null;
  }

  /** All output so far, of both streams. */
  output(): string {
    return this.text;
  }

  /** Waits for output. Errors: the program ends first, or is silent. */
  async match(pattern: RegExp): Promise<RegExpExecArray> {
    await until(() => !this.running || pattern.test(this.text), `${pattern} in the output`, READY_MS_MAX).catch((error) =>
      Promise.reject(this.failure(error.message)),
    );
    return pattern.exec(this.text) ?? Promise.reject(this.failure(`no ${pattern}`));
  }

  /** Resident memory. */
  residentBytes(): number {
    return residentBytes(this.child.pid!).now;
  }

  /** Sends SIGTERM. */
  stop(): Promise<Ending> {
    this.child.kill('SIGTERM');
    return this.ended;
  }

  /** Sends SIGKILL to the whole process group. */
  async kill(): Promise<void> {
    this.killGroup();
    await this.ended;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  /** An error that says how the program is, and its last output. */
  failure(what: string, cause?: unknown): Error {
    const state = this.running ? 'runs' : `ended with ${this.ending}`;
    return new Error(`${what}; the program ${state}: ${this.text.slice(-OUTPUT_SHOWN)}`, { cause });
  }

  private killGroup(): void {
    try {
      process.kill(-this.child.pid!, 'SIGKILL');
    } catch {
      // The group has ended.
    }
  }
}

/** Resident memory of a process now, the most since its peak was reset, and that of no file. Linux. */
export function residentBytes(pid: number): { readonly now: number; readonly peak: number; readonly anonymous: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const kib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  return { now: kib('VmRSS'), peak: kib('VmHWM'), anonymous: kib('RssAnon') };
}

const TICKS_PER_S = 100;

/** CPU time of another process, or of a thread: PID/task/TID. Linux. */
export function processCpuSeconds(pid: number | string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}

/** Where `squitter start` says what it listens on. */
const HTTP = /^Squitter starts at +http:\/\/(\S+)\/$/m;
const PUSH = /^ +push port +([^\s,]+),/m;
const LISTEN = /^ +feeders push Beast\/AVR +\S+:(\d+)$/m;

/** A program with an HTTP port, which the system chooses and its output says. */
export class ServiceProgram extends TestProgram {
  private readonly address: RegExp;

  constructor(command: readonly string[], env: NodeJS.ProcessEnv = process.env, address = HTTP) {
    super(command, env);
    this.address = address;
  }

  /** Error: it does not listen yet. */
  get url(): string {
    const [, address] = this.address.exec(this.output()) ?? [];
    if (address === undefined) throw this.failure('it does not listen yet');
    return `http://${address}`;
  }

  /** The error says whether it has ended, and how. */
  readonly get = async (path: string, headers: Record<string, string> = {}): Promise<Response> => {
    const { url } = this;
    try {
      return await fetch(url + path, { headers, signal: AbortSignal.timeout(RESPONSE_MS_MAX) });
    } catch (error) {
      await settledWithin(this.ended, DYING_MS_MAX);
      throw this.failure(`no response to ${path}`, error);
    }
  };

  /** The JSON of a response, whatever its status. */
  async json<Body>(path: string): Promise<Body> {
    return (await (await this.get(path)).json()) as Body;
  }

  async textOf(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** Sum of a metric's samples that have these labels; 0 without any. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    const samples = parseMetrics(await this.textOf('/metrics')).filter((sample) =>
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
    );
    return sumOf(samples, name);
  }
}

export class RunningService extends ServiceProgram {
  listenPort = 0;
  /** HOST:PORT of the push port. */
  push = '';

  get httpPort(): number {
    return Number(new URL(this.url).port);
  }

  get pushPort(): number {
    return Number(this.push.split(':')[1]);
  }
}

/** Starts `squitter start` and waits for 200 from /readyz. `env` overrides that of the tests; `descriptors` is the limit of open files. */
export async function startService(
  dataDir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  descriptors?: number,
  launcher: readonly string[] = [],
  program: readonly string[] = [process.execPath, builtProgram('infra/cli/squitter', env)],
): Promise<RunningService> {
  const command = [...launcher, ...program, 'start', '--data', dataDir, ...freePortFlags, ...args];
  const limit = descriptors === undefined ? [] : ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(descriptors)];
  const service = new RunningService([...limit, ...command], { ...process.env, ...env });
  try {
    await service.match(HTTP);
    service.push = (await service.match(PUSH))[1]!;
    service.listenPort = Number((await service.match(LISTEN))[1]);
    await until(async () => (await service.get('/readyz')).ok, '200 from /readyz', READY_MS_MAX);
    return service;
  } catch (error) {
    const full = service.failure((error as Error).message, error);
    await service.kill();
    throw full;
  }
}
