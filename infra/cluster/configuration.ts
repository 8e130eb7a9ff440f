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
import { type Endpoint, integerBetween, type OptionTable, type OptionValues, parseEndpoint } from '../../pipeline/runtime/options.ts';
import type { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';
import { feederConnectionOptions, httpConnectionOptions } from '../services/connection-limits.ts';
import {
  feedOption,
  httpOption,
  LISTEN_DEFAULT,
  listenOption,
  receiverOption,
  strictEnvironmentOption,
} from '../services/shared-options.ts';
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
  strictEnvironment: strictEnvironmentOption,
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

const SESSION_MS_MIN = 1000;
const SESSION_MS_MAX = 300_000;

const sessionOption = (env: string, what: string) =>
  ({
    flag: 'session',
    value: 'MS',
    env,
    help: `${what} that Kafka has not heard of for so long is replaced; within what the brokers allow`,
    fallback: limits.kafkaSessionMs as number,
    parse: integerBetween(SESSION_MS_MIN, SESSION_MS_MAX),
  }) as const;

const referenceOption = {
  flag: 'reference',
  value: 'DIR',
  env: 'SQUITTER_REFERENCE_DIR',
  help: 'imported reference data: the folder `reference` in the --data folder of `squitter reference import`; taken up while the service runs',
  fallback: null as string | null,
} as const;

const OPERATION_HELP = '/healthz, /readyz and /metrics';

export const ingestOptions = {
  listen: listenOption(LISTEN_DEFAULT, 'feeders push Beast or AVR here'),
  feed: feedOption,
  ...feederConnectionOptions,
  http: httpOption(8091, OPERATION_HELP),
  ...clusterOptions,
  ...processOptions,
} as const;

export const foldOptions = {
  receiver: receiverOption(
    'where the receiver stands: surface positions then resolve at once. The same for every fold and for `squitter audit`',
  ),
  http: httpOption(8092, OPERATION_HELP),
  session: sessionOption('SQUITTER_FOLD_SESSION_MS', 'a fold'),
  ...clusterOptions,
  ...processOptions,
} as const;

export const flightsOptions = {
  reference: referenceOption,
  http: httpOption(8093, OPERATION_HELP),
  session: sessionOption('SQUITTER_FLIGHTS_SESSION_MS', 'a flights stage'),
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
    fallback: null as Endpoint | null,
    parse: parseEndpoint,
  },
  simulated: {
    flag: 'simulated',
    env: 'SQUITTER_SIMULATED',
    help: 'the traffic is simulated: the page and /v2/stats say so',
    fallback: false as boolean,
  },
  receiver: receiverOption('where the receiver stands; told to nobody without --show-receiver'),
  showReceiver: showReceiverOption,
  reference: referenceOption,
  ...clusterOptions,
  ...redisOptions,
  ...processOptions,
} as const;

export const serviceNames = ['ingest', 'fold', 'flights', 'query-api'] as const;
export type ServiceName = (typeof serviceNames)[number];

export interface ServiceConfiguration {
  readonly summary: string;
  readonly options: OptionTable;
}

export const services = {
  ingest: { summary: 'feeders in, raw frames to Kafka', options: ingestOptions },
  fold: { summary: 'raw frames to positions and aircraft states, exactly once; any number share the partitions', options: foldOptions },
  flights: {
    summary: 'aircraft states and flight plans to flights, exactly once; any number share the partitions',
    options: flightsOptions,
  },
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

/** Tables of all services: a variable of one is no surprise to the others, which may share an environment. */
export const serviceTables: readonly OptionTable[] = Object.values(services).map(({ options }) => options);

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
