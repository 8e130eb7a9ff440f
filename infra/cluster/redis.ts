// Redis by configuration. It is reached in the background and again whenever it comes back: nothing waits for it.
import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import { Gauge, type Registry } from 'prom-client';
import type { RedisValues } from './configuration.ts';

const RECONNECT_MS_MAX = 5000;
const CONNECT_MS_MAX = 5000;

/** What ioredis is told. */
export function redisClientOptions({ redis, redisUsername, redisPassword, redisCaFile }: RedisValues): RedisOptions {
  return {
    ...(redisUsername === null ? {} : { username: redisUsername }),
    ...(redisPassword === null ? {} : { password: redisPassword }),
    ...(redis?.startsWith('rediss:') === true ? { tls: redisCaFile === null ? {} : { ca: readFileSync(redisCaFile) } } : {}),
    connectTimeout: CONNECT_MS_MAX,
  };
}

export interface RedisClient {
  readonly client: Redis;
  close(): Promise<void>;
}

/** Connects where an address is configured, else null. `squitter_redis_up` tells whether it is reached. */
export function openRedis(values: RedisValues, registry: Registry, logger: Logger): RedisClient | null {
  if (values.redis === null) return null;
  const client = new Redis(values.redis, {
    ...redisClientOptions(values),
    retryStrategy: (attempt) => Math.min(RECONNECT_MS_MAX, 100 * 2 ** Math.min(attempt, 10)),
  });
  let told = '';
  client.on('error', (error: Error) => {
    if (error.message !== told) logger.warn({ error: error.message }, 'Redis is not reached; trying again until it is');
    told = error.message;
  });
  client.on('ready', () => {
    told = '';
    logger.info('Redis is reached');
  });
  new Gauge({
    name: 'squitter_redis_up',
    help: 'Whether Redis is reached',
    registers: [registry],
    collect() {
      this.set(client.status === 'ready' ? 1 : 0);
    },
  });
  return { client, close: async () => client.disconnect() };
}

/** Asks Redis once. Throws what went wrong. */
export async function pingRedis(values: RedisValues): Promise<string> {
  const client = new Redis(values.redis ?? '', {
    ...redisClientOptions(values),
    lazyConnect: true,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
  });
  let problem: Error | null = null;
  client.on('error', (error: Error) => {
    problem ??= error;
  });
  try {
    await client.connect();
    await client.ping();
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? 'unknown';
  } catch (error) {
    throw problem ?? error;
  } finally {
    client.disconnect();
  }
}
