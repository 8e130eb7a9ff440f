// One service as a process: reads its configuration, connects, runs until a stop signal or a failure, and closes in order.
// Exit status 0 only after a requested stop without failures; 1 after a failure; 2 if the configuration is wrong.
import { hostname } from 'node:os';
import type { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { kafkaConnection, registryAccess } from '../../pipeline/log/cluster-options.ts';
import type { OnKafkaMessage } from '../../pipeline/log/kafka/connection.ts';
import { checkTopics } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from '../../pipeline/runtime/command.ts';
import { Counters } from '../../pipeline/runtime/counters.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import { type Environment, type OptionValues, readOptions } from '../../pipeline/runtime/options.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { aborted } from '../../pipeline/runtime/waiting.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type Closer, closeAll } from '../services/closing.ts';
import { serviceLogger } from '../services/logging.ts';
import { UNKNOWN_VARIABLE_LINE, unknownVariableProblems, unknownVariables } from '../services/options/shared-options.ts';
import { problemsOf, type ServiceName, services, serviceTables } from './configuration.ts';
import { startOperationHttp } from './operation-http.ts';

const STATS_INTERVAL_MS = 1000;

export interface ProcessIo {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stderr: Writable;
  /** Stops the service. */
  readonly signal: AbortSignal;
}

export interface ServiceContext<Name extends ServiceName> {
  readonly options: OptionValues<(typeof services)[Name]['options']>;
  /** The environment for programs that the service starts. */
  readonly env: Environment;
  /** Name of this process, unique in its service. */
  readonly instance: string;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Checked by `/readyz`. */
  readonly readiness: Readiness;
  /** Closed in this order: producers before consumers. */
  readonly closers: Closer[];
  /** Connects to Kafka and the registry, and waits for them for a limited time. `sessionMs`: see `KafkaLogOptions`. */
  readonly openCluster: (options?: { readonly sessionMs: number }) => Promise<OpenCluster>;
}

export interface ServiceDefinition<Name extends ServiceName> {
  readonly name: Name;
  /** It serves `/healthz`, `/readyz` and `/metrics` beside its API. */
  readonly hasApi?: true;
  /** Starts the service. `ended` settles when the service ends without a stop, which is a failure. */
  start(context: ServiceContext<Name>): Promise<{ readonly ended: Promise<unknown> }>;
}

/** Runs a service and returns the exit status. */
export async function runServiceProcess<Name extends ServiceName>(definition: ServiceDefinition<Name>, io: ProcessIo): Promise<number> {
  const table = services[definition.name].options;
  const { options, words, problems } = readOptions(table, io.argv, io.env);
  const wrong = [
    ...problems,
    ...problemsOf(options),
    ...words.map((word) => new SquitterError('usage.unknown_word', { word, command: definition.name })),
  ];
  const unknown = unknownVariables(Object.keys(io.env), serviceTables);
  if (options.strictEnvironment) wrong.push(...unknownVariableProblems(unknown));
  if (wrong.length > 0) {
    for (const { message, code } of wrong) io.stderr.write(`squitter ${definition.name}: ${message} [${code}]\n`);
    return EXIT_USAGE;
  }
  const instance = options.instance ?? hostname();
  const logger = serviceLogger(io.stderr, { level: options.logLevel, base: { service: definition.name, instance } });
  for (const name of unknown) logger.warn({ name }, UNKNOWN_VARIABLE_LINE);
  return await runToEnd(definition, options as OptionValues<(typeof services)[Name]['options']>, { io, logger, instance });
}

interface Running {
  readonly io: ProcessIo;
  readonly logger: Logger;
  readonly instance: string;
}

async function runToEnd<Name extends ServiceName>(
  definition: ServiceDefinition<Name>,
  options: OptionValues<(typeof services)[Name]['options']>,
  { io, logger, instance }: Running,
): Promise<number> {
  const registry = new Registry();
  // CPU, memory, event loop and garbage collection of the process, with prom-client's standard names.
  collectDefaultMetrics({ register: registry });
  const closers: Closer[] = [];
  // During an outage the Kafka client logs hundreds of lines a minute.
  const kafkaLines = new LogLimiter((level, fields, message) => logger[level](fields, message));
  const errors = new Counters();
  exportMetrics(registry, { squitter_kafka_errors_total: () => [...errors.values] });
  const logKafka: OnKafkaMessage = (level, message, fields) => {
    if (level === 'warn') errors.add(String(fields['part']));
    kafkaLines.line(level, fields, message, `${fields['part']} ${message}`);
  };
  let waitsFor: string | null = 'connecting to Kafka';
  const readiness = new Readiness().require('connections', () => waitsFor);
  const connect = async (own = {}): Promise<OpenCluster> => {
    const kafka = kafkaConnection(options, `squitter-${definition.name}-${instance}`);
    const cluster = await openCluster({
      kafka,
      registry: registryAccess(options),
      namePrefix: options.kafkaPrefix,
      onMessage: logKafka,
      async onKafkaReached() {
        await checkTopics(kafka, options.kafkaPrefix, logKafka);
        waitsFor = `waiting for the schema registry at ${options.registry}`;
        logger.info({ registry: options.registry }, 'connected to Kafka; connecting to the schema registry');
      },
      ...own,
    });
    waitsFor = 'starting';
    exportMetrics(registry, {
      squitter_kafka_connections: () => cluster.log.connections,
      squitter_kafka_response_age_seconds: () => cluster.log.silentMs / 1000,
    });
    closers.push(() => cluster.log.close());
    return cluster;
  };
  let status = EXIT_DONE;
  try {
    const run = async (): Promise<void> => {
      // Responds from the start, so that a supervisor can tell starting from hanging.
      if (definition.hasApi !== true) closers.push(await startOperationHttp({ http: options.http, registry, readiness, logger }));
      const context = { options, env: io.env, instance, logger, registry, readiness, closers, openCluster: connect };
      const { ended } = await definition.start(context);
      waitsFor = null;
      logger.info('started');
      await ended;
      throw new SquitterError('worker.failed', { worker: definition.name, detail: 'the service ended unexpectedly' });
    };
    await Promise.race([run(), aborted(io.signal)]);
    logger.info('stopping');
  } catch (error) {
    logger.error(error, 'failed');
    status = EXIT_FAILED;
  }
  const closed = await closeAll(closers, logger).catch((error: unknown) => {
    logger.error(error, 'not all parts could be closed');
    return false;
  });
  if (!closed) status = EXIT_FAILED;
  kafkaLines.flush();
  logger.info({ status }, 'stopped');
  return status;
}

/** Reads statistics once a second, and returns the newest for metrics and readiness. */
export function keepStats<Stats>(
  read: () => Promise<Stats>,
  { logger, closers }: Pick<ServiceContext<never>, 'logger' | 'closers'>,
): () => Stats | null {
  let newest: Stats | null = null;
  let isReading = false;
  const readOnce = async (): Promise<void> => {
    if (isReading) return;
    isReading = true;
    try {
      newest = await read();
    } catch (error) {
      // The log itself reports that it cannot be reached. The service continues.
      logger.debug(error, 'statistics could not be read');
    }
    isReading = false;
  };
  const timer = setInterval(() => void readOnce(), STATS_INTERVAL_MS);
  void readOnce();
  closers.unshift(async () => clearInterval(timer));
  return () => newest;
}
