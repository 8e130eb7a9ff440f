// A whole cluster on this machine: real Kafka, registry and Redis, and the services as processes under supervision.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureTopics } from '../../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../../pipeline/log/open-cluster.ts';
import type { Endpoint, Environment } from '../../../pipeline/runtime/options.ts';
import { SquitterError } from '../../../schemas/errors.ts';
import { FRAME_PARTITIONS_CLUSTER } from '../../../schemas/topics.ts';
import { startKafka } from '../../local/kafka.ts';
import { requirePrograms } from '../../local/missing.ts';
import { freePorts } from '../../local/ports.ts';
import { startRedis } from '../../local/redis.ts';
import { startRegistry } from '../../local/registry.ts';
import type { Closer } from '../../services/closing.ts';
import type { ServiceName } from '../configuration.ts';
import { type Backend, startBalancer } from './balancer.ts';
import { type Member, type MemberCounts, planMembers, portCount } from './members.ts';
import { Supervised } from './supervised.ts';
import { askMember, type MemberState, type Picture, pictureOf } from './watch.ts';

export interface LocalClusterOptions {
  /** Kafka's and Redis's data and all log files lie here. */
  readonly dataDir: string;
  readonly http: Endpoint;
  readonly counts: MemberCounts;
  /** The traffic is simulated, and the page says so. */
  readonly simulated: boolean;
  /** Of the services: nothing of it but what is not ours gets through, all that they need comes by flags. */
  readonly env: Environment;
  readonly say: (text: string) => void;
}

export interface Place {
  readonly what: string;
  readonly where: string;
  readonly process: number | null;
}

const WATCH_MS = 1000;
const STEP_MS = 5000;
const POLL_MS = 200;

/** Says what begins, and every few seconds that it goes on. */
export async function step<T>(say: (text: string) => void, what: string, work: () => Promise<T>): Promise<T> {
  say(what);
  const startMs = performance.now();
  const timer = setInterval(() => say(`  ${what}: ${Math.round((performance.now() - startMs) / 1000)} s so far`), STEP_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Starts everything but the services. What to close is put before the closers. Errors: `local.*`, those of topics and registry. */
export async function startSurroundings(
  { dataDir, say }: Pick<LocalClusterOptions, 'dataDir' | 'say'>,
  closers: Closer[],
): Promise<{
  readonly brokers: readonly string[];
  readonly registry: string;
  readonly redis: string;
  readonly places: readonly Place[];
  readonly cluster: OpenCluster;
}> {
  requirePrograms('java', 'mvn', 'redis-server');
  mkdirSync(dataDir, { recursive: true });
  const kafka = await step(say, 'starting Kafka', () => startKafka({ dir: join(dataDir, 'kafka'), say: (text) => say(`  ${text}`) }));
  closers.unshift(kafka.stop);
  const redis = await step(say, 'starting Redis', () => startRedis({ dir: join(dataDir, 'redis') }));
  closers.unshift(() => redis.stop());
  const registry = await step(say, 'starting the schema registry', () => startRegistry({ brokers: kafka.brokers }));
  closers.unshift(() => registry.stop());
  const connection = { brokers: kafka.brokers, clientId: 'squitter-runner' };
  const topics = { create: true, replicationFactor: 1, framePartitions: FRAME_PARTITIONS_CLUSTER };
  await step(say, 'comparing topics, creating those that are missing', () => ensureTopics(connection, topics));
  const cluster = await openCluster({ kafka: connection, registry: { url: registry.url } });
  closers.unshift(() => cluster.log.close());
  const places = [
    { what: 'kafka', where: kafka.brokers.join(','), process: kafka.node(0).pid },
    { what: 'registry', where: registry.url, process: registry.pid },
    { what: 'redis', where: redis.url, process: redis.pid },
  ];
  return { brokers: kafka.brokers, registry: registry.url, redis: redis.url, places, cluster };
}

/** The services of a local cluster, watched. */
export class LocalCluster {
  readonly processes = new Map<Member, Supervised>();
  readonly cluster: OpenCluster;
  readonly places: readonly Place[];
  /** Public address. */
  readonly http: string;
  private readonly backends = new Map<Member, Backend>();
  private readonly states = new Map<Member, MemberState>();

  private constructor(places: readonly Place[], cluster: OpenCluster, backends: ReadonlyMap<Member, Backend>, http: string) {
    this.places = places;
    this.cluster = cluster;
    this.http = http;
    for (const [member, backend] of backends) this.backends.set(member, backend);
  }

  static async start({ dataDir, http, counts, simulated, env, say }: LocalClusterOptions, closers: Closer[]): Promise<LocalCluster> {
    const { places, cluster, ...surroundings } = await startSurroundings({ dataDir, say }, closers);
    const members = planMembers(counts, { ...surroundings, http: String(http), simulated }, await freePorts(portCount(counts)));
    const backends = new Map(
      members.filter(({ service }) => service === 'query-api').map((member) => [member, { address: member.http, ready: false }]),
    );
    const balancer = await startBalancer(http, [...backends.values()]);
    closers.unshift(balancer.close);
    const running = new LocalCluster(places, cluster, backends, balancer.address);
    const logs = join(dataDir, 'logs');
    mkdirSync(logs, { recursive: true });
    for (const member of members) {
      const { name, entry, nodeFlags, flags } = member;
      const logFile = join(logs, `${name}.log`);
      running.processes.set(member, new Supervised({ name, entry, nodeFlags, flags, env: withoutOurs(env), logFile, say }));
    }
    closers.unshift(() => running.stop('ingest', 'fold', 'flights', 'query-api'));
    const watching = setInterval(() => void running.look(), WATCH_MS);
    closers.unshift(async () => clearInterval(watching));
    return running;
  }

  members(service: ServiceName): Supervised[] {
    return [...this.processes].filter(([member]) => member.service === service).map(([, supervised]) => supervised);
  }

  listens(): Endpoint[] {
    return [...this.processes.keys()].flatMap(({ listen }) => (listen === null ? [] : [listen]));
  }

  picture(): Picture {
    return pictureOf(this.states, Date.now());
  }

  /** The newest answer of each query API on a path, as JSON. */
  askQueryApis(path: string): Promise<unknown[]> {
    const apis = [...this.processes.keys()].filter(({ service }) => service === 'query-api');
    return Promise.all(apis.map(async ({ http }) => (await fetch(`http://${http}${path}`)).json()));
  }

  /** Waits until a picture is as wanted. Error: `cluster.too_slow`. */
  async until(what: string, wanted: (picture: Picture) => boolean, msMax: number, signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + msMax;
    for (;;) {
      await this.look();
      if (signal?.aborted === true || wanted(this.picture())) return;
      if (performance.now() > deadline) throw new SquitterError('cluster.too_slow', { what, seconds: msMax / 1000 });
      await sleep(POLL_MS);
    }
  }

  /** Stops all processes of these services, one service after the other; tells those that did not end with 0. */
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

  private async look(): Promise<void> {
    await Promise.all(
      [...this.processes.keys()].map(async (member) => {
        const state = await askMember(member);
        this.states.set(member, state);
        const backend = this.backends.get(member);
        if (backend !== undefined) backend.ready = state.ready;
      }),
    );
  }
}

/** Variables for services would be read besides the flags. */
export function withoutOurs(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('SQUITTER_')));
}
