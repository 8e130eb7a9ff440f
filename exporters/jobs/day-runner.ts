// Runs the due days of a job until none is due. Both adapters use it; they differ in where states are kept and in what makes them look.
import { afterDone, afterFailure, attemptsOf, type DayStates, dueDay } from './due-days.ts';
import type { DailyJob, SchedulerOptions } from './job-scheduler.ts';

/** Where the states of a job are kept. */
export interface StateStore {
  read(name: string): Promise<DayStates>;
  write(name: string, states: DayStates): Promise<void>;
}

/** Errors: those of the store. Failures of the job become events and a later attempt. */
export async function runDueDays(job: DailyJob, store: StateStore, options: SchedulerOptions, signal: AbortSignal): Promise<void> {
  const { nowMs, onEvent } = options;
  while (!signal.aborted) {
    const before = await store.read(job.name);
    const day = dueDay(before, nowMs(), job);
    if (day === null) return;
    let failure: { readonly error: unknown } | null = null;
    try {
      await job.run(day, signal);
    } catch (error) {
      failure = { error };
    }
    // A stop is no failure, and a job that ended because of it may have done a part only.
    if (signal.aborted) return;
    // Read again: the run took hours, and another process may have written meanwhile.
    const states = await store.read(job.name);
    const next = failure === null ? afterDone(states, day, nowMs(), job) : afterFailure(states, day, nowMs(), job);
    await store.write(job.name, next);
    if (failure === null) onEvent?.({ kind: 'done', job: job.name, day });
    else onEvent?.({ kind: 'failed', job: job.name, day, error: failure.error, attempts: attemptsOf(next[day]) });
  }
}
