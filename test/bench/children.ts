// Processes of a benchmark: servers and readers that are forked and report by messages, and the whole service as `npm start` runs it.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseMetrics, sumOf } from '../runner/metrics-page.ts';
import { type RunningService, squitterCommand, startService, temporaryFolder } from '../support/service.ts';

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

/** CPU seconds of a service so far, resident memory, and completely processed or refused frames. */
export async function usageOf(
  service: RunningService,
): Promise<{ readonly cpuS: number; readonly megabytes: number; readonly frames: number }> {
  const samples = parseMetrics(await service.textOf('/metrics'));
  const { messages } = await service.json<{ messages: number }>('/v2/stats');
  return {
    cpuS: sumOf(samples, 'process_cpu_seconds_total'),
    megabytes: sumOf(samples, 'process_resident_memory_bytes') / 1e6,
    frames: messages + sumOf(samples, 'squitter_fold_rejected_total'),
  };
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
export function withService<T>(flags: readonly string[], work: (service: RunningService) => Promise<T>): Promise<T> {
  return withFolder((dataDir) => withServiceOn(dataDir, flags, work));
}

/** The same on an existing data folder. */
export async function withServiceOn<T>(
  dataDir: string,
  flags: readonly string[],
  work: (service: RunningService) => Promise<T>,
): Promise<T> {
  const service = await startService(dataDir, flags, {}, undefined, [], [squitterCommand]);
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}
