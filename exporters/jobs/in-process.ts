// The embedded JobScheduler: a timer in this process, states in a file per job. One process at a time has the folder, as it has the log beside it.
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileModeIn, PRIVATE_FOLDER_MODE } from '../../pipeline/runtime/private-files.ts';
import { runDueDays, type StateStore } from './day-runner.ts';
import { type DayStates, nextDueMs, parseStates } from './due-days.ts';
import type { DailyJob, JobScheduler, SchedulerOptions } from './job-scheduler.ts';

export class InProcessScheduler implements JobScheduler {
  private readonly options: SchedulerOptions;
  private readonly store: StateStore;
  private readonly stop = new AbortController();
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly runs = new Set<Promise<void>>();

  constructor(folder: string, options: SchedulerOptions) {
    this.options = options;
    this.store = fileStates(folder, (job, error) => options.onEvent?.({ kind: 'state', job, error }));
  }

  async start(job: DailyJob): Promise<void> {
    this.runDue(job);
  }

  async close(): Promise<void> {
    this.stop.abort();
    for (const timer of this.timers) clearTimeout(timer);
    await Promise.all(this.runs);
  }

  private runDue(job: DailyJob): void {
    const { signal } = this.stop;
    const run = runDueDays(job, this.store, this.options, signal)
      .catch((error: unknown) => this.options.onEvent?.({ kind: 'state', job: job.name, error }))
      .then(async () => {
        this.runs.delete(run);
        if (!signal.aborted) await this.wait(job);
      });
    this.runs.add(run);
  }

  /** Never longer than `checkMs`: the wall clock may be set, and a suspended machine's timers stand still. */
  private async wait(job: DailyJob): Promise<void> {
    const { nowMs, checkMs } = this.options;
    const dueInMs = nextDueMs(await this.store.read(job.name), nowMs(), job) - nowMs();
    if (this.stop.signal.aborted) return;
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        this.runDue(job);
      },
      Math.min(checkMs, Math.max(dueInMs, Math.min(1000, checkMs))),
    );
    timer.unref();
    this.timers.add(timer);
  }
}

/** One small JSON file per job, replaced as a whole. What was read or written last is kept, so that an unwritable disk does not make days run in a circle. */
function fileStates(folder: string, onError: (job: string, error: unknown) => void): StateStore {
  const known = new Map<string, DayStates>();
  const fileOf = (name: string): string => join(folder, `${name}.json`);
  return {
    async read(name) {
      let states = known.get(name);
      if (states !== undefined) return states;
      states = {};
      try {
        states = parseStates(await readFile(fileOf(name), 'utf8'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(name, error);
      }
      known.set(name, states);
      return states;
    },
    async write(name, states) {
      known.set(name, states);
      try {
        await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER_MODE });
        const part = `${fileOf(name)}.part`;
        const file = await open(part, 'w', fileModeIn(folder));
        try {
          await file.writeFile(`${JSON.stringify(states, null, 1)}\n`);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(part, fileOf(name));
      } catch (error) {
        onError(name, error);
      }
    },
  };
}
