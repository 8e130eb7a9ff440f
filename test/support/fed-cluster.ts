// A scenario of the cluster: an ingest under simulated load, folds under a supervisor; and its proof.
import { expect } from 'vitest';
import { sumOf } from '../runner/metrics-page.ts';
import { type ClusterOptions, type ServiceProcess, type SupervisedFold, TestCluster } from './cluster.ts';
import { PacedFeeder, simulatedSlices } from './feeder.ts';
import { READY_MS_MAX } from './service.ts';
import { until } from './until.ts';

const AIRCRAFT = 60;
/** A proof needs at least this many. */
const POSITIONS_MIN = 300;
const TAIL_LINES = 12;

export class FedCluster {
  readonly cluster: TestCluster;
  readonly ingest: ServiceProcess;
  /** Folds that share the partitions at the end. */
  readonly folds: SupervisedFold[] = [];
  private readonly feeder: PacedFeeder;

  private constructor(cluster: TestCluster, ingest: ServiceProcess, feeder: PacedFeeder) {
    this.cluster = cluster;
    this.ingest = ingest;
    this.feeder = feeder;
  }

  static async start(options: ClusterOptions): Promise<FedCluster> {
    const cluster = await TestCluster.create(options);
    try {
      const ingest = await cluster.start('ingest', 'ingest', ['--listen', '127.0.0.1:0']);
      const feeder = new PacedFeeder(simulatedSlices(AIRCRAFT, Number.POSITIVE_INFINITY, 1));
      feeder.target = await ingest.listenPort();
      feeder.start();
      return new FedCluster(cluster, ingest, feeder);
    } catch (error) {
      await cluster.close();
      throw error;
    }
  }

  async startFold(): Promise<SupervisedFold> {
    const fold = await this.cluster.supervise(`fold-${this.folds.length}`);
    this.folds.push(fold);
    return fold;
  }

  /** Records of positions so far, in all partitions. */
  async positions(): Promise<number> {
    const { log } = await this.cluster.cluster();
    const ends = Array.from({ length: log.partitions('positions') }, (_, partition) => log.bounds('positions', partition));
    return (await Promise.all(ends)).reduce((sum, { next }) => sum + next, 0);
  }

  /** Waits; the error after too long contains the state of the processes. */
  async until(what: string, condition: () => Promise<boolean> | boolean): Promise<void> {
    await until(condition, what, READY_MS_MAX).catch(async (error: Error) => {
      const counts = await Promise.all(
        this.folds.map(async (fold) => {
          const samples = await fold.metrics();
          const shown = ['squitter_fold_partitions', 'squitter_fold_commits_total', 'squitter_fold_lag_records'];
          return `${fold.process.name}: ${shown.map((name) => `${name} ${sumOf(samples, name)}`).join(', ')}, ended before: ${fold.ends.join(', ')}`;
        }),
      );
      const tails = [this.ingest, ...this.folds.map(({ process }) => process)].map(
        (process) =>
          `${process.name} (${process.running ? 'running' : 'ended'}):\n${process.output().split('\n').slice(-TAIL_LINES).join('\n')}`,
      );
      throw new Error([error.message, ...counts, ...tails].join('\n'));
    });
  }

  /** Ends the feed, lets the folds finish, and proves that nothing was lost, duplicated or out of order. */
  async prove(seed: number): Promise<void> {
    const { cluster, ingest, folds } = this;
    await this.feeder.stop();
    await until(
      async () => sumOf(await ingest.metrics(), 'squitter_ingest_backlog_bytes') < ONE_BATCH_BYTES,
      'everything received is in Kafka',
      READY_MS_MAX,
    );
    const received = sumOf(await ingest.metrics(), 'squitter_ingest_frames_total');
    expect(await ingest.stop(), ingest.output()).toBe(0);
    await cluster.drained(folds);
    for (const fold of folds) expect(await fold.stop(), fold.process.output()).toBe(0);
    const audit = await cluster.audit();
    expect(audit.stdout, `seed ${seed}\n${audit.stderr}`).toMatch(/^audit: equal: /m);
    expect(audit.code).toBe(0);
    const [frames, positions] = (/audit: equal: (\d+) frames, (\d+) positions/.exec(audit.stdout) ?? []).slice(1).map(Number);
    expect(frames).toBe(received);
    expect(positions).toBeGreaterThan(POSITIONS_MIN);
  }

  async close(): Promise<void> {
    await this.feeder.stop();
    await this.cluster.close();
  }
}

/** Heartbeats of idle partitions are always a moment behind. */
const ONE_BATCH_BYTES = 1024;
