// Metrics of the embedded history store, and of retention in every profile.
import type { Registry } from 'prom-client';
import { Metrics } from '../../pipeline/runtime/metrics.ts';
import type { RetentionReport } from '../../pipeline/store/retention.ts';
import { dailyTables } from '../../schemas/clickhouse/tables.ts';
import type { StoreChild } from '../history-store/store-child.ts';

/** Sizes of the tables, and what retention dropped. */
export interface KeptHistory {
  report(): RetentionReport | null;
  dropped(): Readonly<Record<'age' | 'size', number>>;
  bytesMax(): number;
  damagedParts(): number;
}

export function registerHistoryMetrics(registry: Registry, store: Pick<StoreChild, 'answers' | 'restarts' | 'stats'>): void {
  const metrics = new Metrics(registry);
  metrics.gauge('squitter_history_store_up', '1 while the process of the history store answers, otherwise 0', () =>
    store.answers() ? 1 : 0,
  );
  metrics.counter('squitter_history_store_restarts_total', 'Restarts of the process of the history store after it ended by itself', () =>
    store.restarts(),
  );
  metrics.gauge('squitter_history_store_memory_bytes', 'Memory of the process of the history store', () => store.stats()?.memoryBytes ?? 0);
  metrics.gauge('squitter_history_inserts_refused', '1 while the history store refuses inserts because the disk is full', () =>
    (store.stats()?.refusal ?? null) === null ? 0 : 1,
  );
  metrics.gauges('squitter_history_statements', 'Statements in the history store, by state', 'state', () => {
    const { reading = 0, writing = 0, waiting = 0 } = store.stats() ?? {};
    return [
      ['reading', reading],
      ['writing', writing],
      ['waiting', waiting],
    ];
  });
  metrics.counters(
    'squitter_history_statements_ended_total',
    'Statements in the history store since its process started, by outcome',
    'outcome',
    () => {
      const { done = 0, failed = 0, cancelled = 0 } = store.stats() ?? {};
      return [
        ['done', done],
        ['failed', failed],
        ['cancelled', cancelled],
      ];
    },
  );
}

/** In a cluster, all are 0 where another process owns partition 0. */
export function registerKeeperMetrics(registry: Registry, kept: KeptHistory): void {
  const metrics = new Metrics(registry);
  const sizes = (of: (size: RetentionReport['tables'][number]) => number) => (): [string, number][] =>
    dailyTables.map(({ name }) => {
      const size = kept.report()?.tables.find(({ table }) => table === name);
      return [name, size === undefined ? 0 : of(size)];
    });
  metrics.gauges(
    'squitter_history_size_bytes',
    'Bytes of the history on the disk, by table',
    'table',
    sizes(({ bytes }) => bytes),
  );
  metrics.gauges(
    'squitter_history_rows',
    'Rows of the history, by table',
    'table',
    sizes(({ rows }) => rows),
  );
  metrics.gauge('squitter_history_limit_bytes', 'Size of all tables of the history beyond which the oldest positions are dropped', () =>
    kept.bytesMax(),
  );
  metrics.gauge('squitter_history_damaged_parts', 'Parts of the history that the store has set aside because their files are damaged', () =>
    kept.damagedParts(),
  );
  metrics.counters('squitter_history_dropped_rows_total', 'Positions dropped from the history, by reason: age or size', 'reason', () =>
    Object.entries(kept.dropped()),
  );
}
