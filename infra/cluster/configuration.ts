// Configuration of the services of the cluster profile: one option table per service, composed of shared parts. Flags, variables, defaults, --help,
// `config check` and CONFIGURATION.md are derived from it.
import {
  contradiction,
  type KafkaValues,
  kafkaOptions,
  kafkaProblems,
  type RegistryValues,
  registryOptions,
  registryProblems,
  unreadable,
} from '../../pipeline/log/cluster-options.ts';
import {
  type Endpoint,
  integerBetween,
  type OptionTable,
  type OptionValues,
  oneOf,
  parseEndpoint,
  receiverOption,
  secretOption,
  switchOption,
  textOption,
} from '../../pipeline/runtime/options.ts';
import { historyOptions, retentionOptions, tableOptions } from '../../pipeline/store/options.ts';
import type { AccessProfile } from '../../query-api/access/operators.ts';
import type { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { accessOptions } from '../services/options/access-options.ts';
import { connectionOptions } from '../services/options/connection-limits.ts';
import { bulkDirOption, bulkOption, exportOptions } from '../services/options/export-options.ts';
import { mapOptions } from '../services/options/map-options.ts';
import { objectStoreOptions } from '../services/options/object-store-options.ts';
import { addressOption, displayOptions, grpcOption, outputOptions, pushOptions, toolOptions } from '../services/options/output-options.ts';
import {
  baseUrlOption,
  feedOption,
  httpOption,
  LISTEN_DEFAULT,
  listenOption,
  strictEnvironmentOption,
} from '../services/options/shared-options.ts';
import { type ReceiverValues, shownReceiverProblem, showReceiverOption } from '../services/options/shown-receiver.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** Options of every service. */
const processOptions = {
  instance: {
    ...textOption('instance', 'NAME', 'name of this process in logs and in Kafka (default: the host name)'),
    parse: parseInstance,
  },
  logLevel: {
    ...textOption('log-level', 'LEVEL', `lowest level of log lines on standard error: ${logLevels.join(', ')}`),
    fallback: 'info' as LogLevel,
    parse: oneOf(logLevels),
  },
  strictEnvironment: strictEnvironmentOption,
} as const;

const clusterOptions = {
  ...kafkaOptions,
  brokers: { ...kafkaOptions.brokers, required: true },
  ...registryOptions,
  registry: { ...registryOptions.registry, required: true },
} as const;

const redisOptions = {
  redis: {
    ...textOption(
      'redis',
      'URL',
      'Redis through which query APIs and push services share the limits of callers; without it each process counts alone. redis://HOST:PORT/DATABASE, rediss:// for TLS',
    ),
    env: 'SQUITTER_REDIS_URL',
    parse: parseRedisUrl,
  },
  redisUsername: textOption('redis-username', 'NAME', 'user name for Redis, if it has several users'),
  redisPassword: secretOption('SQUITTER_REDIS_PASSWORD', 'password for Redis'),
  redisCaFile: textOption('redis-ca-file', 'FILE', "PEM file of CA certificates for Redis, instead of the system's"),
} as const;

const pushSecretOption = {
  ...secretOption(
    'SQUITTER_PUSH_SECRET',
    'shared by query APIs and push services: with it a query API reports the addresses of clients whose connections it hands over',
  ),
  parse: parsePushSecret,
} as const;

const sessionOption = (env: string, what: string) =>
  ({
    flag: 'session',
    value: 'MS',
    env,
    help: `session timeout: ${what} that Kafka has not heard from for this time is replaced; must be within the limits of the brokers`,
    fallback: limits.kafkaSessionMs as number,
    parse: integerBetween(limits.kafkaSessionOptionMsMin, limits.kafkaSessionOptionMsMax),
  }) as const;

const referenceOption = {
  ...exportOptions.reference,
  help: 'imported reference data: the folder `reference` in the --data folder of `squitter reference import`; new imports are loaded while the service runs',
} as const;

const secretFileOption = {
  ...textOption(
    'secret-file',
    'FILE',
    'secret of the installation, 64 hex digits (`openssl rand -hex 32`): ids of feeders and keys are made with it. The same for all processes, for ever',
  ),
  required: true,
} as const;

/** Options of services with callers. */
const callerOptions = {
  secretFile: secretFileOption,
  ...accessOptions,
  access: { ...accessOptions.access, fallback: 'tiers' as AccessProfile },
  baseUrl: baseUrlOption,
  ...redisOptions,
} as const;

export type CallerValues = OptionValues<typeof callerOptions>;

/** The options of a service beside those that all have. */
const inEach = <const Own extends OptionTable>(own: Own) => ({ ...own, ...clusterOptions, ...processOptions });

const { httpConnections, feederConnections, feederConnectionsPerAddress, pushConnections, grpcConnections } = connectionOptions;
const OPERATION_HELP = '/healthz, /readyz and /metrics';

export const services = {
  ingest: {
    summary: 'feeders in, raw frames to Kafka',
    options: inEach({
      listen: listenOption(LISTEN_DEFAULT, 'listening address for feeders that push Beast or AVR'),
      feed: feedOption,
      feederConnections,
      feederConnectionsPerAddress,
      secretFile: secretFileOption,
      http: httpOption(8091, OPERATION_HELP),
    }),
  },
  fold: {
    summary: 'raw frames to positions and aircraft states, exactly once; any number of folds share the partitions',
    options: inEach({
      receiver: receiverOption(
        'position of the receiver: surface positions then resolve at once. Must be the same for every fold and for `squitter audit`',
      ),
      http: httpOption(8092, OPERATION_HELP),
      session: sessionOption('SQUITTER_FOLD_SESSION_MS', 'a fold'),
    }),
  },
  flights: {
    summary: 'aircraft states and flight plans to flights, exactly once; any number of stages share the partitions',
    options: inEach({
      reference: referenceOption,
      http: httpOption(8093, OPERATION_HELP),
      session: sessionOption('SQUITTER_FLIGHTS_SESSION_MS', 'a flights stage'),
    }),
  },
  project: {
    summary: 'positions and ended flights to the history store, each once; any number of stages share the partitions',
    options: inEach({
      ...historyOptions,
      clickhouse: { ...historyOptions.clickhouse, required: true },
      ...tableOptions,
      ...retentionOptions,
      http: httpOption(8095, OPERATION_HELP),
      session: sessionOption('SQUITTER_PROJECT_SESSION_MS', 'a project stage'),
    }),
  },
  export: {
    summary: 'the daily files of closed days, from the history store',
    options: inEach({
      ...historyOptions,
      clickhouse: { ...historyOptions.clickhouse, required: true },
      ...exportOptions,
      out: { ...exportOptions.out, help: 'folder of the published daily files', required: true },
      reference: referenceOption,
      bulkGib: bulkOption,
      ...objectStoreOptions,
      ...redisOptions,
      redis: {
        ...redisOptions.redis,
        help: 'Redis for the schedule of several processes; without it only one process may have the folder',
      },
      http: httpOption(8096, OPERATION_HELP),
    }),
  },
  'query-api': {
    summary: 'the REST API over a live view of all aircraft',
    options: inEach({
      ...historyOptions,
      clickhouse: {
        ...historyOptions.clickhouse,
        help: 'history store: HTTP interface of a ClickHouse server; without it there is no history',
      },
      http: httpOption(8080, `REST API, web page, ${OPERATION_HELP}`),
      httpConnections,
      grpc: grpcOption,
      grpcConnections,
      pushTick: { ...pushOptions.pushTick, help: 'interval of WatchAircraft; give push services the same' },
      ...callerOptions,
      feederAddress: addressOption('feeder-address', 'public address for feeders, shown on the web page'),
      simulated: switchOption('simulated', 'mark the traffic as simulated on the web page and in /v2/stats'),
      bulkDir: bulkDirOption,
      ...displayOptions,
      ...toolOptions,
      pushUpstream: {
        ...textOption(
          'push-upstream',
          'HOST:PORT',
          'push services to which /ws/, /v2/ws and /v2/stream are handed over; if one is down, the next one is tried',
        ),
        repeatable: true,
        fallback: [] as Endpoint[],
        parse: parseEndpoint,
      },
      pushSecret: pushSecretOption,
      pushConnections: {
        ...pushConnections,
        help: 'maximum number of connections that are handed over; each takes two open files',
      },
      receiver: receiverOption('position of the receiver; published only with --show-receiver'),
      showReceiver: showReceiverOption,
      ...mapOptions,
      reference: referenceOption,
    }),
  },
  push: {
    summary: 'WebSocket and event streams of a live view of all aircraft, and the outputs for other programs',
    options: inEach({
      push: { ...pushOptions.push, help: 'WebSocket and event streams' },
      pushTick: { ...pushOptions.pushTick, help: 'interval of the streams; must be the same for every push service' },
      pageTick: pushOptions.pageTick,
      pageEgress: { ...pushOptions.pageEgress, help: `${pushOptions.pageEgress.help}; for each push service` },
      pushTransport: pushOptions.pushTransport,
      pushConnections,
      pushSecret: pushSecretOption,
      ...callerOptions,
      ...outputOptions,
      http: httpOption(8094, OPERATION_HELP),
      reference: referenceOption,
    }),
  },
} as const satisfies Readonly<Record<string, { readonly summary: string; readonly options: OptionTable }>>;

export type ServiceName = keyof typeof services;
export const serviceNames = Object.keys(services) as readonly ServiceName[];

/** Errors of a service's values in combination. */
export function problemsOf(values: Partial<KafkaValues & RegistryValues & RedisValues & ReceiverValues & UpstreamValues>): SquitterError[] {
  const shown = 'showReceiver' in values ? shownReceiverProblem(values as ReceiverValues) : null;
  return [
    ...kafkaProblems(values as KafkaValues),
    ...registryProblems(values as RegistryValues),
    ...('redis' in values ? redisProblems(values as RedisValues) : []),
    ...(shown === null ? [] : [shown]),
    ...('pushUpstream' in values ? upstreamProblems(values as UpstreamValues) : []),
  ];
}

export type UpstreamValues = Pick<OptionValues<(typeof services)['query-api']['options']>, 'pushUpstream' | 'pushSecret'>;

/** Without the secret, all clients would have the address of the query API. */
function upstreamProblems({ pushUpstream, pushSecret }: UpstreamValues): SquitterError[] {
  if (pushUpstream.length === 0 || pushSecret !== null) return [];
  return [contradiction(services['query-api'].options.pushUpstream.env, pushUpstream.join(), `${pushSecretOption.env} is missing`)];
}

export type RedisValues = OptionValues<typeof redisOptions>;

function redisProblems({ redis, redisUsername, redisPassword, redisCaFile }: RedisValues): SquitterError[] {
  const problems: SquitterError[] = [];
  if (redisUsername !== null && redisPassword === null)
    problems.push(contradiction(redisOptions.redisUsername.env, redisUsername, `${redisOptions.redisPassword.env} is missing`));
  if (redisCaFile === null) return problems;
  const { env } = redisOptions.redisCaFile;
  if (redis?.startsWith('rediss:') === true) problems.push(...unreadable(env, redisCaFile));
  else problems.push(contradiction(env, redisCaFile, 'expected a rediss:// URL for Redis'));
  return problems;
}

/** Tables of all services. Services may share an environment, so a variable of one is known to all. */
export const serviceTables: readonly OptionTable[] = Object.values(services).map(({ options }) => options);

function parseInstance(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text)) throw new Error('expected up to 100 letters, digits, dots, dashes and underscores');
  return text;
}

/** It travels in a header field. */
function parsePushSecret(text: string): string {
  if (!/^[\w+/=.~-]{16,200}$/.test(text)) throw new Error('expected 16 to 200 letters, digits and characters of _ + / = . ~ -');
  return text;
}

function parseRedisUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('expected a URL like redis://127.0.0.1:6379/0');
  if (url.username !== '' || url.password !== '') throw new Error('user name and password have their own options');
  return text;
}
