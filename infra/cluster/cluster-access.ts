// The access layer of a service of the cluster: its feeders from Kafka, and limits that all processes share through Redis.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { RedisLimitStore } from '../../query-api/access/redis-limit-store.ts';
import { limits } from '../../schemas/limits/index.ts';
import { type AccessService, accessLine, openAccess } from '../services/access/access-service.ts';
import type { Closer } from '../services/closing.ts';
import type { CallerValues } from './configuration.ts';
import { openRedis } from './redis.ts';

interface Context {
  readonly secret: InstallationSecret;
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
}

/** `line`: for whom there are limits, and whether processes share them. Errors: `secret.differs`, those of the log. */
export async function openClusterAccess(
  options: CallerValues,
  { logger, ...context }: Context,
  closers: Closer[],
): Promise<AccessService & { readonly line: string }> {
  const redis = openRedis(options, context.registry, logger);
  if (redis !== null) closers.push(redis.close);
  const nowMs = Date.now;
  const store = redis === null ? new EmbeddedLimitStore({ folder: null, nowMs }) : new RedisLimitStore({ client: redis.client, nowMs });
  const opened = await openAccess(options, { ...context, store }, closers);
  const line = accessLine(options);
  const shared = redis === null ? 'limits hold for each process alone' : 'processes share limits through Redis';
  return { ...opened, line: options.access === 'open' ? line : `${line}; ${shared}` };
}

/** A service with a live view warns when Kafka is silent, and later is not ready. Responses continue with the newest known data until they are too old. */
export function watchSilence(readiness: Readiness, log: { readonly silentMs: number }): void {
  const silence = (ms: number) => (): string | null =>
    log.silentMs <= ms ? null : `Kafka has not responded for ${Math.floor(log.silentMs / 1000)} s: the data are not current`;
  readiness.warn('kafka', silence(limits.statisticsAgeMsMax)).require('kafka', silence(limits.snapshotAgeMsMax));
}
