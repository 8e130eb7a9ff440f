// The parent's side of the history store: starts the child process, restarts it on the same port, stops it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { isSmallMemory } from '../../pipeline/runtime/memory.ts';
import { lowerPriority } from '../../pipeline/runtime/priority.ts';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { FailedStart, FromStore, StoreStart, StoreStats, ToStore } from './messages.ts';

export interface StoreChildOptions extends Omit<StoreStart, 'port'> {
  /** The compiled entry, `store-process.js`. */
  readonly processFile: URL;
  /** Program that starts Node, with its arguments: `nsenter …` for a file system of its own. Default: Node itself. */
  readonly launcher?: readonly string[];
  /** A store that does not start is started again and again, as one that ended. Default: it is an error. */
  readonly keepsTrying?: boolean;
  /** With `keepsTrying`: ends the wait for the first start. The attempts continue. */
  readonly signal?: AbortSignal;
  /** Silence after which the process is ended. Default: the limit. */
  readonly silentMsMax?: number;
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>, message: string) => void;
}

/** Another attempt does not help: a service runs without history. */
const FINAL: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['history.no_engine', 'history.no_descriptors']);

export function isFinal(error: unknown): error is SquitterError {
  return error instanceof SquitterError && FINAL.has(error.code);
}

/** The engine's words for a folder that another process has locked. */
const ALREADY_RUNNING = /Another server instance in same directory is already running/;

interface Running {
  readonly child: ChildProcess;
  readonly version: string;
  readonly ended: Promise<string>;
}

/**
 * Resolves when the store answers. With `keepsTrying` also when it has failed for the first time, or takes long: a service does not wait for it.
 * Errors: `history.no_engine` without the engine's package; `history.no_descriptors`; `history.in_use` and `history.not_started` without `keepsTrying`.
 */
export async function startStoreChild(options: StoreChildOptions): Promise<StoreChild> {
  const store = new StoreChild(options, await freePort());
  await store.begin();
  return store;
}

export class StoreChild {
  private readonly options: StoreChildOptions;
  private readonly lines: LogLimiter;
  private readonly stopping = new AbortController();
  private port: number;
  /** Clients have the address: it cannot change any more. */
  private isPublished = false;
  private running: Running | null = null;
  private newest: StoreStats | null = null;
  private failure: string | null = null;
  private restartCount = 0;
  private supervision: Promise<void> = Promise.resolve();
  /** Steps of our own timer without statistics. Steps, not time: a pause of this process is none of the store. */
  private silentSteps = 0;
  private watch: NodeJS.Timeout | undefined;

