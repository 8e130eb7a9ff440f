// A whole cluster on this machine: real Kafka, registry and Redis, and the services as supervised processes.
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ServiceName } from '../../infra/cluster/configuration.ts';
import type { Closer } from '../../infra/services/closing.ts';
import { bulkFolder } from '../../infra/services/options/export-options.ts';
import { ensureTopics } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import { dataSecretPath, openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Endpoint, Environment } from '../../pipeline/runtime/options.ts';
import { FRAME_PARTITIONS_CLUSTER } from '../../schemas/topics.ts';
import { startKafka } from '../local/kafka.ts';
import { requirePrograms } from '../local/missing.ts';
import { freePorts } from '../local/ports.ts';
import { startRedis } from '../local/redis.ts';
import { startRegistry } from '../local/registry.ts';
import { type Backend, startBalancer } from './balancer.ts';
import { type HistoryWanted, startLocalHistory } from './local-history.ts';
import { type Member, type MemberCounts, planMembers, portCount, withoutHistory } from './members.ts';
import { Supervised } from './supervised.ts';
import { Watch } from './watch.ts';

export interface LocalClusterOptions {
  /** Folder for the data of Kafka and Redis and all log files. */
  readonly dataDir: string;
  readonly http: Endpoint;
  readonly counts: MemberCounts;
  readonly history: HistoryWanted;
  /** True if the web page marks the traffic as simulated. */
  readonly simulated: boolean;
  /** Environment for the services, passed on without our own variables: they are configured by flags only. */
  readonly env: Environment;
  readonly print: (text: string) => void;
}

/** A running program that is none of our services. */
export interface RunningProgram {
  readonly name: string;
  readonly address: string;
  readonly pid: number | null;
}

/** Push services before the query APIs, which hand their connections over: so clients get the end of their streams. */
export const STOP_ORDER: readonly ServiceName[] = ['ingest', 'fold', 'flights', 'project', 'export', 'push', 'query-api'];

const STEP_MS = 5000;

/** Prints the start of a step, and its progress every few seconds. */
export async function step<T>(print: (text: string) => void, what: string, work: () => Promise<T>): Promise<T> {
  print(what);
  const startMs = performance.now();
  const timer = setInterval(() => print(`  ${what}: ${Math.round((performance.now() - startMs) / 1000)} s so far`), STEP_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Starts everything except the services. Its closers are added at the front. Errors: `local.*`, those of topics and registry. */
export async function startSurroundings(
  { dataDir, print }: Pick<LocalClusterOptions, 'dataDir' | 'print'>,
  closers: Closer[],
): Promise<{
  readonly brokers: readonly string[];
  readonly registry: string;
  readonly redis: string;
  readonly programs: readonly RunningProgram[];
  readonly cluster: OpenCluster;
}> {
  requirePrograms('java', 'mvn', 'redis-server');
  mkdirSync(dataDir, { recursive: true });
  const kafka = await step(print, 'starting Kafka', () => startKafka({ dir: join(dataDir, 'kafka'), print: (text) => print(`  ${text}`) }));
  closers.unshift(kafka.stop);
  const redis = await step(print, 'starting Redis', () => startRedis({ dir: join(dataDir, 'redis') }));
  closers.unshift(() => redis.stop());
  const registry = await step(print, 'starting the schema registry', () => startRegistry({ brokers: kafka.brokers }));
  closers.unshift(() => registry.stop());
  const connection = { brokers: kafka.brokers, clientId: 'squitter-runner' };
  const topics = { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER };
  await step(print, 'comparing topics and creating missing ones', () => ensureTopics(connection, topics));
  const cluster = await openCluster({ kafka: connection, registry: { url: registry.url } });
  closers.unshift(() => cluster.log.close());
  const programs = [
    { name: 'kafka', address: kafka.brokers.join(','), pid: kafka.node(0).pid },
    { name: 'registry', address: registry.url, pid: registry.pid },
    { name: 'redis', address: redis.url, pid: redis.pid },
  ];
  return { brokers: kafka.brokers, registry: registry.url, redis: redis.url, programs, cluster };
}

/** The services of a local cluster and their state. */
export class LocalCluster {
  readonly processes = new Map<Member, Supervised>();
  readonly cluster: OpenCluster;
  readonly programs: readonly RunningProgram[];
  /** Public address. */
  readonly http: string;
  readonly watch: Watch;

  private constructor(programs: readonly RunningProgram[], cluster: OpenCluster, http: string, watch: Watch) {
    this.programs = programs;
    this.cluster = cluster;
    this.http = http;
    this.watch = watch;
  }

  static async start(
    { dataDir, http, counts: wanted, history: historyWanted, simulated, env, print }: LocalClusterOptions,
    closers: Closer[],
  ): Promise<LocalCluster> {
    const { programs: others, cluster, ...surroundings } = await startSurroundings({ dataDir, print }, closers);
    const start = () => startLocalHistory(historyWanted, { dataDir, print }, closers);
    const { address: history, pid } = await (historyWanted === 'engine' ? step(print, 'starting the history store', start) : start());
    const programs = history === null ? others : [...others, { name: 'history', address: history.url, pid }];
    const counts = history === null ? withoutHistory(wanted) : wanted;
    const pushSecret = randomBytes(24).toString('base64url');
    openDataSecret(dataDir);
    const secretFile = resolve(dataSecretPath(dataDir));
    const bulkDir = resolve(bulkFolder(dataDir));
    if (counts.exports > 0) mkdirSync(bulkDir, { recursive: true });
    const members = planMembers(
      counts,
      { ...surroundings, history, bulkDir, secretFile, pushSecret, http: String(http), simulated },
      await freePorts(portCount(counts)),
    );
    const apis = members.filter(({ service }) => service === 'query-api');
    const backends = new Map<object, Backend>(apis.map((member) => [member, { address: member.http, ready: false }]));
    const balancer = await startBalancer(http, [...backends.values()]);
    closers.unshift(balancer.close);
    const watch = new Watch(members, (member, isReady) => {
      const backend = backends.get(member);
      if (backend !== undefined) backend.ready = isReady;
    });
    closers.unshift(async () => watch.close());
    const running = new LocalCluster(programs, cluster, balancer.address, watch);
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    for (const member of members) {
      const { name, flags } = member;
      const memberEnv = { ...withoutOurs(env), ...member.env };
      const logFile = join(logs, `${name}.log`);
      running.processes.set(member, new Supervised({ name, flags, env: memberEnv, logFile, print }));
    }
    closers.unshift(() => running.stop(...STOP_ORDER));
    return running;
  }

  members(service: ServiceName): Supervised[] {
    return [...this.processes].filter(([member]) => member.service === service).map(([, supervised]) => supervised);
  }

  listens(): Endpoint[] {
    return [...this.processes.keys()].flatMap(({ listen }) => (listen === null ? [] : [listen]));
  }

  /** Stops all processes of these services, one service after the other. Returns a line for each that did not end with 0. */
  async stop(...order: readonly ServiceName[]): Promise<string[]> {
    const bad: string[] = [];
    for (const service of order) {
      const ends = await Promise.all(
        this.members(service).map(async (supervised) => ({ name: supervised.name, how: await supervised.stop() })),
      );
      for (const { name, how } of ends) if (how !== 0) bad.push(`${name} ended with ${how}`);
    }
    return bad;
  }
}

/** The environment without our own variables, which services would read in addition to their flags. */
export function withoutOurs(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SQUITTER_')));
}
