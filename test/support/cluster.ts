// The services of the cluster profile as real processes for tests: start, query, kill, freeze; and an audit of what they wrote.
import type { ServiceName } from '../../infra/cluster/configuration.ts';
import { ensureTopics, type KafkaRetention } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import { frameEnds, isFolded } from '../runner/folded.ts';
import { parseMetrics, type Sample, sumOf } from '../runner/metrics-page.ts';
import { TEST_SECRET_FILE } from './secret.ts';
import { builtProgram, type Ending, type Run, ServiceProgram, squitter } from './service.ts';
import { until } from './until.ts';

/** Much shorter than in production, so that tests need not wait long for a take-over. */
export const SESSION_MS = 2500;

export interface ClusterOptions {
  readonly brokers: readonly string[];
  readonly registry: string;
  /** Prefix of all names: scenarios that share a broker have separate topics. */
  readonly prefix: string;
  readonly partitions: number;
  readonly copies?: number;
  /** `forever` for frames of another year: Kafka deletes by record time. */
  readonly retention?: KafkaRetention;
}

/** One scenario's topics and processes. */
export class TestCluster {
  readonly options: ClusterOptions;
  private readonly processes: ServiceProcess[] = [];
  private readonly supervised: SupervisedFold[] = [];
  private opened: OpenCluster | null = null;

  private constructor(options: ClusterOptions) {
    this.options = options;
  }

  static async create(options: ClusterOptions): Promise<TestCluster> {
    const { brokers, prefix: namePrefix, partitions: framePartitions, copies: replicationFactor = 1, retention = 'table' } = options;
    const connection = { brokers: [...brokers], clientId: 'test' };
    await ensureTopics(connection, { create: true, replicationFactor, framePartitions, namePrefix, retention });
    return new TestCluster(options);
  }

  /** Starts a service and waits until it is ready. */
  async start(service: ServiceName, name: string, flags: readonly string[] = [], env?: NodeJS.ProcessEnv): Promise<ServiceProcess> {
    const started = this.launch(service, name, flags, env);
    await started.untilReady();
    return started;
  }

  /** Starts a service. */
  launch(service: ServiceName, name: string, flags: readonly string[] = [], env?: NodeJS.ProcessEnv): ServiceProcess {
    const { brokers, registry, prefix } = this.options;
    const common = ['--brokers', brokers.join(','), '--registry', registry, '--kafka-prefix', prefix, '--instance', name];
    const session = service === 'fold' || service === 'flights' || service === 'project' ? ['--session', String(SESSION_MS)] : [];
    const grpc = service === 'query-api' ? ['--grpc', '127.0.0.1:0'] : [];
    const started = new ServiceProcess(service, name, [...common, ...session, ...grpc, ...flags], env);
    this.processes.push(started);
    return started;
  }

  /** Starts a fold and restarts it whenever it ends, as a supervisor would; waits until it is ready. */
  async supervise(name: string): Promise<SupervisedFold> {
    const fold = new SupervisedFold(await this.start('fold', name), () => this.launch('fold', name));
    this.supervised.push(fold);
    return fold;
  }

  /** A connection of the test. */
  async cluster(): Promise<OpenCluster> {
    const { brokers, registry, prefix, retention = 'table' } = this.options;
    this.opened ??= await openCluster({
      kafka: { brokers: [...brokers], clientId: 'test' },
      registry: { url: registry },
      namePrefix: prefix,
      retention,
    });
    return this.opened;
  }

  /** Runs `squitter audit`. */
  audit(): Promise<Run> {
    const { brokers, registry, prefix } = this.options;
    return squitter(['audit', '--brokers', brokers.join(','), '--registry', registry], { env: { SQUITTER_KAFKA_PREFIX: prefix } });
  }

  /** Waits until these folds are ready, share all partitions and have folded every frame; no ingest may be running. */
  async drained(folds: readonly SupervisedFold[]): Promise<void> {
    const ends = await frameEnds((await this.cluster()).log);
    await until(async () => {
      const ready = await Promise.all(folds.map(({ process }) => process.isReady()));
      return !ready.includes(false) && isFolded((await Promise.all(folds.map((fold) => fold.metrics()))).flat(), ends);
    }, 'every frame is folded');
  }

  async close(): Promise<void> {
    for (const fold of this.supervised) fold.letGo();
    await Promise.all(this.processes.map((started) => started.kill()));
    await this.opened?.log.close();
  }
}

/** A fold that is started again whenever it ends, as by a supervisor. */
export class SupervisedFold {
  /** Exit of each run so far, in order. */
  readonly ends: Ending[] = [];
  process: ServiceProcess;
  private isSupervised = true;

  constructor(first: ServiceProcess, launch: () => ServiceProcess) {
    this.process = first;
    void this.watch(launch);
  }

  metrics(): Promise<Sample[]> {
    return this.process.metrics();
  }

  async partitions(): Promise<number> {
    return sumOf(await this.metrics(), 'squitter_fold_partitions');
  }

  /** Sends SIGTERM and stops restarting. */
  stop(): Promise<Ending> {
    this.letGo();
    return this.process.stop();
  }

  /** Stops restarting. */
  letGo(): void {
    this.isSupervised = false;
  }

  private async watch(launch: () => ServiceProcess): Promise<void> {
    for (;;) {
      const how = await this.process.ended;
      if (!this.isSupervised) return;
      this.ends.push(how);
      this.process = launch();
    }
  }
}

export class ServiceProcess extends ServiceProgram {
  readonly name: string;

  /** `env`, if given, is the environment of the process. All have one secret, and clients have no limits, unless it or a flag says otherwise. */
  constructor(
    service: ServiceName,
    name: string,
    flags: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    program: readonly string[] = [process.execPath, builtProgram('infra/cli/squitter', env)],
  ) {
    super(
      [...program, 'service', service, '--http', '127.0.0.1:0', ...flags],
      { SQUITTER_SECRET_FILE: TEST_SECRET_FILE, SQUITTER_ACCESS: 'open', ...env },
      /"http":"([^"]+)"/,
    );
    this.name = name;
  }

  /** The port for feeders that an ingest with `--listen HOST:0` has chosen. */
  async listenPort(): Promise<number> {
    return Number((await this.match(/"listen":"[^"]*:(\d+)"/))[1]);
  }

  async isReady(): Promise<boolean> {
    return this.get('/readyz')
      .then(({ ok }) => ok)
      .catch(() => false);
  }

  async untilReady(): Promise<void> {
    await until(async () => {
      if (!this.running) throw this.failure(this.name);
      return this.isReady();
    }, `${this.name} is ready`);
  }

  /** The samples of `/metrics`; empty without a response. */
  async metrics(): Promise<Sample[]> {
    return this.textOf('/metrics')
      .then(parseMetrics)
      .catch(() => []);
  }
}
