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
import { type Closer, closeAll } from '../services/closing.ts';
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
  stop(): Promise<unknown>;
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
 * Waits for the store, which live aircraft do not: meanwhile there is a warning, and questions about the past are refused with 503. A store that does not
 * start is tried again. Without its engine, the service runs without history and says so.
 */
export async function startHistory(
  store: StartingStore | null,
  options: HistoryValues,
  { logger, readiness, registry }: HistoryContext,
): Promise<History> {
  const closers: Closer[] = [];
  const stop = () => closeAll(closers, logger);
  if (store === null) return { client: null, summary: 'none (--no-history)', stop };
  let problem = (): string | null => 'the history store is being started';
  readiness.warn('history', () => problem());
  const without = (error: unknown): History => {
    if (!(error instanceof SquitterError)) throw error;
    logger.warn({ code: error.code }, error.message);
    problem = () => `there is no history: ${error.message}`;
    return { client: null, summary: `none: ${error.message}`, stop };
  };
  const { data: dataDir, historyDays: daysMax } = options;
  let child: StoreChild;
  try {
    child = await store.child;
  } catch (error) {
    return without(error);
  }
  const address = { url: child.url, ...store.access, database: 'squitter' };
  const client = historyClient(address);
  closers.unshift(() => client.close());
  // The stage that writes creates them as soon as a store answers.
  if (child.answers()) {
    try {
      await applyTables(client);
    } catch (error) {
      if (!(error instanceof SquitterError) || OTHER_TABLES.has(error.code)) return without(error);
      logger.warn({ code: error.code, error: error.message }, 'the tables of the history cannot be created yet');
    }
  }
  publishAddress(dataDir, address, logger);
  closers.unshift(async () => removeAddress(dataDir));
  const bytesMax = (used: number): number =>
    withinDisk(options.historyGib * GIB, used, diskSpace(historyFolder(dataDir)).freeBytes, limits.historyDiskRatio);
  const keeper = new HistoryKeeper({ client, daysMax, bytesMax, logger });
  closers.unshift(() => keeper.stop());
  problem = () => child.problem() ?? keeper.problem();
  registerHistoryMetrics(registry, child);
  registerKeeperMetrics(registry, keeper);
  const size = (bytesMax(0) / GIB).toFixed(1);
  return { client, summary: `${child.url}, at most ${daysMax} days and ${size} GiB; ${versionText(child)}`, stop };
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
