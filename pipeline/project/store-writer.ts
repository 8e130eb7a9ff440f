// The history store as the sink's writer: inserts in FORMAT Native with a token and a limit of time, into tables that it creates first.
import type { EngineKind } from '../../schemas/clickhouse/ddl.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits/index.ts';
import { untilAborted } from '../runtime/waiting.ts';
import { applyTables } from '../store/apply-tables.ts';
import type { HistoryClient } from '../store/client.ts';
import { missingRows } from './missing-rows.ts';
import type { HistoryWriter } from './projection.ts';
import { provenStart } from './store-evidence.ts';

export function storeWriter(client: HistoryClient, engines: EngineKind = 'plain'): HistoryWriter {
  let tables: Promise<unknown> | null = null;
  /** The store may not answer yet when the service starts, and may have lost its tables when it answers again. */
  const inTables = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
    tables ??= applyTables(client, engines);
    const created = tables;
    try {
      // The work is shared and continues.
      const isReady = await untilAborted(
        created.then(() => true),
        signal,
        false,
      );
      if (!isReady) throw new SquitterError('history.cancelled', { detail: 'the work was given up' });
      return await work();
    } catch (error) {
      // A caller that gives up says nothing about the tables.
      if (!signal.aborted && tables === created) tables = null;
      throw error;
    }
  };
  return {
    missing: (insert, signal) => inTables(signal, () => missingRows(client, insert, signal)),
    start: (request, signal) => inTables(signal, () => provenStart(client, request, signal)),
    insert: ({ table, token, block }, signal) =>
      inTables(signal, () =>
        client.insert(
          { table, columns: block.columns.map(({ name }) => name), format: 'Native', body: block.pieces(), token },
          { signal, secondsMax: limits.historyInsertMsMax / 1000, waitMsMax: limits.historyInsertMsMax },
        ),
      ),
  };
}
