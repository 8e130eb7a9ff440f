// The cluster on real Kafka under live simulated traffic, all on this machine: latency frame → /v2, how long a partition waits for its next
// tick while folds join, leave and are killed, and how long the rebuild of states takes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Closer } from '../../infra/services/closing.ts';
import { endpoint } from '../../pipeline/runtime/options.ts';
import { limits } from '../../schemas/limits.ts';
import { freePorts } from '../local/ports.ts';
import { LocalCluster } from '../runner/local-cluster.ts';
import { Supervised } from '../runner/supervised.ts';
import { LatencyProbe, type ProbeTarget } from '../soak/latency-probe.ts';
import { freePortFlags } from '../support/free-port-flags.ts';
import { type Bench, costFigure, type Figure } from './harness.ts';

const AIRCRAFT = 20_000;
const SETTLE_MS = 30_000;
const PROBES = 8;
const PROBED_MS = 60_000;
const FIRST_PROBE_ADDRESS = 0x3f_f000;
/** After the session of a killed fold: another takes over, rebuilds the states and folds the backlog. */
const EVENT_MS = 30_000;
const cli = fileURLToPath(new URL('../../infra/cli/squitter.js', import.meta.url));

export const clusterLiveBench: Bench = {
  name: 'cluster-live',
  summary: `real Kafka, two ingests, two folds, a query API, ${AIRCRAFT} simulated aircraft`,
  async run() {
    const embedded = await embeddedLatency();
    const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
    const closers: Closer[] = [];
    try {
      const [httpPort] = await freePorts(1);
      const http = endpoint('127.0.0.1', httpPort!);
      const cluster = await LocalCluster.start(
        {
          dataDir,
          http,
          history: null,
          counts: { ingests: 2, folds: 2, flights: 1, projects: 0, exports: 0, queryApis: 1, pushes: 0 },
          simulated: true,
          env: process.env,
          say: () => undefined,
        },
        closers,
      );
      await cluster.watch.started(() => true, limits.localClusterReadyMsMax);
      const feed = simulation(cluster, dataDir);
      closers.unshift(() => feed.stop());
      await sleep(SETTLE_MS);
      const latency = await probed({ httpPort: httpPort!, feedPort: cluster.listens()[0]!.port });
      return [...latencyFigures(latency, embedded), ...(await gapFigures(cluster))];
    } finally {
      for (const close of closers) await close();
      rmSync(dataDir, { recursive: true, force: true });
    }
  },
};

function simulation(cluster: LocalCluster, dataDir: string): Supervised {
  const flags = ['simulate', '--aircraft', String(AIRCRAFT), '--seed', '1', '--to', cluster.listens().join(',')];
  return new Supervised({
    name: 'simulation',
    entry: cli,
    flags,
    env: process.env,
    logFile: join(dataDir, 'simulation.log'),
    say: () => undefined,
  });
}

/** The same traffic and the same probes against the embedded profile. */
async function embeddedLatency(): Promise<number[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'squitter-bench-'));
  const [httpPort, feedPort] = (await freePorts(2)) as [number, number];
  const addresses = [...freePortFlags, '--http', `127.0.0.1:${httpPort}`, '--listen', `127.0.0.1:${feedPort}`];
  const child = spawn(process.execPath, [cli, 'start', '--data', dataDir, '--simulate', String(AIRCRAFT), ...addresses], {
    stdio: 'ignore',
  });
  try {
    await sleep(SETTLE_MS);
    return await probed({ httpPort, feedPort });
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Latencies of all probes, ms, sorted. A change that does not appear within 10 s counts as 10 s. */
async function probed(target: ProbeTarget): Promise<number[]> {
  const probes = Array.from({ length: PROBES }, (_, i) => new LatencyProbe(target, FIRST_PROBE_ADDRESS + i));
  for (const probe of probes) await probe.open();
  const end = performance.now() + PROBED_MS;
  await Promise.all(
    probes.map(async (probe, i) => {
      // Spread out, at varying times within a tick.
      for (let turn = 0; performance.now() < end; turn += 1) {
        await sleep(100 + ((turn * 377 + i * 131) % 900));
        await probe.sample();
      }
    }),
  );
  for (const probe of probes) probe.close();
  return probes.flatMap(({ samplesMs, lost }) => [...samplesMs, ...Array<number>(lost).fill(10_000)]).sort((a, b) => a - b);
}

function latencyFigures(cluster: readonly number[], embedded: readonly number[]): Figure[] {
  const input = (count: number): string =>
    `frame sent over TCP to an ingest until /v2/hex shows it, ${AIRCRAFT} simulated aircraft, ${count} samples of ${PROBES} probes, tick 1 s; ` +
    'all processes, broker and simulation on the same cores; reference: the embedded profile';
  return [0.5, 0.99].map((share) =>
    costFigure(`cluster-latency-p${100 * share}`, 'ms', at(cluster, share), at(embedded, share), input(cluster.length)),
  );
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** The longest wait of any partition for its next tick while folds join, leave and are killed. */
async function gapFigures(cluster: LocalCluster): Promise<Figure[]> {
  const ticks = await TickWatch.start(cluster);
  const [first, second] = cluster.members('fold') as [Supervised, Supervised];
  const waitAfter = async (event: () => Promise<unknown>): Promise<number> => {
    ticks.restart();
    await event();
    await sleep(EVENT_MS);
    return ticks.longestMs();
  };
  const calm = await waitAfter(async () => undefined);
  const figure = async (name: string, what: string, event: () => Promise<unknown>): Promise<Figure> =>
    costFigure(
      `cluster-gap-${name}`,
      'ms',
      await waitAfter(event),
      calm,
      `longest wait of any of 12 partitions for its next tick, ${AIRCRAFT} aircraft: ${what}; reference: without such events (a tick is 1 s)`,
    );
  try {
    return [
      await figure('killed', 'one of two folds killed with -9: its session ends, the other restores its partitions, it comes back', () =>
        first.kill(),
      ),
      await figure('left', 'one of two folds stopped in order', () => first.stop()),
      await figure('all-killed', 'the only fold killed with -9 and started again: all states from snapshots and silent replay', () =>
        second.kill(),
      ),
    ];
  } finally {
    await ticks.stop();
  }
}

/** Watches the progress topic for the times at which each partition's ticks become visible. */
class TickWatch {
  private readonly stopping = new AbortController();
  private readonly lastMs: number[] = [];
  private longest = 0;
  private following: Promise<unknown> = Promise.resolve();

  static async start({ cluster: { log } }: LocalCluster): Promise<TickWatch> {
    const watch = new TickWatch();
    const partitions = Array.from({ length: log.partitions('frames') }, (_, partition) => partition);
    watch.following = Promise.all(
      partitions.map(async (partition) => {
        const { next } = await log.bounds('progress', partition);
        const { signal } = watch.stopping;
        for await (const _ of log.read({ topic: 'progress', partition, from: next, to: 'follow', signal })) watch.ticked(partition);
      }),
    );
    return watch;
  }

  restart(): void {
    this.lastMs.fill(performance.now());
    this.longest = 0;
  }

  /** Unfinished waits count with their length so far. */
  longestMs(): number {
    const now = performance.now();
    return Math.max(this.longest, ...this.lastMs.map((last) => now - last));
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.following;
  }

  private ticked(partition: number): void {
    const now = performance.now();
    this.longest = Math.max(this.longest, now - (this.lastMs[partition] ?? now));
    this.lastMs[partition] = now;
  }
}
