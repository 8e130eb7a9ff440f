// The daily files as a part of a service: publishes closed days on a schedule, and reports it.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Catalog } from '../../../exporters/catalog/catalog.ts';
import type { ObjectStoreAddress } from '../../../exporters/catalog/object-store.ts';
import { trimPublished } from '../../../exporters/catalog/trim.ts';
import { type DailyJobOptions, dailyJob } from '../../../exporters/daily/daily-job.ts';
import { dayStartMs, nextDay } from '../../../exporters/jobs/due-days.ts';
import type { JobEvent, JobScheduler, SchedulerOptions } from '../../../exporters/jobs/job-scheduler.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import type { DailyManifest } from '../../../schemas/daily-file.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { Closer } from '../closing.ts';
import { errorFields } from '../logging.ts';

const DAY_MS = 86_400_000;

export interface DailyFilesOptions extends DailyJobOptions {
  readonly catalog: Catalog;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly open: (options: SchedulerOptions) => JobScheduler;
}

/** Looks for due days from now on. A day that fails is tried again; nothing else depends on it. */
export async function startDailyFiles(options: DailyFilesOptions, closers: Closer[]) {
  const { catalog, registry, logger, open, ...job } = options;
  const runs = { done: 0, failed: 0 };
  exportMetrics(registry, {
    squitter_export_runs_total: () => Object.entries(runs),
    async squitter_export_age_seconds() {
      const [newest] = await catalog.days();
      return newest === undefined ? Number.NaN : Math.max(0, (Date.now() - dayStartMs(nextDay(newest.day))) / 1000);
    },
  });
  /** By day, until it is done. */
  const failures = new Map<string, string>();
  let stateFailure: string | null = null;
  const report = (event: JobEvent): void => {
    if (event.kind === 'done') failures.delete(event.day);
    else if (event.kind === 'failed') failures.set(event.day, `${event.day} was not published: ${textOf(event.error)}`);
    stateFailure = event.kind === 'state' ? `the schedule of exports cannot be read or written: ${textOf(event.error)}` : null;
    if (event.kind === 'state')
      logger.warn({ err: errorFields(event.error as Error), job: event.job }, 'the state of a job cannot be read or written');
    else {
      runs[event.kind] += 1;
      if (event.kind === 'failed')
        logger.warn(
          { day: event.day, attempts: event.attempts, error: String(event.error) },
          'a day was not published; trying again later',
        );
      else logger.debug({ day: event.day }, 'the day is done');
    }
  };
  const scheduler = open({ nowMs: Date.now, checkMs: limits.exportCheckMs, onEvent: report });
  closers.unshift(() => scheduler.close());
  await scheduler.start(dailyJob(job));
  return {
    /** Why a day is not published, or the schedule not kept; null without a failure. */
    problem(): string | null {
      // Days before that are not tried any more.
      const oldestMs = Date.now() - (limits.exportDaysMax + 1) * DAY_MS;
      for (const day of failures.keys()) if (dayStartMs(day) < oldestMs) failures.delete(day);
      return stateFailure ?? [...failures.values()].at(-1) ?? null;
    },
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface Publishing {
  readonly outDir: string;
  /** Disk space of published days. */
  readonly bytesMax: number;
  readonly objectStore: ObjectStoreAddress | null;
  readonly logger: Logger;
}

/** Uploads an exported day and removes the oldest days. A failure makes the day due again: its files stay, and only this is repeated. */
export function afterExport({ outDir, bytesMax, objectStore, logger }: Publishing): NonNullable<DailyJobOptions['onExported']> {
  return async (day, manifest) => {
    if (manifest === null) {
      logger.info({ day }, 'there are no daily files: the day has no positions and no flights');
      return;
    }
    logger.info({ day }, 'the daily files are published');
    if (objectStore !== null) await upload(objectStore, outDir, manifest);
    const removed = await trimPublished(outDir, bytesMax);
    if (removed.length > 0) logger.info({ removed }, 'the oldest daily files were removed, for their disk space');
  };
}

async function upload(address: ObjectStoreAddress, outDir: string, manifest: DailyManifest): Promise<void> {
  const { ObjectStore } = await import('../../../exporters/catalog/object-store.ts');
  await new ObjectStore(address).publish(outDir, manifest);
}
