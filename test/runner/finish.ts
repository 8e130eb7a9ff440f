// The end of a run of the local cluster: the feed stops, all frames are folded and shown, every process stops, and an audit proves the topics.
import type { Writable } from 'node:stream';
import { FOLD_GROUP } from '../../pipeline/fold/version.ts';
import { TICK_MS } from '../../pipeline/fold/worker.ts';
import { newestRecord } from '../../pipeline/log/group-offset.ts';
import { createProgress } from '../../pipeline/runtime/progress.ts';
import { audit } from '../../pipeline/tools/audit/audit.ts';
import { auditReport, differencesOf } from '../../pipeline/tools/audit/report.ts';
import { localLimits } from '../local/limits.ts';
import { frameEnds, isFolded } from './folded.ts';
import { type LocalCluster, STOP_ORDER } from './local-cluster.ts';
import type { Supervised } from './supervised.ts';
import type { Picture } from './watch.ts';

export interface Outcome {
  /** True if no record was lost or repeated, nothing failed, and every process ended with status 0. */
  readonly held: boolean;
  /** Report of the audit; the last line is its verdict. */
  readonly verdict: string;
}

export interface FinishOptions {
  readonly cluster: LocalCluster;
  /** The process that feeds the ingests; null without one. */
  readonly feed: Supervised | null;
  readonly print: (text: string) => void;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/** Limit of waiting until the views show all folded messages. */
const VIEWS_MS_MAX = 60_000;

export async function finish({ cluster, feed, print, stderr, signal }: FinishOptions): Promise<Outcome> {
  const bad: string[] = [];
  print('stopping the feed');
  const end = feed === null ? 0 : await feed.stop();
  if (end !== 0) bad.push(`the feed ended with ${end}`);
  bad.push(...(await cluster.stop('ingest')));
  print('waiting until all received frames are folded');
  const ends = await frameEnds(cluster.cluster.log);
  const isDone = ({ foldSamples, ready, members }: Picture): boolean => isFolded(foldSamples, ends) && ready.fold === members.fold;
  await cluster.watch.until('the end of the frames', isDone, localLimits.localClusterDrainMsMax, signal);
  bad.push(...(await incompleteViews(cluster, signal)));
  bad.push(...(await cluster.stop(...STOP_ORDER)));
  bad.push(...(await notFolded(cluster)));
  for (const { name, failures } of cluster.processes.values()) if (failures > 0) bad.push(`${name} failed ${failures} times`);

  print('audit: folding all frames again');
  const progress = createProgress(stderr, 'frames', () => Date.now());
  const result = await audit({
    ...cluster.cluster,
    fold: { tickMs: TICK_MS, receiver: null },
    onProgress: (done, total, frames) => progress.update(done, total, frames),
    signal,
  });
  progress.end();
  for (const line of bad) print(`failed: ${line}`);
  return { held: bad.length === 0 && differencesOf(result) === 0, verdict: auditReport(result) };
}

/** In the end, every query API must show all that was folded. */
async function incompleteViews({ watch, cluster }: LocalCluster, signal: AbortSignal): Promise<string[]> {
  const { log, codecs } = cluster;
  let messages = 0;
  for (let partition = 0; partition < log.partitions('progress'); partition += 1) {
    const progress = await newestRecord(log, 'progress', partition);
    if (progress?.value != null) messages += codecs.FoldProgress.decode(progress.value).messages;
  }
  const isWhole = ({ views }: Picture): boolean =>
    views.every((view) => view.messages === messages && view.aircraft === views[0]!.aircraft);
  await watch.until('all messages in all views', isWhole, VIEWS_MS_MAX, signal).catch(() => {});
  const picture = watch.picture();
  if (isWhole(picture)) return [];
  const shown = picture.views.map((view) => `${view.messages} messages of ${view.aircraft} aircraft`);
  return [`the query APIs show ${shown.join(' and ')}; ${messages} messages were folded`];
}

/** All received frames must be folded and committed. */
async function notFolded(cluster: LocalCluster): Promise<string[]> {
  const { log } = cluster.cluster;
  const bad: string[] = [];
  for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
    const committed = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    const { next } = await log.bounds('frames', partition);
    if (committed !== next) bad.push(`committed offset of frames partition ${partition}: expected ${next}, got ${committed}`);
  }
  return bad;
}
