// The access layer of the embedded service: its secret, its feeders from the log and their owners, and its limits in the data folder.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { FeederIds } from '../../pipeline/feeders/feeder-ids.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openDataSecret } from '../../pipeline/runtime/installation-secret.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { EmbeddedLimitStore } from '../../query-api/access/embedded-limit-store.ts';
import { type AccessService, openAccess } from '../services/access/access-service.ts';
import { FeederActs, feederRequest, isDecision } from '../services/access/feeder-acts.ts';
import type { Closer } from '../services/closing.ts';
import { openOperatorSocket } from './operator-socket.ts';
import type { StartValues } from './start-options.ts';

interface Context {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly readiness: Readiness;
  readonly logger: Logger;
}

/** Errors: those of the secret and of the limits, `access.bad_network`. */
export async function openEmbeddedAccess(options: StartValues, { logger, ...context }: Context, closers: Closer[]): Promise<AccessService> {
  const { data: dataDir } = options;
  const secret = openDataSecret(dataDir);
  const store = new EmbeddedLimitStore({ folder: join(dataDir, 'limits'), nowMs: Date.now });
  const opened = await openAccess(options, { ...context, secret, store }, closers);
  const { log, codecs } = context;
  const acts = new FeederActs({ log, codecs, table: opened.table, ids: new FeederIds(secret), nowMs: Date.now });
  await listenForOperators(dataDir, acts, logger, closers);
  return opened;
}

/** A failure is logged: a file system may have no sockets. */
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
