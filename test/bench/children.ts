// Processes of a benchmark: servers and readers that are forked and report by messages, and the whole service as `npm start` runs it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  processCpuSeconds,
  type RunningService,
  residentBytes,
  squitterCommand,
  startService,
  TestProgram,
  temporaryFolder,
} from '../support/service.ts';
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

/** CPU seconds of a process so far by name of thread, those of the processes that it started as `store`, and resident memory of each process. Linux. */
export function usageOf(pid: number) {
  const parts: Record<string, number> = {};
  const processes = [pid];
  const add = (name: string, process: number | string): void => {
    parts[name] = (parts[name] ?? 0) + processCpuSeconds(process);
  };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const path = `${pid}/task/${thread}`;
    const textOf = (file: string): string => readFileSync(`/proc/${path}/${file}`, 'latin1').trim();
    add(thread === String(pid) ? 'main' : textOf('comm'), path);
    for (const child of textOf('children').match(/\d+/g) ?? []) {
      add('store', child);
      processes.push(Number(child));
    }
  }
  return { parts, cpuS: sum(Object.values(parts)), megabytes: processes.map((process) => residentBytes(process).now / 1e6) };
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

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

/** Runs `work` on a service as `npm start` runs it, with a data folder of its own. */
export function withService<T>(
  flags: readonly string[],
  work: (service: RunningService) => Promise<T>,
  env?: Readonly<Record<string, string>>,
): Promise<T> {
  return withFolder((dataDir) => withServiceOn(dataDir, flags, work, env));
}

/** The same on an existing data folder. */
export async function withServiceOn<T>(
  dataDir: string,
  flags: readonly string[],
  work: (service: RunningService) => Promise<T>,
  env: Readonly<Record<string, string>> = {},
): Promise<T> {
  const service = await startService(dataDir, flags, env, undefined, [], [squitterCommand]);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}
