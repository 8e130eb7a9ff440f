// One service as a process: reads its configuration, connects, runs until it is told to stop or something breaks, closes in order.
// Exit status 0 only after a stop that was asked for and went well; 1 when anything failed; 2 when the configuration is wrong.
import { hostname } from 'node:os';
import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { kafkaConnection, registryAccess } from '../../pipeline/log/cluster-options.ts';
import type { KafkaSay } from '../../pipeline/log/kafka/connection.ts';
import { checkTopics } from '../../pipeline/log/kafka/topics.ts';
import { type OpenCluster, openCluster } from '../../pipeline/log/open-cluster.ts';
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE } from '../../pipeline/runtime/command.ts';
import { LogLimiter } from '../../pipeline/runtime/log-limiter.ts';
import { type Environment, type OptionValues, optionsHelp, readOptions } from '../../pipeline/runtime/options.ts';
import { Readiness } from '../../pipeline/runtime/readiness.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { aborted, type Closer, closeAll } from '../services/closing.ts';
import { errorFields } from '../services/error-fields.ts';
import { UNKNOWN_VARIABLE_LINE, unknownVariableProblems, unknownVariables } from '../services/shared-options.ts';
import { problemsOf, type ServiceName, services, serviceTables } from './configuration.ts';

const STATS_INTERVAL_MS = 1000;

/** What only an entry file may touch. */
export interface ProcessIo {
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly stdout: Writable;
  readonly stderr: Writable;
  /** Calls the handler at SIGINT and SIGTERM. */
  readonly onStopSignal: (handler: () => void) => void;
}

export interface ServiceContext<Name extends ServiceName> {
  readonly options: OptionValues<(typeof services)[Name]['options']>;
  /** Name of this process among those of its service. */
  readonly instance: string;
  readonly logger: Logger;
  readonly registry: Registry;
  /** What `/readyz` asks. */
  readonly readiness: Readiness;
  /** What to close, in this order: whatever feeds something is closed before it. */
  readonly closers: Closer[];
  /** Connects to Kafka and the registry; waits for them for a while. `sessionMs`: see `KafkaLogOptions`. */
  readonly openCluster: (options?: { readonly sessionMs: number }) => Promise<OpenCluster>;
}

export interface ServiceDefinition<Name extends ServiceName> {
  readonly name: Name;
  /** Starts the service; the promise inside settles when it ends by itself, which is a failure. */
  start(context: ServiceContext<Name>): Promise<{ readonly ended: Promise<unknown> }>;
}

/** Runs a service to its end and returns the exit status. */
export async function runServiceProcess<Name extends ServiceName>(definition: ServiceDefinition<Name>, io: ProcessIo): Promise<number> {
  const { summary, options: table } = services[definition.name];
  if (io.argv.includes('--help') || io.argv.includes('-h')) {
    io.stdout.write(`squitter ${definition.name}: ${summary}\n\nFlags and variables:\n${optionsHelp(table)}\n`);
    return EXIT_DONE;
  }
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
  const logger = pino(
    {
      level: options.logLevel,
      base: { service: definition.name, instance },
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: errorFields },
    },
    io.stderr as unknown as DestinationStream,
  );
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
  const stop = new AbortController();
  io.onStopSignal(() => stop.abort());
  const registry = new Registry();
  // CPU, memory, event loop and collector of the process, under the names that every dashboard knows.
  collectDefaultMetrics({ register: registry });
  const closers: Closer[] = [];
  // In an outage Kafka's client has hundreds of lines a minute to say.
  const kafkaLines = new LogLimiter((level, fields, message) => logger[level](fields, message));
  const errors = new Counter({
    name: 'squitter_kafka_errors_total',
    help: "What Kafka's client warned of, by its part; nearly all of it is tried again",
    labelNames: ['part'],
    registers: [registry],
  });
  const say: KafkaSay = (level, message, fields) => {
    if (level === 'warn') errors.inc({ part: String(fields['part']) });
    kafkaLines.line(level, fields, message, `${fields['part']} ${message}`);
  };
  let waitsFor: string | null = 'it is connecting to Kafka';
  const readiness = new Readiness().require('connections', () => waitsFor);
  const connect = async (own = {}): Promise<OpenCluster> => {
    const kafka = kafkaConnection(options, `squitter-${definition.name}-${instance}`);
    const cluster = await openCluster({
      kafka,
      registry: registryAccess(options),
      namePrefix: options.kafkaPrefix,
      say,
      async onKafkaReached() {
        await checkTopics(kafka, options.kafkaPrefix, say);
        waitsFor = `it waits for the schema registry at ${options.registry}`;
        logger.info({ registry: options.registry }, 'Kafka is reached; asking the schema registry');
      },
      ...own,
    });
    waitsFor = 'it is starting';
    new Gauge({
      name: 'squitter_kafka_connections',
      help: 'Connections to brokers',
      registers: [registry],
      collect() {
        this.set(cluster.log.connections);
      },
    });
    new Gauge({
      name: 'squitter_kafka_answer_age_seconds',
      help: 'Time since a broker last answered',
      registers: [registry],
      collect() {
        this.set(cluster.log.silentMs / 1000);
      },
    });
    closers.push(() => cluster.log.close());
    return cluster;
  };
  let status = EXIT_DONE;
  try {
    const run = async (): Promise<void> => {
      const { ended } = await definition.start({ options, instance, logger, registry, readiness, closers, openCluster: connect });
      waitsFor = null;
      logger.info('started');
      await ended;
      throw new SquitterError('worker.failed', { worker: definition.name, detail: 'it ended without being asked to' });
    };
    await Promise.race([run(), aborted(stop.signal)]);
    logger.info('stopping');
  } catch (error) {
    logger.error(error, 'failed');
    status = EXIT_FAILED;
  }
  const closed = await closeAll(closers, logger).catch((error: unknown) => {
    logger.error(error, 'not everything could be closed');
    return false;
  });
  if (!closed) status = EXIT_FAILED;
  kafkaLines.flush();
  logger.info({ status }, 'stopped');
  return status;
}

/** Asks for the newest stats each second; what they told last is read by metrics and readiness. */
export function keepStats<Stats>(read: () => Promise<Stats> | Stats, logger: Logger): { newest(): Stats | null; stop(): void } {
  let newest: Stats | null = null;
  let asking = false;
  const ask = async (): Promise<void> => {
    if (asking) return;
    asking = true;
    try {
      newest = await read();
    } catch (error) {
      // The log's own way of telling that it cannot be reached is elsewhere: what runs goes on.
      logger.debug(error, 'no stats this time');
    }
    asking = false;
  };
  const timer = setInterval(() => void ask(), STATS_INTERVAL_MS);
  void ask();
  return { newest: () => newest, stop: () => clearInterval(timer) };
}
