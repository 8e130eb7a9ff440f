// The access layer of the embedded service: its secret, its feeders from the log, and its limits in the data folder.
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import { openFeeders } from '../../pipeline/feeders/open-feeders.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Access } from '../../query-api/access/access.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { openAccess } from '../services/access-service.ts';
import type { Closer } from '../services/closing.ts';
import type { ServiceOptions } from './service-options.ts';

interface Context {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly readiness: Readiness;
}

/** `failed` rejects when the feeders can no longer be followed. Errors: those of the secret and of the limits, `access.bad_network`. */
export async function openEmbeddedAccess(
  { dataDir, access: rules, baseUrl }: ServiceOptions,
  { log, codecs, registry, readiness }: Context,
  closers: Closer[],
): Promise<{ readonly access: Access; readonly failed: Promise<never> }> {
  const secret = openDataSecret(dataDir);
  const feeders = await openFeeders({ log, codecs, secret, nowMs: Date.now });
  closers.unshift(feeders.stop);
  const store = new EmbeddedLimitStore({ folder: join(dataDir, 'limits'), nowMs: Date.now });
  closers.unshift(() => store.close());
  return { access: openAccess({ rules, secret, feeders: feeders.table, store, baseUrl, registry, readiness }), failed: feeders.failed };
}
