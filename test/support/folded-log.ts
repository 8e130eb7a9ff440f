// A log on a temporary folder and a fold worker over it: folds to the end and leaves, or crashes without its last commit.
import { expect, onTestFinished } from 'vitest';
import { type FoldWorker, type FoldWorkerOptions, type FoldWorkerStats, startFoldWorker, TICK_MS } from '../../pipeline/fold/worker.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type OpenData, openData } from '../../pipeline/log/open-data.ts';
import { type Audit, audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { temporaryFolder } from './service.ts';

export const FOLD = { tickMs: TICK_MS, receiver: null };
const POLL_MS = 5;

/** An empty log for one test. */
export async function emptyLog(): Promise<OpenData> {
  const folder = temporaryFolder();
  const data = await openData(folder.path, 'write');
  onTestFinished(async () => {
    await data.log.close();
    folder.remove();
  });
  return data;
}

/** The log with another method. */
export function withMethod<Name extends keyof EventLog>(log: EventLog, name: Name, method: EventLog[Name]): EventLog {
  return new Proxy(log, {
    get(target, member) {
      if (member === name) return method;
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Resolves when the worker has read all partitions of a topic; rejects when it has failed. */
export async function readToEnd(
  log: EventLog,
  topic: TopicId,
  { stats, done }: { readonly stats: { readonly nextOffsets: ReadonlyMap<number, number> }; readonly done: Promise<unknown> },
): Promise<void> {
  for (let partition = 0; partition < log.partitions(topic); partition += 1) {
    const { next } = await log.bounds(topic, partition);
    while ((stats.nextOffsets.get(partition) ?? -1) < next)
      await Promise.race([new Promise((resolve) => setTimeout(resolve, POLL_MS)), done]);
  }
}

export const foldedAll = (log: EventLog, { stats, member }: FoldWorker): Promise<void> =>
  readToEnd(log, 'frames', { stats, done: member.done });

/** Audits a log, by this code or by the audit of another version. */
export const auditOf = (
  { log, codecs }: OpenData,
  { by = audit, fromMs = null }: { by?: typeof audit; fromMs?: number | null } = {},
): Promise<Audit> => by({ log, codecs, fold: FOLD, fromMs, onProgress: () => {}, signal: new AbortController().signal });

export const expectEqual = (result: Audit): void => expect(differencesOf(result), auditReport(result)).toBe(0);

/**
 * Folds everything, then leaves, or crashes: the commit and the snapshot of a partition that is given back are lost. `start`: of another version.
 * A fold that may commit only `commitsMax` times rejects.
 */
export async function foldToEnd(
  { log, codecs }: OpenData,
  {
    crash = false,
    commitsMax = Number.POSITIVE_INFINITY,
    start = startFoldWorker,
    ...options
  }: Partial<FoldWorkerOptions> & { readonly crash?: boolean; readonly commitsMax?: number; readonly start?: typeof startFoldWorker } = {},
): Promise<FoldWorkerStats> {
  let crashed = false;
  let commits = 0;
  let lostCommits = 0;
  const mortal = withMethod(log, 'commit', (commit) => {
    if (!crashed && commits < commitsMax) {
      commits += 1;
      return log.commit(commit);
    }
    lostCommits += 1;
    return Promise.reject(new Error('crashed'));
  });
  const worker = await start({ log: mortal, codecs, fold: FOLD, ...options });
  await foldedAll(log, worker);
  crashed = crash;
  await worker.member.leave();
  const end = await worker.member.done.then(
    () => 'left',
    (error: Error) => error.message,
  );
  expect([end, lostCommits > 0]).toEqual(crash ? ['crashed', true] : ['left', false]);
  return worker.stats;
}
