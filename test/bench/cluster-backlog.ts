// A backlog of frames on real Kafka through 1, 2 and 4 fold processes: the rate of one fold, and the gain of more.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Kafka, logLevel } from 'kafkajs';
import type { Closer } from '../../infra/services/closing.ts';
import { FOLD_GROUP } from '../../pipeline/fold/worker.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import type { OpenCluster } from '../../pipeline/log/open-cluster.ts';
import { FOLD_NODE_FLAGS } from '../../pipeline/runtime/v8-flags.ts';
import { limits } from '../../schemas/limits.ts';
import { FRAME_PARTITIONS_CLUSTER, topics } from '../../schemas/topics.ts';
import { freePorts } from '../local/ports.ts';
import { type Program, startProgram } from '../local/program.ts';
import { startSurroundings } from '../runner/local-cluster.ts';
import { parseMetrics, sumOf } from '../runner/metrics-page.ts';
import { type Bench, costFigure, type Figure, rateFigure } from './harness.ts';
import { appendSimulated } from './simulated-log.ts';

const AIRCRAFT = 15_000;
/** Long enough that one scrape more or less does not change the figures. */
const SECONDS = 120;
const FOLDS = [1, 2, 4] as const;
/** The rate is measured between these shares of the backlog: the engine is warm, and no partition is at its end. */
const FROM_SHARE = 0.3;
const TO_SHARE = 0.9;
const POLL_MS = 100;
const SESSION_SLACK_MS = 2000;
const STANDSTILL_MS_MAX = 60_000;

export const clusterBacklogBench: Bench = {
  name: 'cluster-backlog',
  summary: 'a backlog on real Kafka through 1, 2 and 4 folds',
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    const closers: Closer[] = [];
    try {
      const { brokers, registry, cluster } = await startSurroundings({ dataDir, say: () => {} }, closers);
      const startUs = Date.now() * 1000 - SECONDS * 1_000_000;
      const frames = await appendSimulated(cluster, { aircraft: AIRCRAFT, seed: 1, startUs, seconds: SECONDS });
      const reading = await readRate(cluster, frames);
      const figures: Figure[] = [];
      let alone = 0;
      for (const count of FOLDS) {
        await forget(brokers);
        const rate = await foldRate({ brokers, registry, dataDir, frames }, count);
        if (count === 1) alone = rate.perS;
        figures.push(
          rateFigure(
            `cluster-backlog-folds-${count}`,
            'frames/s',
            rate.perS,
            count === 1 ? reading : alone,
            `${frames} frames of ${AIRCRAFT} simulated aircraft on 12 partitions, folded with all outputs by ${count} process(es), broker on the same cores; ` +
              `${Math.round(rate.perCpuS)} frames per CPU second of the folds; reference: ${count === 1 ? 'reading and decoding the same records only' : 'one fold'}`,
          ),
        );
      }
      await forget(brokers);
      const restoredMs = await restoreMs({ brokers, registry, dataDir, frames });
      const input = `${AIRCRAFT} simulated aircraft on 12 partitions: from the start of a fold's process until it is ready, after the previous fold was killed; restores the newest snapshots and silently folds the frames since then; reference: one fold from the first frame on`;
      figures.push(costFigure('cluster-restore', 'ms', restoredMs, (1000 * frames) / alone, input));
      return figures;
    } finally {
      for (const close of closers) await close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

/** Frames per second of a reader that only decodes the records, one partition after another. */
async function readRate({ log, codecs }: OpenCluster, frames: number): Promise<number> {
  const start = performance.now();
  for (let partition = 0; partition < log.partitions('frames'); partition += 1)
    for await (const batch of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }))
      for (const { value } of batch.records) codecs.FrameBatch.decode(value!);
  return (1000 * frames) / (performance.now() - start);
}

/** Outputs of the fold: without them, and without the offsets of its group, the next folds begin at the first frame. */
const OUTPUTS: readonly string[] = (['positions', 'aircraft', 'progress', 'snapshots', 'snapshotsKept', 'deadletter'] as const).map(
  (topic) => topics[topic].name,
);

async function forget(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], clientId: 'squitter-bench', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const { groups } = await admin.listGroups();
  if (groups.some(({ groupId }) => groupId === FOLD_GROUP)) await admin.deleteGroups([FOLD_GROUP]);
  await admin.deleteTopics({ topics: [...OUTPUTS] });
  while ((await admin.listTopics()).some((topic) => OUTPUTS.includes(topic))) await sleep(POLL_MS);
  await admin.disconnect();
  const connection = { brokers, clientId: 'squitter-bench' };
  await ensureTopics(connection, { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER });
}

interface Backlog {
  readonly brokers: readonly string[];
  readonly registry: string;
  readonly dataDir: string;
  readonly frames: number;
}

function startFold({ brokers, registry, dataDir }: Backlog, port: number): Program {
  const entry = fileURLToPath(new URL('../../infra/cluster/fold.js', import.meta.url));
  const flags = ['--brokers', brokers.join(','), '--registry', registry, '--instance', `fold-${port}`, '--http', `127.0.0.1:${port}`];
  const args = [...FOLD_NODE_FLAGS, entry, ...flags];
  return startProgram({ name: 'fold', command: process.execPath, args, logFile: join(dataDir, `fold-${port}.log`) });
}

async function foldRate(backlog: Backlog, count: number): Promise<{ perS: number; perCpuS: number }> {
  const { frames } = backlog;
  const ports = await freePorts(count);
  const folds = ports.map((port) => startFold(backlog, port));
  try {
    const first = await reached(ports, FROM_SHARE * frames);
    const last = await reached(ports, TO_SHARE * frames);
    const done = last.frames - first.frames;
    return { perS: (1000 * done) / (last.atMs - first.atMs), perCpuS: done / (last.cpuS - first.cpuS) };
  } finally {
    await Promise.all(folds.map(stop));
  }
}

/** The time at which the folds have folded this many frames. Error: they fold nothing for a while. */
async function reached(ports: readonly number[], frames: number): Promise<{ atMs: number; frames: number; cpuS: number }> {
  let before = { frames: 0, atMs: performance.now() };
  for (;;) {
    const pages = await Promise.all(ports.map(metricsOf));
    const samples = pages.flat();
    const done = sumOf(samples, 'squitter_fold_frames_total');
    const atMs = performance.now();
    if (done >= frames) return { atMs, frames: done, cpuS: sumOf(samples, 'process_cpu_seconds_total') };
    if (done > before.frames) before = { frames: done, atMs };
    if (atMs - before.atMs > STANDSTILL_MS_MAX) throw new Error(`the folds stopped at ${done} of ${frames} frames`);
    await sleep(POLL_MS);
  }
}

/** Kills a fold that has folded everything; after its session has expired, starts another. */
async function restoreMs(backlog: Backlog): Promise<number> {
  const ports = await freePorts(2);
  const first = startFold(backlog, ports[0]!);
  await reached([ports[0]!], backlog.frames);
  process.kill(first.pid, 'SIGKILL');
  await first.ended;
  await sleep(limits.kafkaSessionMs + SESSION_SLACK_MS);
  const start = performance.now();
  const second = startFold(backlog, ports[1]!);
  try {
    while (!(await isReady(ports[1]!))) await sleep(POLL_MS);
    return performance.now() - start;
  } finally {
    await stop(second);
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function metricsOf(port: number) {
  const page = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (response) => response.text(),
    () => '',
  );
  return parseMetrics(page);
}

async function stop(program: Program): Promise<void> {
  process.kill(program.pid, 'SIGTERM');
  await program.ended;
}
