// Metrics of the embedded history store, and of retention in every profile.
import type { Registry } from 'prom-client';
import { exportMetrics, type LabelledRow } from '../../../pipeline/runtime/metrics.ts';
import type { RetentionReport } from '../../../pipeline/store/retention.ts';
import { dailyTables } from '../../../schemas/clickhouse/tables.ts';
import type { StoreChild } from '../../history-store/store-child.ts';
import type { HistoryKeeper } from './history-keeper.ts';

export function registerHistoryMetrics(registry: Registry, store: Pick<StoreChild, 'answers' | 'restarts' | 'stats'>): void {
  exportMetrics(registry, {
    squitter_history_store_up: () => Number(store.answers()),
    squitter_history_store_restarts_total: () => store.restarts(),
    squitter_history_store_memory_bytes: () => store.stats()?.memoryBytes,
    squitter_history_inserts_refused: () => Number((store.stats()?.refusal ?? null) !== null),
    squitter_history_statements() {
      const { reading = 0, writing = 0, waiting = 0 } = store.stats() ?? {};
      return Object.entries({ reading, writing, waiting });
    },
    squitter_history_statements_ended_total() {
      const { done = 0, failed = 0, cancelled = 0 } = store.stats() ?? {};
      return Object.entries({ done, failed, cancelled });
    },
  });
}

/** In a cluster, all are 0 where another process owns partition 0. */
export function registerKeeperMetrics(registry: Registry, keeper: HistoryKeeper): void {
  const byTable = (read: (size: RetentionReport['tables'][number]) => number) => (): LabelledRow[] =>
    dailyTables.map(({ name }) => {
      const size = keeper.report?.tables.find(({ table }) => table === name);
      return [name, size === undefined ? 0 : read(size)];
    });
  exportMetrics(registry, {
    squitter_history_size_bytes: byTable(({ bytes }) => bytes),
    squitter_history_rows: byTable(({ rows }) => rows),
    squitter_history_limit_bytes: () => keeper.bytesMax,
    squitter_history_damaged_parts: () => keeper.damaged.length,
    squitter_history_dropped_rows_total: () => Object.entries(keeper.dropped),
  });
}
