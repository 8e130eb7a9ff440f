// The access layer of a service of the cluster: its feeders from Kafka, and limits that all processes share through Redis.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { openFeeders } from '../../pipeline/feeders/open-feeders.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import type { InstallationSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Access } from '../../query-api/access/access.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { RedisLimitStore } from '../../query-api/access/redis-limit-store.ts';
import { FeederOwners } from '../../query-api/feeders/owners.ts';
import { accessRules } from '../services/access-options.ts';
import { accessLine, openAccess } from '../services/access-service.ts';
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

export interface ClusterAccess {
  readonly access: Access;
  readonly feeders: FeederOwners;
  /** For whom there are limits, and whether processes share them. */
  readonly line: string;
  /** Rejects when the feeders can no longer be followed. */
  readonly failed: Promise<never>;
}

/** Errors: `secret.differs`, those of the log. */
export async function openClusterAccess(
  options: CallerValues,
  { secret, log, codecs, registry, logger, readiness }: Context,
  closers: Closer[],
): Promise<ClusterAccess> {
  const { table, failed, stop } = await openFeeders({ log, codecs, secret, nowMs: Date.now });
  closers.unshift(stop);
  const redis = openRedis(options, registry, logger);
  if (redis !== null) closers.push(redis.close);
  const store =
    redis === null
      ? new EmbeddedLimitStore({ folder: null, nowMs: Date.now })
      : new RedisLimitStore({ client: redis.client, nowMs: Date.now });
  closers.unshift(() => store.close());
  const rules = accessRules(options);
  const { baseUrl } = options;
  const access = openAccess({ rules, secret, feeders: table, store, baseUrl, registry, readiness });
  const feeders = new FeederOwners({ access, feeders: table, secret, target: { log, codecs }, baseUrl, nowMs: Date.now });
  const shared = redis === null ? 'limits hold for each process alone' : 'processes share limits through Redis';
  const line = rules.profile === 'open' ? accessLine(rules) : `${accessLine(rules)}; ${shared}`;
  return { access, feeders, line, failed };
}
