// Redis client from the configuration. It connects and reconnects in the background; nothing waits for it.
import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { RedisValues } from './configuration.ts';

/** Options for ioredis. */
export function redisClientOptions({ redis, redisUsername, redisPassword, redisCaFile }: RedisValues): RedisOptions {
  return {
    ...(redisUsername === null ? {} : { username: redisUsername }),
    ...(redisPassword === null ? {} : { password: redisPassword }),
    ...(redis?.startsWith('rediss:') === true ? { tls: redisCaFile === null ? {} : { ca: readFileSync(redisCaFile) } } : {}),
    connectTimeout: limits.redisConnectMsMax,
  };
}

/** Connects if a URL is configured, otherwise returns null. `squitter_redis_up` reports the connection. */
export function openRedis(values: RedisValues, registry: Registry, logger: Logger) {
  if (values.redis === null) return null;
  const client = new Redis(values.redis, {
    ...redisClientOptions(values),
    retryStrategy: (attempt) => Math.min(limits.redisReconnectMsMax, 100 * 2 ** Math.min(attempt, 10)),
  });
  let newestError = '';
  client.on('error', (error: Error) => {
    if (error.message !== newestError) logger.warn({ error: error.message }, 'cannot connect to Redis; trying again');
    newestError = error.message;
  });
  client.on('ready', () => {
    newestError = '';
    logger.info('connected to Redis');
  });
  exportMetrics(registry, { squitter_redis_up: () => Number(client.status === 'ready') });
  return { client, close: async () => client.disconnect() };
}

/** Connects to Redis once and returns its version. Throws the cause of a failure. */
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
