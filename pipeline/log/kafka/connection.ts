// Connection of a process to Kafka: brokers, TLS, SASL, and the destination of kafkajs's log messages.
import { readFileSync } from 'node:fs';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type ISocketFactoryArgs, Kafka, type KafkaConfig, type LogEntry, logLevel, type RetryOptions, type SASLOptions } from 'kafkajs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';

export interface KafkaConnection {
  /** HOST:PORT of some brokers; the others are discovered from them. */
  readonly brokers: readonly string[];
  /** Name of this process in the brokers' logs and quotas. */
  readonly clientId: string;
  /** true trusts the certificates of the system. */
  readonly tls?: boolean | KafkaTlsFiles;
  readonly sasl?: KafkaSasl;
}

/** PEM files. */
export interface KafkaTlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface KafkaSasl {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Receives kafkajs's log messages. kafkajs retries what it calls an error, so the highest level is a warning. */
export type OnKafkaMessage = (level: 'info' | 'warn', message: string, fields: Readonly<Record<string, unknown>>) => void;

const KEEP_ALIVE_MS = 60_000;

/** kafkajs's retries of a single request: about 5 s. Callers that need longer have their own loop. */
const SHORT_RETRY = { initialRetryTime: 50, factor: 0.2, multiplier: 1.5, maxRetryTime: 1000, retries: 10 } satisfies RetryOptions;

/** Sockets of one log. kafkajs waits for pending responses before it closes a socket, but a dead broker sends none. */
export class KafkaSockets {
  private readonly open = new Set<Socket>();
  private isClosed = false;
  private heardMs = performance.now();

  get count(): number {
    return this.open.size;
  }

  /** Time since a broker last sent data, ms. */
  get silentMs(): number {
    return performance.now() - this.heardMs;
  }

  /** kafkajs's `socketFactory`. */
  readonly create = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
    if (this.isClosed) throw new SquitterError('log.closed');
    const name = isIP(host) ? {} : { servername: host };
    const socket = ssl ? connectTls({ host, port, ...name, ...ssl }, onConnect) : connect({ host, port }, onConnect);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.setNoDelay(true);
    this.open.add(socket);
    socket.on('data', () => {
      this.heardMs = performance.now();
    });
    socket.once('close', () => this.open.delete(socket));
    return socket;
  };

  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.all([...this.open].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())));
  }
}

export interface KafkaClientOptions {
  readonly sockets: KafkaSockets;
  readonly onMessage?: OnKafkaMessage | undefined;
  readonly retry?: RetryOptions;
  readonly requestTimeoutMs?: number;
}

/** A kafkajs client. It connects at first use. Error: `input.unreadable` for a file of `tls`. */
export function kafkaClient(connection: KafkaConnection, options: KafkaClientOptions): Kafka {
  const { sockets, onMessage, retry = SHORT_RETRY, requestTimeoutMs = limits.kafkaResponseMsMax } = options;
  const config: KafkaConfig = {
    brokers: [...connection.brokers],
    clientId: connection.clientId,
    connectionTimeout: limits.kafkaConnectMsMax,
    requestTimeout: requestTimeoutMs,
    retry,
    socketFactory: sockets.create,
    logLevel: onMessage === undefined ? logLevel.NOTHING : logLevel.WARN,
    logCreator: () => (entry) => {
      if (onMessage !== undefined && !isNoise(entry)) forward(onMessage, entry);
    },
  };
  if (connection.tls) config.ssl = connection.tls === true ? true : tlsOptions(connection.tls);
  if (connection.sasl) config.sasl = { ...connection.sasl } as SASLOptions;
  return new Kafka(config);
}

/** Reads the PEM files. Error: `input.unreadable`. */
export function tlsOptions({ caFile, certFile, keyFile }: KafkaTlsFiles): { ca?: string; cert?: string; key?: string } {
  return {
    ...(caFile === undefined ? {} : { ca: readPem(caFile) }),
    ...(certFile === undefined ? {} : { cert: readPem(certFile) }),
    ...(keyFile === undefined ? {} : { key: readPem(keyFile) }),
  };
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new SquitterError('input.unreadable', { path, detail: (error as Error).message }, error);
  }
}

/** kafkajs messages that are not problems: a rebalance, a transaction that waits for the previous one, our number of retries. */
const NOISE = /concurrent operation|concurrent transaction|group is rebalancing|^Limiting retries/;

function isNoise({ log }: LogEntry): boolean {
  return NOISE.test(log.message) || NOISE.test(String(log['error'] ?? ''));
}

function forward(onMessage: OnKafkaMessage, { level, namespace, log }: LogEntry): void {
  const { message, timestamp: _, logger: __, stack: ___, ...fields } = log;
  onMessage(level === logLevel.INFO ? 'info' : 'warn', message, { part: namespace, ...fields });
}
