// The parent's side of the history store: starts the child process, restarts it on the same port, stops it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { lowerPriority } from '../../pipeline/runtime/priority.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import type { FromStore, StoreStart, StoreStats, ToStore } from './messages.ts';

export interface StoreChildOptions extends Omit<StoreStart, 'port'> {
  /** The compiled entry, `store-process.js`. */
  readonly processFile: URL;
  /** Program that starts Node, with its arguments: `nsenter …` for a file system of its own. Default: Node itself. */
  readonly launcher?: readonly string[];
  /** A store that does not start is started again and again, as one that ended. Default: it is an error. */
  readonly keepsTrying?: boolean;
  readonly log: (level: 'info' | 'warn', fields: Readonly<Record<string, unknown>>, message: string) => void;
}

export interface StoreChild {
  readonly url: string;
  /** Version of the engine; null while it does not run. */
  version(): string | null;
  /** Process id; null while it is restarted. */
  pid(): number | null;
  stats(): StoreStats | null;
  /** Why the store does not answer; null while it does. */
  problem(): string | null;
  restarts(): number;
  stop(): Promise<void>;
}

/** The engine's words for a folder that another process has locked. */
const ALREADY_RUNNING = /Another server instance in same directory is already running/;

interface Running {
  readonly child: ChildProcess;
  readonly port: number;
  readonly version: string;
  readonly ended: Promise<string>;
}

/**
 * Resolves when the store answers, or has failed to start for the first time and `keepsTrying`.
 * Errors: `history.no_engine` without the engine's package; `history.in_use` and `history.not_started` without `keepsTrying`.
 */
export async function startStoreChild(options: StoreChildOptions): Promise<StoreChild> {
  let stats: StoreStats | null = null;
  const onStats = (newest: StoreStats): void => {
    stats = newest;
  };
  let failure: string | null = null;
  const failed = (error: unknown): void => {
    failure = error instanceof Error ? error.message : String(error);
    options.log('warn', { error: failure }, 'the history store cannot be started; another attempt follows');
  };
  let running: Running | null = await firstStart(options, onStats).catch((error: unknown) => {
    const isFinal = error instanceof SquitterError && error.code === 'history.no_engine';
    if (isFinal || options.keepsTrying !== true) throw error;
    failed(error);
    return null;
  });
  const port = running?.port ?? (await freePort());
  let restarts = 0;
  const stopping = new AbortController();

  const supervise = async (): Promise<void> => {
    for (let pauseMs: number = historyLimits.storeRestartMsMin; !stopping.signal.aborted; ) {
      if (running !== null) {
        const answeringMs = performance.now();
        const how = await running.ended;
        if (performance.now() - answeringMs > historyLimits.storeSteadyMs) pauseMs = historyLimits.storeRestartMsMin;
        running = null;
        stats = null;
        if (stopping.signal.aborted) return;
        options.log('warn', { how }, 'the history store ended by itself and is started again');
      }
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      pauseMs = Math.min(pauseMs * 2, historyLimits.storeRestartMsMax);
      restarts += 1;
      try {
        running = await startOnce(options, port, onStats);
        failure = null;
        options.log('info', { port }, 'the history store answers again');
      } catch (error) {
        failed(error);
      }
    }
  };
  const supervision = supervise();

  return {
    url: `http://127.0.0.1:${port}`,
    version: () => running?.version ?? null,
    pid: () => running?.child.pid ?? null,
    stats: () => stats,
    problem: () => (running === null ? (failure ?? 'the history store is restarted') : (stats?.refusal ?? null)),
    restarts: () => restarts,
    async stop() {
      stopping.abort();
      // A start that is under way ends first.
      if (running === null) await supervision;
      if (running !== null) await end(running);
      await supervision;
    },
  };
}

/** The child of a service that was just killed may need a moment to notice. */
async function firstStart(options: StoreChildOptions, onStats: (stats: StoreStats) => void): Promise<Running> {
  const startedMs = performance.now();
  for (;;) {
    try {
      return await startOnce(options, 0, onStats);
    } catch (error) {
      const isInUse = error instanceof SquitterError && error.code === 'history.in_use';
      if (!isInUse || performance.now() - startedMs > historyLimits.storeStopMsMax) throw error;
      await sleep(historyLimits.storeRestartMsMin);
    }
  }
}

async function startOnce(options: StoreChildOptions, port: number, onStats: (stats: StoreStats) => void): Promise<Running> {
  const { processFile, launcher, keepsTrying: _, log: _log, ...start } = options;
  const child = fork(fileURLToPath(processFile), [], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Long statements must not take the threads that files need.
    env: { ...childEnvironment(), UV_THREADPOOL_SIZE: String(historyLimits.storePoolThreads) },
    ...(launcher === undefined ? { execArgv: [] } : { execPath: launcher[0]!, execArgv: [...launcher.slice(1), process.execPath] }),
  });
  // Before it has threads: they get the priority of the one that starts them.
  if (child.pid !== undefined) lowerPriority(historyLimits.storeNiceness, child.pid);
  let errorText = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errorText = (errorText + text).slice(-historyLimits.storeErrorTextMax);
  });
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(`${signal ?? `status ${code}`}${errorText === '' ? '' : `: ${errorText.trim()}`}`));
  });
  let failed: Extract<FromStore, { type: 'failed' }> | null = null;
  const started = new Promise<Running>((resolve, reject) => {
    child.on('message', (message: FromStore) => {
      if (message.type === 'stats') onStats(message.stats);
      else if (message.type === 'ready') resolve({ child, ended, port: message.port, version: message.version });
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
  try {
    return await started;
  } catch (error) {
    child.kill('SIGKILL');
    await ended;
    throw error;
  }
}

/** Clients know the address of a store before it runs. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

function startError(path: string, reason: Extract<FromStore, { type: 'failed' }>['reason'] | 'in_use', detail: string): SquitterError {
  if (reason === 'unavailable') return new SquitterError('history.no_engine', { detail });
  return reason === 'in_use'
    ? new SquitterError('history.in_use', { path, detail })
    : new SquitterError('history.not_started', { path, detail });
}

async function end({ child, ended }: Running): Promise<void> {
  child.send({ type: 'stop' } satisfies ToStore, () => {});
  const late = new AbortController();
  const kill = sleep(historyLimits.storeStopMsMax, undefined, { signal: late.signal }).then(
    () => child.kill('SIGKILL'),
    () => {},
  );
  await ended;
  late.abort();
  await kill;
}

/** Nothing of our own environment: the child gets its settings in its first message. */
function childEnvironment(): Record<string, string> {
  return { MALLOC_ARENA_MAX: '2' };
}
