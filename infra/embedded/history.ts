// The history store of the embedded service: start, tables, retention, readiness, metrics.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { diskSpace } from '../../pipeline/runtime/disk-space.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { historyFolder, removeAddress, writeAddress } from '../../pipeline/store/address-file.ts';
import { applyTables } from '../../pipeline/store/apply-tables.ts';
import { type HistoryAddress, type HistoryClient, historyClient } from '../../pipeline/store/client.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import type { StoreChild } from '../history-store/store-child.ts';
import type { Closer } from '../services/closing.ts';
import { HistoryKeeper, withinDisk } from '../services/history/history-keeper.ts';
import { registerHistoryMetrics, registerKeeperMetrics } from '../services/history/history-metrics.ts';
import type { StartValues } from './start-options.ts';

export interface HistoryContext {
  readonly registry: Registry;
  readonly logger: Logger;
  readonly readiness: Readiness;
}

export interface History {
  /** Null without history. */
  readonly client: HistoryClient | null;
  /** For the lines at the start. */
  readonly summary: string;
}

/** A store that is being started. */
export interface StartingStore {
  readonly access: Pick<HistoryAddress, 'user' | 'password'>;
  readonly child: Promise<StoreChild>;
}

type HistoryValues = Pick<StartValues, 'data' | 'historyDays' | 'historyGib'>;

const GIB = 1024 ** 3;
/** Tables of another program: trying again does not help. */
const OTHER_TABLES: ReadonlySet<string> = new Set(['history.early_tables', 'history.newer_tables', 'history.other_engines']);

/**
 * Waits for the store. Without its engine, the service runs without history and says so: live aircraft do not depend on it. A store that does not start is
 * tried again: meanwhile there is a warning, and questions about the past are refused with 503.
 */
export async function startHistory(
  store: StartingStore | null,
  options: HistoryValues,
  context: HistoryContext,
  closers: Closer[],
): Promise<History> {
  if (store === null) return { client: null, summary: 'none (--no-history)' };
  const { data: dataDir, historyDays: daysMax } = options;
  const { logger, readiness, registry } = context;
  const { access } = store;
  let child: StoreChild;
  try {
    child = await store.child;
  } catch (error) {
    return without(error, context);
  }
  const address = { url: child.url, ...access, database: 'squitter' };
  const client = historyClient(address);
  closers.unshift(() => client.close());
  // The stage that writes creates them as soon as a store answers.
  if (child.answers()) {
    try {
      await applyTables(client);
    } catch (error) {
      if (!(error instanceof SquitterError) || OTHER_TABLES.has(error.code)) return without(error, context);
      logger.warn({ code: error.code, error: error.message }, 'the tables of the history cannot be created yet');
    }
  }
  publishAddress(dataDir, address, logger);
  closers.unshift(async () => removeAddress(dataDir));
  const bytesMax = (used: number): number =>
    withinDisk(options.historyGib * GIB, used, diskSpace(historyFolder(dataDir)).freeBytes, limits.historyDiskRatio);
  const keeper = new HistoryKeeper({ client, daysMax, bytesMax, logger });
  closers.unshift(() => keeper.stop());
  readiness.warn('history', () => child.problem() ?? keeper.problem());
  registerHistoryMetrics(registry, child);
  registerKeeperMetrics(registry, keeper);
  const size = (bytesMax(0) / GIB).toFixed(1);
  return { client, summary: `${child.url}, at most ${daysMax} days and ${size} GiB; ${versionText(child)}` };
}

/** Only commands beside the service need it. */
function publishAddress(dataDir: string, address: HistoryAddress, logger: Logger): void {
  try {
    writeAddress(dataDir, address);
  } catch (error) {
    logger.warn({ error: String(error) }, 'the address of the history store cannot be written: commands beside the service do not find it');
  }
}

function versionText(child: StoreChild): string {
  const version = child.version();
  return version === null ? `not started yet: ${child.problem()}` : `ClickHouse engine ${version}`;
}

function without(error: unknown, { logger, readiness }: HistoryContext): History {
  if (!(error instanceof SquitterError)) throw error;
  logger.warn({ code: error.code }, error.message);
  readiness.warn('history', () => `there is no history: ${error.message}`);
  return { client: null, summary: `none: ${error.message}` };
}
