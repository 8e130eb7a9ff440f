// Processes of a benchmark: servers and readers that are forked and report by messages, and the whole service as `npm start` runs it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processesOf, type RunningService, squitterCommand, startService, TestProgram, temporaryFolder } from '../support/service.ts';
import type { Reference } from './harness.ts';

const REPORT_MS_MAX = 60_000;

/** A forked module of this folder, which takes orders and sends reports, each with a type. */
export class Child<Order extends object, Report extends { type: string }> {
  readonly process: ChildProcess;
  private readonly file: string;

  constructor(file: string, args: readonly string[] = []) {
    this.file = file;
    this.process = fork(fileURLToPath(new URL(file, import.meta.url)), args, { stdio: 'inherit', serialization: 'advanced' });
  }

  order(order: Order): void {
    this.process.send(order);
  }

  /** The next report. Errors: the process ends, it is silent for a minute, or it reports something else. */
  async report<T extends Report['type']>(type: T): Promise<Report & { type: T }> {
    const stop = new AbortController();
    const { signal } = stop;
    const failed = Promise.race([
      once(this.process, 'exit', { signal }).then(([status]) => {
        throw new Error(`${this.file} ended with status ${status}`);
      }),
      sleep(REPORT_MS_MAX, null, { signal }).then(() => {
        throw new Error(`${this.file}: no report '${type}' within ${REPORT_MS_MAX / 1000} s`);
      }),
    ]);
    failed.catch(() => {});
    const [report] = (await Promise.race([once(this.process, 'message', { signal }), failed])) as [Report];
    stop.abort();
    if (report.type !== type) throw new Error(`a report '${report.type}' instead of '${type}'`);
    return report as Report & { type: T };
  }

  async stop(): Promise<void> {
    if (!this.process.connected) return;
    await Promise.all([once(this.process, 'exit'), this.process.disconnect()]);
  }
}

/** CPU seconds of a service so far and resident memory, with the processes that it started; completely processed or refused frames. */
export async function usageOf(
  service: RunningService,
): Promise<{ readonly cpuS: number; readonly megabytes: number; readonly frames: number }> {
  const processes = processesOf(service.child.pid!);
  const { messages } = await service.json<{ messages: number }>('/v2/stats');
  return {
    cpuS: processes.reduce((sum, { cpuS }) => sum + cpuS, 0),
    megabytes: processes.reduce((sum, { megabytes }) => sum + megabytes, 0),
    frames: messages + (await service.metric('squitter_fold_rejected_total')),
  };
}

/** Resident memory of a Node process that does nothing, MB. */
export async function bareMemory(): Promise<Reference> {
  const bare = new TestProgram([process.execPath, '-e', 'setInterval(() => process.stdout.write("."), 200)']);
  await bare.match(/\./);
  const bytes = bare.residentBytes();
  await bare.kill();
  return { value: bytes / 1e6, what: 'a Node process that does nothing' };
}

/** Runs `work` with an empty folder, which it has to itself. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const { path, remove } = temporaryFolder();
  try {
    return await work(path);
  } finally {
    remove();
  }
}

/** How a service of a benchmark starts. */
interface ServiceStart {
  readonly env?: Readonly<Record<string, string>>;
  /** Another build's installed command. */
  readonly command?: string;
}

/** Runs `work` on a service as `npm start` runs it, with a data folder of its own. */
export function withService<T>(flags: readonly string[], work: (service: RunningService) => Promise<T>, start?: ServiceStart): Promise<T> {
  return withFolder((dataDir) => withServiceOn(dataDir, flags, work, start));
}

/** The same on an existing data folder. */
export async function withServiceOn<T>(
  dataDir: string,
  flags: readonly string[],
  work: (service: RunningService) => Promise<T>,
  { env = {}, command = squitterCommand }: ServiceStart = {},
): Promise<T> {
  const service = await startService(dataDir, flags, env, undefined, [], [command]);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}