  constructor(options: StoreChildOptions, port: number) {
    this.options = options;
    this.port = port;
    this.lines = new LogLimiter((level, fields, message) => options.log(level === 'info' ? 'info' : 'warn', fields, message));
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async begin(): Promise<void> {
    const { keepsTrying = false, signal } = this.options;
    const first = this.firstStart();
    const refused = first.then(
      () => null,
      (error: unknown) => (this.survives(error) ? null : { error }),
    );
    this.supervision = this.supervise(first);
    this.watch = setInterval(() => this.checkSilence(), limits.storeStatsMs).unref();
    const enough = new AbortController();
    const waiting = AbortSignal.any([enough.signal, ...(signal === undefined ? [] : [signal])]);
    const late = sleep(limits.storeStartWaitMsMax, null, { signal: waiting }).catch(() => null);
    const refusal = await (keepsTrying ? Promise.race([refused, late]) : refused);
    enough.abort();
    this.isPublished = true;
    if (refusal === null) return;
    await this.stop();
    throw refusal.error;
  }

  /** Version of the engine; null while it does not run. */
  version(): string | null {
    return this.running?.version ?? null;
  }

  /** Process id; null while it is restarted. */
  pid(): number | null {
    return this.running?.child.pid ?? null;
  }

  /** The newest; null before the first of a process. */
  stats(): StoreStats | null {
    return this.newest;
  }

  /** False while it does not run, and when it has been silent for some seconds. */
  answers(): boolean {
    return this.running !== null && this.silentMs < limits.storeSilentMsWarned;
  }

  /** Why the store does not answer, or refuses inserts; null while it does neither. */
  problem(): string | null {
    if (this.running === null) return this.failure ?? 'the history store is being started';
    if (!this.answers()) return `the history store has not responded for ${Math.floor(this.silentMs / 1000)} s`;
    return this.newest?.refusal ?? null;
  }

  restarts(): number {
    return this.restartCount;
  }

  async stop(): Promise<void> {
    // Ends a process that is being started, too.
    this.stopping.abort();
    clearInterval(this.watch);
    if (this.running !== null) await end(this.running);
    await this.supervision;
    this.lines.flush();
  }

  /** True if another attempt follows an error of the first start. */
  private survives(error: unknown): boolean {
    return this.options.keepsTrying === true && !isFinal(error);
  }

  private get silentMs(): number {
    return this.silentSteps * limits.storeStatsMs;
  }

  /** A store that is frozen, or stuck in the engine, holds the folder and does not respond: it is ended, and started again as one that ended by itself. */
  private checkSilence(): void {
    if (this.running === null) return;
    this.silentSteps += 1;
    if (this.silentMs < (this.options.silentMsMax ?? limits.storeSilentMsMax)) return;
    const seconds = this.silentMs / 1000;
    this.silentSteps = 0;
    this.lines.line('warn', { seconds }, 'the history store has not responded for too long and is ended');
    this.running.child.kill('SIGKILL');
  }

  private async supervise(first: Promise<Running>): Promise<void> {
    const { signal } = this.stopping;
    let start = first;
    for (let pauseMs: number = limits.storeRestartMsMin; ; pauseMs = Math.min(2 * pauseMs, limits.storeRestartMsMax)) {
      if ((await this.runOnce(start)) > limits.storeSteadyMs) pauseMs = limits.storeRestartMsMin;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      this.restartCount += 1;
      start = this.startOnce();
    }
  }

  /** From the start to the end of a process. Resolves to the time in which it answered, in ms. */
  private async runOnce(start: Promise<Running>): Promise<number> {
    const { signal } = this.stopping;
    let running: Running;
    try {
      running = await start;
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      if (!signal.aborted && (this.isPublished || this.survives(error)))
        this.lines.line('warn', { error: this.failure }, 'the history store cannot be started; another attempt follows');
      return 0;
    }
    const answeringMs = performance.now();
    this.failure = null;
    this.silentSteps = 0;
    this.running = running;
    if (this.restartCount > 0) this.lines.line('info', { port: this.port }, 'the history store answers again');
    // Stopped while it began to answer.
    if (signal.aborted) await end(running);
    const how = await running.ended;
    this.running = null;
    this.newest = null;
    if (!signal.aborted) this.lines.line('warn', { how }, 'the history store ended by itself and is started again');
    return performance.now() - answeringMs;
  }

  /** The child of a service that was just killed may need a moment to notice. */
  private async firstStart(): Promise<Running> {
    const startedMs = performance.now();
    for (;;) {
      try {
        return await this.startOnce();
      } catch (error) {
        const isInUse = error instanceof SquitterError && error.code === 'history.in_use';
        const isTaken = !this.isPublished && String(error).includes('EADDRINUSE');
        const isLate = performance.now() - startedMs > limits.storeStopMsMax;
        if (this.stopping.signal.aborted || isLate || !(isInUse || isTaken)) throw error;
        if (isTaken) this.port = await freePort();
        await sleep(limits.storeRestartMsMin);
      }
    }
  }

  private startOnce(): Promise<Running> {
    const onStats = (stats: StoreStats): void => {
      this.newest = stats;
      this.silentSteps = 0;
    };
    return startProcess(this.options, this.port, onStats, this.stopping.signal);
  }
}

async function startProcess(
  options: StoreChildOptions,
  port: number,
  onStats: (stats: StoreStats) => void,
  signal: AbortSignal,
): Promise<Running> {
  const { processFile, launcher, keepsTrying: _, signal: _signal, silentMsMax: _silent, log: _log, ...start } = options;
  const child = fork(fileURLToPath(processFile), [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Its settings come in its first message, not from our environment.
    env: storeEnvironment(),
    ...(launcher === undefined ? { execArgv: [] } : { execPath: launcher[0]!, execArgv: [...launcher.slice(1), process.execPath] }),
  });
  // Before it has threads: they get the priority of the one that starts them.
  if (child.pid !== undefined) lowerPriority(limits.storeNiceness, child.pid);
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-limits.storeErrorTextMax);
  });
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => resolve(`${by ?? `status ${code}`}${errorText === '' ? '' : `: ${errorText.trim()}`}`));
  });
  let failed: Extract<FromStore, { type: 'failed' }> | null = null;
  const started = new Promise<Running>((resolve, reject) => {
    child.on('message', (message: FromStore) => {
      if (message.type === 'stats') onStats(message.stats);
      else if (message.type === 'ready') resolve({ child, ended, version: message.version });
      else failed = message;
    });
    // A child that failed ends; the engine has written its reason by then.
    void ended.then((how) => {
      if (ALREADY_RUNNING.test(errorText)) reject(startError(options.folder, 'in_use', errorText.trim()));
      else
        reject(
          startError(options.folder, failed?.reason ?? 'other', failed === null ? how : `${failed.detail} ${errorText.trim()}`.trim()),
        );
    });
  });
  child.send({ type: 'start', start: { ...start, port } } satisfies ToStore, () => {});
  const kill = (): boolean => child.kill('SIGKILL');
  const late = setTimeout(kill, limits.storeStartMsMax).unref();
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    return await started;
  } catch (error) {
    kill();
    await ended;
    throw error;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', kill);
  }
}

/** Environment of the store's process. Its pool has threads enough for long statements and for files. */
export function storeEnvironment(isSmall = isSmallMemory()): Readonly<Record<string, string>> {
  const threads = isSmall ? limits.storeSmallPoolThreads : limits.storePoolThreads;
  // By default the engine's allocator has arenas for each processor, and keeps freed memory for ten seconds. With fewer threads and one arena the process
  // takes 77 instead of 87 MB at 500 aircraft, and 0.01 cores more.
  const allocator = isSmall ? { JE_MALLOC_CONF: 'narenas:1,dirty_decay_ms:1000,muzzy_decay_ms:0' } : {};
  return { MALLOC_ARENA_MAX: '2', UV_THREADPOOL_SIZE: String(threads), ...allocator };
}

/** Clients know the address of a store before it runs. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function startError(path: string, reason: FailedStart | 'in_use', detail: string): SquitterError {
  if (reason === 'descriptors') return new SquitterError('history.no_descriptors', { needed: limits.storeDescriptorsMin, limit: detail });
  if (reason === 'unavailable') return new SquitterError('history.no_engine', { detail });
  return reason === 'in_use'
    ? new SquitterError('history.in_use', { path, detail })
    : new SquitterError('history.not_started', { path, detail });
}

async function end({ child, ended }: Running): Promise<void> {
  child.send({ type: 'stop' } satisfies ToStore, () => {});
  const late = setTimeout(() => child.kill('SIGKILL'), limits.storeStopMsMax);
  await ended;
  clearTimeout(late);
}
