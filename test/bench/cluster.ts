// The cluster on real Kafka, all on this machine: a backlog of frames through one and two folds and the return of a killed one; and under live simulated
// traffic the latency from a frame to /v2, and how long a partition waits for its next tick when a fold is killed. Needs Java, Maven and redis-server.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kafka, logLevel } from 'kafkajs';
import type { Closer } from '../../infra/services/closing.ts';
import { FOLD_GROUP } from '../../pipeline/fold/version.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits/index.ts';
import { FRAME_PARTITIONS_CLUSTER, topics } from '../../schemas/topics.ts';
import { localLimits } from '../local/limits.ts';
import { freePorts } from '../local/ports.ts';
import { LocalCluster, startSurroundings } from '../runner/local-cluster.ts';
import { sumOf } from '../runner/metrics-page.ts';
import { Supervised } from '../runner/supervised.ts';
import { shownByHttp } from '../soak/latency-probe.ts';
import { ServiceProcess } from '../support/cluster.ts';
import { squitterCommand } from '../support/service.ts';
import { until } from '../support/until.ts';
import { withFolder, withService } from './children.ts';
import { type Bench, costFigure, type Figure, latencyFigures, rateFigure } from './harness.ts';
import { latenciesMs } from './latency.ts';
import { readFrames } from './log.ts';
import { appendSimulated } from './simulated-log.ts';

const BACKLOG_AIRCRAFT = 15_000;
/** Long enough that one scrape more or less does not change the figures. */
const BACKLOG_S = 120;
/** The rate is measured between these shares of the backlog: the engine is warm, and no partition is at its end. */
const FROM_SHARE = 0.3;
const TO_SHARE = 0.9;
const POLL_MS = 100;
const SESSION_SLACK_MS = 2000;
const STANDSTILL_MS_MAX = 60_000;

/** Runs `work` with a folder, and closes what it opened. */
function closing<T>(work: (dataDir: string, closers: Closer[]) => Promise<T>): Promise<T> {
  return withFolder(async (dataDir) => {
    const closers: Closer[] = [];
    try {
      return await work(dataDir, closers);
    } finally {
      for (const close of closers) await close();
    }
  });
}

export const clusterBacklogBench: Bench = {
  name: 'cluster-backlog',
  summary: 'a backlog on real Kafka through one and two folds',
  run: () =>
    closing(async (dataDir, closers) => {
      const { brokers, registry, cluster } = await startSurroundings({ dataDir, print: () => {} }, closers);
      const startUs = Date.now() * 1000 - BACKLOG_S * 1_000_000;
      const frames = await appendSimulated(cluster, { aircraft: BACKLOG_AIRCRAFT, seed: 1, startUs, seconds: BACKLOG_S });
      const start = performance.now();
      await readFrames(cluster);
      const reading = { value: (1000 * frames) / (performance.now() - start), what: 'reading and decoding the same records only' };
      const backlog = { brokers, registry, frames };
      const figures: Figure[] = [];
      let alone = 0;
      for (const count of [1, 2]) {
        await forget(brokers);
        const rate = await foldRate(backlog, count);
        if (count === 1) alone = rate.perS;
        const input = `${frames} frames of ${BACKLOG_AIRCRAFT} simulated aircraft on 12 partitions, folded with all outputs by ${count} process(es), broker on the same cores; ${Math.round(rate.perCpuS)} frames per CPU second of the folds`;
        figures.push(rateFigure(`cluster-backlog-folds-${count}`, 'frames/s', rate.perS, input, reading));
      }
      await forget(brokers);
      const input = `${BACKLOG_AIRCRAFT} simulated aircraft on 12 partitions: from the start of a fold's process until it is ready, after the previous fold was killed`;
      const folding = { value: (1000 * frames) / alone, what: 'one fold from the first frame on' };
      figures.push(costFigure('cluster-restore', 'ms', await restoreMs(backlog), input, folding));
      return figures;
    }),
};

/** Outputs of the fold: without them, and without the offsets of its group, the next folds begin at the first frame. */
const OUTPUTS: readonly string[] = (['positions', 'aircraft', 'progress', 'snapshots', 'snapshotsKept', 'deadletter'] as const).map(
  (topic) => topics[topic].name,
);

async function forget(brokers: readonly string[]): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], clientId: 'squitter-bench', logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const { groups } = await admin.listGroups();
  // A fold that was killed is a member until its session ends.
  const isDeleted = (): Promise<boolean> =>
    admin.deleteGroups([FOLD_GROUP]).then(
      () => true,
      () => false,
    );
  if (groups.some(({ groupId }) => groupId === FOLD_GROUP)) await until(isDeleted, 'a group without members');
  await admin.deleteTopics({ topics: [...OUTPUTS] });
  await until(async () => !(await admin.listTopics()).some((topic) => OUTPUTS.includes(topic)), 'no outputs');
  await admin.disconnect();
  const connection = { brokers, clientId: 'squitter-bench' };
  await ensureTopics(connection, { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER });
}

interface Backlog {
  readonly brokers: readonly string[];
  readonly registry: string;
  readonly frames: number;
}

