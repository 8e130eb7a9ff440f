// The job that publishes each closed day. The work is done by a program of its own: DuckDB needs memory that the service then has back, and a fault in it ends the program only.
import { spawn } from 'node:child_process';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { lowerPriority } from '../../pipeline/runtime/priority.ts';
import type { DailyManifest } from '../../schemas/daily-file.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { dayStartMs, nextDay } from '../jobs/due-days.ts';
import type { DailyJob } from '../jobs/job-scheduler.ts';
import { publishedManifest } from './out-folder.ts';
import { checkDayWhole, type StageGroup } from './whole-day.ts';

const CHILD_NICENESS = 7;

export interface DailyJobOptions {
  readonly log: EventLog;
  readonly outDir: string;
  /** Program and arguments that export a day, as `squitter export --day DAY …`. */
  readonly command: (day: string) => readonly [program: string, ...args: string[]];
  /** Environment of the program; by default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The stages before the positions: where one of them has not finished the day, no positions do not mean that there are none. */
  readonly stages: readonly StageGroup[];
  /** Called after an export. Without positions and flights a day has no files, and no manifest. */
  readonly onExported?: (day: string, manifest: DailyManifest | null) => Promise<void>;
}

/** Errors of a run: `export.day_incomplete`; `export.day_failed` with the last line of the program. */
export function dailyJob(options: DailyJobOptions): DailyJob {
  return {
    name: 'export',
    dueAfterMs: limits.exportDueAfterMs,
    daysMax: limits.exportDaysMax,
    async run(day, signal) {
      let manifest = await publishedManifest(options.outDir, day);
      if (manifest === null) {
        if (await isEmpty(options.log, day)) {
          await checkDayWhole(options.log, day, options.stages);
          return;
        }
        await runProgram(options.command(day), options.env, day, signal);
        manifest = await publishedManifest(options.outDir, day);
      }
      await options.onExported?.(day, manifest);
    },
  };
}

/** True if the log has no positions of the day: a new installation has many such days behind it. */
async function isEmpty(log: EventLog, day: string): Promise<boolean> {
  const fromMs = dayStartMs(day) - limits.exportSlackMs;
  const toMs = dayStartMs(nextDay(day)) + limits.exportSlackMs;
  for (let partition = 0; partition < log.partitions('positions'); partition += 1)
    if ((await log.offsetAt('positions', partition, fromMs)) < (await log.offsetAt('positions', partition, toMs))) return false;
  return true;
}

async function runProgram(
  [program, ...args]: readonly [string, ...string[]],
  env: DailyJobOptions['env'],
  day: string,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], ...(env === undefined ? {} : { env }) });
  // Live data come first.
  if (child.pid !== undefined) lowerPriority(CHILD_NICENESS, child.pid);
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-limits.exportErrorBytesMax);
  });
  const stop = (): void => void child.kill('SIGTERM');
  signal.addEventListener('abort', stop);
  // It cleans up on SIGTERM; if this process ends first, the program must not continue.
  const killed = (): void => void child.kill('SIGKILL');
  process.once('exit', killed);
  try {
    const status = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, name) => resolve(code ?? name ?? 'unknown'));
    });
    if (status !== 0) throw new SquitterError('export.day_failed', { day, detail: errors.trim().split('\n').at(-1) || `status ${status}` });
  } finally {
    signal.removeEventListener('abort', stop);
    process.removeListener('exit', killed);
  }
}
