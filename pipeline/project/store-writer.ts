// The history store as the sink's writer: inserts in FORMAT Native with a token and a limit of time, into tables that it creates first.
import type { EngineKind } from '../../schemas/clickhouse/ddl.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { applyTables } from '../store/apply-tables.ts';
import type { HistoryClient } from '../store/client.ts';
import { missingRows } from './missing-rows.ts';
import type { HistoryWriter } from './projection.ts';
import { provenStart } from './store-evidence.ts';

const MS = 1000;

export function storeWriter(client: HistoryClient, engines: EngineKind = 'plain'): HistoryWriter {
  let tables: Promise<unknown> | null = null;
  /** The store may not answer yet when the service starts, and may have lost its tables when it answers again. */
  const inTables = async <T>(work: () => Promise<T>): Promise<T> => {
    tables ??= applyTables(client, engines);
    try {
      await tables;
      return await work();
    } catch (error) {
      tables = null;
      throw error;
    }
  };
  return {
    missing: (insert, signal) => inTables(() => missingRows(client, insert, signal)),
    start: (request, signal) => inTables(() => provenStart(client, request, signal)),
    insert: ({ table, token, block }, signal) =>
      inTables(() =>
        withinTime(signal, (limited) =>
          client.insert(
            { table, columns: block.columns.map(({ name }) => name), format: 'Native', body: block.pieces(), token },
            { signal: limited, secondsMax: historyLimits.historyInsertMsMax / MS },
          ),
        ),
      ),
  };
}

async function withinTime(signal: AbortSignal, work: (limited: AbortSignal) => Promise<void>): Promise<void> {
  const limited = new AbortController();
  const abort = (): void => limited.abort();
  const timer = setTimeout(abort, historyLimits.historyInsertMsMax);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', abort);
  }
}
