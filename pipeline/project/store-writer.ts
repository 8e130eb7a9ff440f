// The history store as the sink's writer: inserts in FORMAT Native with a token, and a limit of time.
import { historyLimits } from '../../schemas/history-limits.ts';
import type { HistoryClient } from '../store/client.ts';
import type { HistoryWriter } from './projection.ts';

/** Rows that arrive in the table also arrive in those that count them, or in none, when an insert is repeated. */
const SETTINGS = { deduplicate_blocks_in_dependent_materialized_views: 1 } as const;
const MS = 1000;

export function storeWriter(client: HistoryClient): HistoryWriter {
  return {
    async insert({ table, token, block }, signal) {
      const limited = new AbortController();
      const abort = (): void => limited.abort();
      const timer = setTimeout(abort, historyLimits.historyInsertMsMax);
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      try {
        await client.insert(
          { table, columns: block.columns.map(({ name }) => name), format: 'Native', body: block.pieces(), token },
          { settings: SETTINGS, signal: limited.signal, secondsMax: historyLimits.historyInsertMsMax / MS },
        );
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
      }
    },
  };
}
