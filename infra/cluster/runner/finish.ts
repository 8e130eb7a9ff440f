// The end of a run of the local cluster: the feed stops, everything is folded and shown, every process stops, and an audit proves the topics.
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLD_GROUP, TICK_MS } from '../../../pipeline/fold/worker.ts';
import { createProgress } from '../../../pipeline/runtime/progress.ts';
import { audit } from '../../../pipeline/tools/audit.ts';
import { auditReport, differencesOf } from '../../../pipeline/tools/audit-report.ts';
import { limits } from '../../../schemas/limits.ts';
import { frameEnds, isFolded } from './folded.ts';
import type { LocalCluster } from './local-cluster.ts';
import type { Supervised } from './supervised.ts';
import type { Picture } from './watch.ts';

export interface Outcome {
  /** Nothing was lost or repeated, nothing failed, every process ended as it should. */
  readonly held: boolean;
  /** The report of the audit; its verdict is the last line. */
  readonly verdict: string;
}

export interface FinishOptions {
  readonly cluster: LocalCluster;
  /** What feeds the ingests; null when nothing does. */
  readonly feed: Supervised | null;
  /** Folds were killed and frozen: that they failed is no surprise. */
  readonly chaos: boolean;
  readonly say: (text: string) => void;
  readonly stderr: Writable;
  readonly signal: AbortSignal;
}

/** Looks at the views that often, and that long, until all show the same. */
const VIEWS_POLL_MS = 200;
const VIEWS_MS_MAX = 10_000;

export async function finish({ cluster, feed, chaos, say, stderr, signal }: FinishOptions): Promise<Outcome> {
  const bad: string[] = [];
  say('the feed stops');
  const end = feed === null ? 0 : await feed.stop();
  if (end !== 0) bad.push(`the feed ended with ${end}`);
  bad.push(...(await cluster.stop('ingest')));
  say('what was received is folded');
  const ends = await frameEnds(cluster.cluster.log);
  const isDone = ({ foldSamples, ready, asked }: Picture): boolean => isFolded(foldSamples, ends) && ready.fold === asked.fold;
  await cluster.until('the end of the frames', isDone, limits.localClusterDrainMsMax, signal);
  bad.push(...(await differentViews(cluster)));
  bad.push(...(await cluster.stop('fold', 'flights', 'query-api')));
  bad.push(...(await notFolded(cluster)));
  for (const [{ service }, { name, failures }] of cluster.processes)
    if (failures > 0 && !(chaos && service === 'fold')) bad.push(`${name} failed ${failures} times`);

  say('audit: the frames are folded again');
  const progress = createProgress(stderr, 'frames', () => Date.now());
  const result = await audit({
    ...cluster.cluster,
    fold: { tickMs: TICK_MS, receiver: null },
    onProgress: (done, total, frames) => progress.update(done, total, frames),
    signal,
  });
  progress.end();
  for (const line of bad) say(`did not hold: ${line}`);
  return { held: bad.length === 0 && differencesOf(result) === 0, verdict: auditReport(result) };
}

/** Every query API must come to show the same. */
async function differentViews(cluster: LocalCluster): Promise<string[]> {
  const deadline = performance.now() + VIEWS_MS_MAX;
  for (;;) {
    const answers = new Set((await cluster.askQueryApis('/v2/stats')).map((answer) => JSON.stringify(answer)));
    if (answers.size <= 1) return [];
    if (performance.now() > deadline) return [`the query APIs show different things: ${[...answers].join(' and ')}`];
    await sleep(VIEWS_POLL_MS);
  }
}

/** Everything received must be folded and committed. */
async function notFolded(cluster: LocalCluster): Promise<string[]> {
  const { log } = cluster.cluster;
  const bad: string[] = [];
  for (let partition = 0; partition < log.partitions('frames'); partition += 1) {
    const committed = (await log.committed(FOLD_GROUP, 'frames', partition)) ?? 0;
    const { next } = await log.bounds('frames', partition);
    if (committed !== next) bad.push(`frames of partition ${partition} are folded up to ${committed}, not to ${next}`);
  }
  return bad;
}
