// The processes of a local cluster, their addresses and their flags.
import type { ServiceName } from '../../infra/cluster/configuration.ts';
import { type Endpoint, type Environment, endpoint } from '../../pipeline/runtime/options.ts';
import type { HistoryAddress } from '../../pipeline/store/client.ts';

export interface MemberCounts {
  readonly ingests: number;
  readonly folds: number;
  readonly flights: number;
  readonly projects: number;
  readonly exports: number;
  readonly queryApis: number;
  readonly pushes: number;
}

export interface Surroundings {
  readonly brokers: readonly string[];
  readonly registry: string;
  readonly redis: string;
  /** Null without history. */
  readonly history: HistoryAddress | null;
  /** Folder of the published daily files. */
  readonly bulkDir: string;
  /** File with the secret of the installation. */
  readonly secretFile: string;
  /** Secret of query APIs and push services. */
  readonly pushSecret: string;
  /** Public address, for the page. */
  readonly http: string;
  /** True if the web page marks the traffic as simulated. */
  readonly simulated: boolean;
}

export interface Member {
  readonly name: string;
  readonly service: ServiceName;
  readonly http: Endpoint;
  /** Listening address for feeders; null for other services than ingests. */
  readonly listen: Endpoint | null;
  /** Listening address for subscribers; null for other services than push. */
  readonly push: Endpoint | null;
  /** Listening address of the record service; null for other services than query APIs. */
  readonly grpc: Endpoint | null;
  readonly flags: readonly string[];
  /** Secrets have no flags. */
  readonly env: Environment;
}

/** The counts without the services of a history store. */
export function withoutHistory(counts: MemberCounts): MemberCounts {
  return { ...counts, projects: 0, exports: 0 };
}

/** Number of ports that the members need: two per ingest, query API and push service, one per other process. */
export function portCount({ ingests, folds, flights, projects, exports, queryApis, pushes }: MemberCounts): number {
  return 2 * ingests + folds + flights + projects + exports + 2 * queryApis + 2 * pushes;
}

/** Services that use the history store. */
const HISTORY_SERVICES: ReadonlySet<ServiceName> = new Set<ServiceName>(['project', 'export', 'query-api']);

export function planMembers(counts: MemberCounts, surroundings: Surroundings, ports: readonly number[]): Member[] {
  const { brokers, registry, redis, history, bulkDir, secretFile, pushSecret, http: publicHttp, simulated } = surroundings;
  const free = [...ports];
  const next = (): Endpoint => endpoint('127.0.0.1', free.shift()!);
  type Own = Partial<Pick<Member, 'listen' | 'push' | 'grpc' | 'flags'>>;
  const member = (service: ServiceName, number: number, { listen = null, push = null, grpc = null, flags = [] }: Own): Member => {
    const name = `${service}-${number}`;
    const http = next();
    const common = ['--brokers', brokers.join(','), '--registry', registry, '--instance', name, '--http', String(http)];
    const store = history !== null && HISTORY_SERVICES.has(service) ? storeAccess(history) : { flags: [], env: {} };
    return {
      name,
      service,
      http,
      listen,
      push,
      grpc,
      flags: ['service', service, ...common, ...store.flags, ...flags],
      env: { ...store.env, ...(service === 'query-api' || service === 'push' ? { SQUITTER_PUSH_SECRET: pushSecret } : {}) },
    };
  };
  const members: Member[] = [];
  for (let i = 1; i <= counts.ingests; i += 1) {
    const listen = next();
    members.push(member('ingest', i, { listen, flags: ['--listen', String(listen), '--secret-file', secretFile] }));
  }
  const firstListen = members[0]?.listen ?? null;
  for (let i = 1; i <= counts.folds; i += 1) members.push(member('fold', i, {}));
  for (let i = 1; i <= counts.flights; i += 1) members.push(member('flights', i, {}));
  for (let i = 1; i <= counts.projects; i += 1) members.push(member('project', i, {}));
  for (let i = 1; i <= counts.exports; i += 1) members.push(member('export', i, { flags: ['--out', bulkDir, '--redis', redis] }));
  const pushes = Array.from({ length: counts.pushes }, next);
  // The balancer hides the addresses of callers: with limits, all of them would be one.
  const callerFlags = ['--secret-file', secretFile, '--access', 'open', '--redis', redis, '--base-url', `http://${publicHttp}`];
  const queryApiFlags = [
    ...callerFlags,
    ...(firstListen === null ? [] : ['--feeder-address', String(firstListen)]),
    ...(simulated ? ['--simulated'] : []),
    ...(counts.exports > 0 ? ['--bulk-dir', bulkDir] : []),
    ...pushes.flatMap((push) => ['--push-upstream', String(push)]),
  ];
  for (let i = 1; i <= counts.queryApis; i += 1) {
    const grpc = next();
    members.push(member('query-api', i, { grpc, flags: [...queryApiFlags, '--grpc', String(grpc)] }));
  }
  for (const [i, push] of pushes.entries()) members.push(member('push', i + 1, { push, flags: [...callerFlags, '--push', String(push)] }));
  return members;
}

function storeAccess({ url, user, password, database }: HistoryAddress): Required<Pick<Member, 'flags' | 'env'>> {
  return {
    flags: ['--clickhouse', url, '--clickhouse-username', user, '--clickhouse-database', database],
    env: { SQUITTER_CLICKHOUSE_PASSWORD: password },
  };
}
