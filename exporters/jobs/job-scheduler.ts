// The JobScheduler port: work that is due once for every closed UTC day, whatever restarts, failures and downtime come between.

/** Work of one kind, once for every closed UTC day. */
export interface DailyJob {
  /** Lower-case letters, digits and dashes; the name of its state. */
  readonly name: string;
  /** A day is due this long after its end. */
  readonly dueAfterMs: number;
  /** Closed days before today that are still made up for; older ones are left out. */
  readonly daysMax: number;
  /**
   * Does the work of a day. It may be called again for a day that is done: after a crash between the work and its record, or when another process took
   * over from one that stood still. So it must not matter how often it runs. A failure is tried again later; other days do not wait for it.
   */
  run(day: string, signal: AbortSignal): Promise<void>;
}

export type JobEvent =
  | { readonly kind: 'done'; readonly job: string; readonly day: string }
  | { readonly kind: 'failed'; readonly job: string; readonly day: string; readonly error: unknown; readonly attempts: number }
  /** The state of the job cannot be read or written. Days may run again. */
  | { readonly kind: 'state'; readonly job: string; readonly error: unknown };

export interface SchedulerOptions {
  readonly nowMs: () => number;
  /** How often the scheduler looks for due days. */
  readonly checkMs: number;
  readonly onEvent?: (event: JobEvent) => void;
}

export interface JobScheduler {
  /** Looks for due days from now on. Days run one after the other, the oldest first. */
  start(job: DailyJob): Promise<void>;
  /** Aborts the signal of a running job and waits for its end. Its day stays due. */
  close(): Promise<void>;
}
