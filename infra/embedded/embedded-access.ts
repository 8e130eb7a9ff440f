// The access layer of the embedded service: its secret, its feeders from the log and their owners, and its limits in the data folder.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import { openFeeders } from '../../pipeline/feeders/open-feeders.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Access } from '../../query-api/access/access.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { FeederOwners } from '../../query-api/feeders/owners.ts';
import { openAccess } from '../services/access-service.ts';
import type { Closer } from '../services/closing.ts';
import { FeederActs, feederRequest, isDecision } from '../services/feeder-acts.ts';
import { openOperatorSocket } from './operator-socket.ts';
import type { ServiceOptions } from './service-options.ts';

interface Context {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly logger: Logger;
}

/** `failed` rejects when the feeders can no longer be followed. Errors: those of the secret and of the limits, `access.bad_network`. */
export async function openEmbeddedAccess(
  { dataDir, access: rules, baseUrl }: ServiceOptions,
  { log, codecs, registry, readiness, logger }: Context,
  closers: Closer[],
): Promise<{ readonly access: Access; readonly feeders: FeederOwners; readonly failed: Promise<never> }> {
  const secret = openDataSecret(dataDir);
  const { table, failed, stop } = await openFeeders({ log, codecs, secret, nowMs: Date.now });
  closers.unshift(stop);
  const store = new EmbeddedLimitStore({ folder: join(dataDir, 'limits'), nowMs: Date.now });
  closers.unshift(() => store.close());
  const access = openAccess({ rules, secret, feeders: table, store, baseUrl, registry, readiness });
  const acts = new FeederActs({ log, codecs, table, ids: new FeederIds(secret), nowMs: Date.now });
  await listenForOperators(dataDir, acts, logger, closers);
  const feeders = new FeederOwners({ access, feeders: table, secret, target: { log, codecs }, baseUrl, nowMs: Date.now });
  return { access, feeders, failed };
}

/** The service runs on without it, as on a file system that has no sockets. */
async function listenForOperators(dataDir: string, acts: FeederActs, logger: Logger, closers: Closer[]): Promise<void> {
  try {
    const socket = await openOperatorSocket(dataDir, async function* respond(value) {
      const request = feederRequest(value);
      for await (const report of acts.run(request)) {
        // By its id: the operator may have named it by its UUID or address.
        if (isDecision(request.act)) logger.info({ act: request.act, feeder: report.id }, 'an operator decided about a feeder');
        yield report;
      }
    });
    closers.unshift(socket.close);
  } catch (error) {
    logger.warn({ error: (error as Error).message }, 'the commands for feeders and keys cannot be used');
  }
}
