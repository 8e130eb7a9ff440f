// What each service of the cluster profile can be told: one table of options per service, made of shared parts. Flags, variables, defaults, --help,
// `config check` and CONFIGURATION.md come from here.
import {
  contradiction,
  type KafkaValues,
  kafkaOptions,
  kafkaProblems,
  parseHttpUrl,
  type RegistryValues,
  registryOptions,
  registryProblems,
  unreadable,
} from '../../pipeline/log/cluster-options.ts';
import {
  type Address,
  address,
  integerBetween,
  type OptionTable,
  type OptionValues,
  parseAddress,
  parseCoordinates,
} from '../../pipeline/runtime/options.ts';
import type { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import { feederConnectionOptions, httpConnectionOptions } from '../services/connection-limits.ts';
import { type ReceiverValues, shownReceiverProblem, showReceiverOption } from '../services/shown-receiver.ts';

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

/** What every service has. */
export const processOptions = {
  instance: {
    flag: 'instance',
    value: 'NAME',
    env: 'SQUITTER_INSTANCE',
    help: "name of this process in logs and at Kafka; the machine's name where it is not given",
    fallback: null as string | null,
    parse: parseInstance,
  },
  logLevel: {
    flag: 'log-level',
    value: 'LEVEL',
    env: 'SQUITTER_LOG_LEVEL',
    help: `least level of the log lines on standard error: ${logLevels.join(', ')}`,
    fallback: 'info' as LogLevel,
    parse: parseLogLevel,
  },
  strictEnvironment: {
    flag: 'strict-environment',
    env: 'SQUITTER_STRICT_ENVIRONMENT',
    help: 'refuse to start when a variable begins with SQUITTER_ and is not known; else a log line tells it',
    fallback: false as boolean,
  },
} as const;

const clusterOptions = {
  ...kafkaOptions,
  brokers: { ...kafkaOptions.brokers, required: true },
  ...registryOptions,
  registry: { ...registryOptions.registry, required: true },
} as const;

export const redisOptions = {
  redis: {
    flag: 'redis',
    value: 'URL',
    env: 'SQUITTER_REDIS_URL',
    help: 'Redis for keys, tiers and limits: redis://HOST:PORT/DATABASE, rediss:// for TLS',
    fallback: null as string | null,
    parse: parseRedisUrl,
  },
  redisUsername: {
    flag: 'redis-username',
    value: 'NAME',
    env: 'SQUITTER_REDIS_USERNAME',
    help: 'name to log in to Redis with, where it has several',
    fallback: null as string | null,
  },
  redisPassword: {
    value: 'SECRET',
    env: 'SQUITTER_REDIS_PASSWORD',
    secret: true,
    help: 'password to log in to Redis with',
    fallback: null as string | null,
  },
  redisCaFile: {
    flag: 'redis-ca-file',
    value: 'FILE',
    env: 'SQUITTER_REDIS_CA_FILE',
    help: "PEM certificates that Redis's must be signed by, in place of the system's",
    fallback: null as string | null,
  },
} as const;

const httpOption = (port: number, help: string) =>
  ({
    flag: 'http',
    value: 'HOST:PORT',
    env: 'SQUITTER_HTTP',
    help,
    fallback: address('127.0.0.1', port) as Address,
    parse: parseAddress,
  }) as const;

const SESSION_MS_MIN = 1000;
const SESSION_MS_MAX = 300_000;

const OPERATION_HELP = '/healthz, /readyz and /metrics';

export const ingestOptions = {
  listen: {
    flag: 'listen',
    value: 'HOST:PORT',
    env: 'SQUITTER_LISTEN',
    help: 'feeders push Beast or AVR here',
    fallback: address('127.0.0.1', 30_004) as Address,
    parse: parseAddress,
  },
  feed: {
    flag: 'feed',
    value: 'HOST:PORT',
    env: 'SQUITTER_FEED',
    repeatable: true,
    help: 'pull Beast or AVR from here',
    fallback: [] as Address[],
    parse: parseAddress,
  },
  ...feederConnectionOptions,
  http: httpOption(8091, OPERATION_HELP),
  ...clusterOptions,
  ...processOptions,
} as const;

export const foldOptions = {
  receiver: {
    flag: 'receiver',
    value: 'LAT,LON',
    env: 'SQUITTER_RECEIVER',
    help: 'where the receiver stands: surface positions then resolve at once. The same for every fold and for `squitter audit`',
    fallback: null as { lat: number; lon: number } | null,
    parse: parseCoordinates,
  },
  http: httpOption(8092, OPERATION_HELP),
  session: {
    flag: 'session',
    value: 'MS',
    env: 'SQUITTER_FOLD_SESSION_MS',
    help: 'a fold that Kafka has not heard of for so long is replaced; within what the brokers allow',
    fallback: limits.kafkaSessionMs as number,
    parse: integerBetween(SESSION_MS_MIN, SESSION_MS_MAX),
  },
  ...clusterOptions,
  ...processOptions,
} as const;

export const queryApiOptions = {
  http: httpOption(8080, `the REST API and the page; ${OPERATION_HELP} too`),
  ...httpConnectionOptions,
  baseUrl: {
    flag: 'base-url',
    value: 'URL',
    env: 'SQUITTER_BASE_URL',
    help: 'public address of the service, for links in answers; they are relative without it',
    fallback: '',
    parse: parseHttpUrl,
  },
  feederAddress: {
    flag: 'feeder-address',
    value: 'HOST:PORT',
    env: 'SQUITTER_FEEDER_ADDRESS',
    help: 'public address that feeders push to, shown on the page',
    fallback: null as Address | null,
    parse: parseAddress,
  },
  simulated: {
    flag: 'simulated',
    env: 'SQUITTER_SIMULATED',
    help: 'the traffic is simulated: the page and /v2/stats say so',
    fallback: false as boolean,
  },
  receiver: { ...foldOptions.receiver, help: 'where the receiver stands; told to nobody without --show-receiver' },
  showReceiver: showReceiverOption,
  reference: {
    flag: 'reference',
    value: 'DIR',
    env: 'SQUITTER_REFERENCE_DIR',
    help: 'imported reference data: the folder `reference` in the --data folder of `squitter reference import`; taken up while the service runs',
    fallback: null as string | null,
  },
  ...clusterOptions,
  ...redisOptions,
  ...processOptions,
} as const;

export const serviceNames = ['ingest', 'fold', 'query-api'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface ServiceConfiguration {
  readonly summary: string;
  readonly options: OptionTable;
}

export const services = {
  ingest: { summary: 'feeders in, raw frames to Kafka', options: ingestOptions },
  fold: { summary: 'raw frames to positions and aircraft states, exactly once; any number share the partitions', options: foldOptions },
  'query-api': { summary: 'the live view and the REST API; each has all of it', options: queryApiOptions },
} as const satisfies Record<ServiceName, ServiceConfiguration>;

/** What is wrong with a service's values together. */
export function problemsOf(values: Partial<KafkaValues & RegistryValues & RedisValues & ReceiverValues>): SquitterError[] {
  const shown = 'showReceiver' in values ? shownReceiverProblem(values as ReceiverValues) : null;
  return [
    ...kafkaProblems(values as KafkaValues),
    ...registryProblems(values as RegistryValues),
    ...('redis' in values ? redisProblems(values as RedisValues) : []),
    ...(shown === null ? [] : [shown]),
  ];
}

export type RedisValues = OptionValues<typeof redisOptions>;

function redisProblems({ redis, redisUsername, redisPassword, redisCaFile }: RedisValues): SquitterError[] {
  const problems: SquitterError[] = [];
  if (redisUsername !== null && redisPassword === null)
    problems.push(contradiction(redisOptions.redisUsername.env, redisUsername, `${redisOptions.redisPassword.env} is missing`));
  if (redisCaFile === null) return problems;
  const { env } = redisOptions.redisCaFile;
  if (redis?.startsWith('rediss:') === true) problems.push(...unreadable(env, redisCaFile));
  else problems.push(contradiction(env, redisCaFile, 'Redis is not at a rediss:// address'));
  return problems;
}

/** Variables that begin as ours do and mean nothing to any service; those that Kubernetes gives each pod for every Service beside it are left out. */
export function unknownVariables(names: readonly string[]): string[] {
  const known = new Set(Object.values(services).flatMap(({ options }) => variablesOf(options)));
  return names.filter((name) => name.startsWith('SQUITTER_') && !known.has(name) && !/_(SERVICE_HOST|SERVICE_PORT|PORT)(_|$)/.test(name));
}

/** Names of all variables of a table, with those that name files of secrets. */
function variablesOf(table: OptionTable): string[] {
  return Object.values(table).flatMap(({ env, secret }) => (env === undefined ? [] : secret === true ? [env, `${env}_FILE`] : [env]));
}

function parseInstance(text: string): string {
  if (!/^[\w.-]{1,100}$/.test(text)) throw new Error('it is up to 100 letters, digits, dots, dashes and underscores');
  return text;
}

function parseLogLevel(text: string): LogLevel {
  const found = logLevels.find((level) => level === text);
  if (found === undefined) throw new Error(`it is ${logLevels.join(', ')}`);
  return found;
}

function parseRedisUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === '')
    throw new Error('it is an address like redis://127.0.0.1:6379/0');
  if (url.username !== '' || url.password !== '') throw new Error('name and password have options of their own');
  return text;
}