function startFold({ brokers, registry }: Backlog, number: number): ServiceProcess {
  const flags = ['--brokers', brokers.join(','), '--registry', registry, '--instance', `fold-${number}`];
  return new ServiceProcess('fold', 'fold', flags, process.env, [squitterCommand]);
}

async function foldRate(backlog: Backlog, count: number): Promise<{ perS: number; perCpuS: number }> {
  const folds = Array.from({ length: count }, (_, number) => startFold(backlog, number));
  try {
    const first = await reached(folds, FROM_SHARE * backlog.frames);
    const last = await reached(folds, TO_SHARE * backlog.frames);
    const done = last.frames - first.frames;
    return { perS: (1000 * done) / (last.atMs - first.atMs), perCpuS: done / (last.cpuS - first.cpuS) };
  } finally {
    await Promise.all(folds.map((fold) => fold.stop()));
  }
}

/** The time at which the folds have folded this many frames. Error: they fold nothing for a minute. */
async function reached(folds: readonly ServiceProcess[], frames: number): Promise<{ atMs: number; frames: number; cpuS: number }> {
  let before = { frames: 0, atMs: performance.now() };
  for (;;) {
    const samples = (await Promise.all(folds.map((fold) => fold.metrics()))).flat();
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
  const first = startFold(backlog, 1);
  await reached([first], backlog.frames);
  await first.kill();
  await sleep(limits.kafkaSessionMs + SESSION_SLACK_MS);
  const start = performance.now();
  const second = startFold(backlog, 2);
  try {
    await second.untilReady();
    return performance.now() - start;
  } finally {
    await second.stop();
  }
}

const LIVE_AIRCRAFT = 20_000;
const SETTLE_MS = 30_000;
/** After the session of a killed fold: another takes over, rebuilds the states and folds the backlog. */
const EVENT_MS = 30_000;

export const clusterLiveBench: Bench = {
  name: 'cluster-live',
  summary: `real Kafka, two ingests, two folds, a query API, ${LIVE_AIRCRAFT} simulated aircraft`,
  async run() {
    const embedded = await withService(['--simulate', String(LIVE_AIRCRAFT)], async ({ httpPort, listenPort }) => {
      await sleep(SETTLE_MS);
      return latenciesMs(listenPort, shownByHttp(httpPort));
    });
    return closing(async (dataDir, closers) => {
      const [httpPort] = (await freePorts(1)) as [number];
      const cluster = await LocalCluster.start(
        {
          dataDir,
          http: endpoint('127.0.0.1', httpPort),
          history: null,
          counts: { ingests: 2, folds: 2, flights: 1, projects: 0, exports: 0, queryApis: 1, pushes: 0 },
          simulated: true,
          env: process.env,
          print: () => undefined,
        },
        closers,
      );
      await cluster.watch.started(() => true, localLimits.localClusterReadyMsMax);
      const feed = simulation(cluster, dataDir);
      closers.unshift(() => feed.stop());
      await sleep(SETTLE_MS);
      const latency = await latenciesMs(cluster.listens()[0]!.port, shownByHttp(httpPort));
      const input = `frame sent over TCP to an ingest until /v2/hex shows it, ${LIVE_AIRCRAFT} simulated aircraft, ${latency.length} samples, tick 1 s`;
      return [...latencyFigures('cluster-latency-', latency, input, embedded, 'the embedded profile'), await gapFigure(cluster)];
    });
  },
};

function simulation(cluster: LocalCluster, dataDir: string): Supervised {
  const flags = ['simulate', '--aircraft', String(LIVE_AIRCRAFT), '--seed', '1', '--to', cluster.listens().join(',')];
  const logFile = join(dataDir, 'simulation.log');
  return new Supervised({ name: 'simulation', flags, env: process.env, logFile, print: () => undefined });
}

/** The longest wait of any partition for its next tick: calm, and after one of two folds was killed. */
async function gapFigure(cluster: LocalCluster): Promise<Figure> {
  const { log } = cluster.cluster;
  const stopping = new AbortController();
  const lastMs: number[] = [];
  let longest = 0;
  const following = Promise.all(
    Array.from({ length: log.partitions('frames') }, async (_, partition) => {
      const { next } = await log.bounds('progress', partition);
      for await (const _ of log.read({ topic: 'progress', partition, from: next, to: 'follow', signal: stopping.signal })) {
        const now = performance.now();
        longest = Math.max(longest, now - (lastMs[partition] ?? now));
        lastMs[partition] = now;
      }
    }),
  );
  const longestAfter = async (event: () => Promise<unknown>): Promise<number> => {
    lastMs.fill(performance.now());
    longest = 0;
    await event();
    await sleep(EVENT_MS);
    // Unfinished waits count with their length so far.
    return Math.max(longest, ...lastMs.map((last) => performance.now() - last));
  };
  const calm = await longestAfter(async () => undefined);
  const [first] = cluster.members('fold') as [Supervised, Supervised];
  const killed = await longestAfter(() => first.kill());
  stopping.abort();
  await following;
  const input = `longest wait of any of 12 partitions for its next tick, ${LIVE_AIRCRAFT} aircraft: one of two folds killed with -9, the other restores its partitions`;
  return costFigure('cluster-gap-killed', 'ms', killed, input, { value: calm, what: 'without such an event (a tick is 1 s)' });
}
