// Writes rows that are complete elsewhere in memory, each once: signal levels every 2 s, counts of feeders every five minutes. One process of a service
// does it, the owner of partition 0. A row that two processes write counts once: the table replaces rows of the same key.
import { randomUUID } from 'node:crypto';
import type { Table } from '../../schemas/clickhouse/tables.ts';
import { NativeBlock } from './native-block.ts';
import type { HistoryWriter } from './projection.ts';

export type Cell<Sample> = (sample: Sample) => number | string | null;

/** How samples become rows of a table. */
export interface SampledTable<Sample> {
  readonly table: Table;
  /** In the order of its columns. */
  readonly cells: readonly Cell<Sample>[];
  /** A sample with a new key is written. */
  readonly keyOf: (sample: Sample) => number | string;
  /** Rows that wait for the store at most. */
  readonly pendingMax: number;
}

export interface RowSamplerOptions<Sample> {
  readonly writer: Pick<HistoryWriter, 'insert'>;
  /** Complete samples of the last minutes, the oldest first. */
  readonly samples: () => readonly Sample[];
  /** True while this process writes them. */
  readonly isWriter: () => boolean;
  readonly onRetry: (error: unknown) => void;
  readonly intervalMs: number;
}

export interface RowSampler {
  readonly stats: { samples: number; dropped: number; retries: number };
  stop(): Promise<void>;
}

/** The cells of a table by the names of its columns. Error: a column has none. */
export function cellsOf<Sample>({ columns, name: table }: Table, byName: Readonly<Record<string, Cell<Sample>>>): Cell<Sample>[] {
  return columns.map(({ name }) => {
    const cell = byName[name];
    if (cell === undefined) throw new Error(`no value for the column ${name} of ${table}`);
    return cell;
  });
}

export function startRowSampler<Sample>(sampled: SampledTable<Sample>, options: RowSamplerOptions<Sample>): RowSampler {
  const { table, cells, keyOf, pendingMax } = sampled;
  const { writer, samples, isWriter, onRetry, intervalMs } = options;
  const stats = { samples: 0, dropped: 0, retries: 0 };
  const stopping = new AbortController();
  /** Samples that the store has not confirmed, the oldest first. */
  let pending: Sample[] = [];
  /** Keys of samples that were pending, as far as they are still shown. */
  let known = new Set<number | string>();
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    const written = new Set(pending);
    const block = new NativeBlock(table.columns);
    for (const sample of written)
      block.columns.forEach((column, i) => {
        column.add(cells[i]!(sample));
      });
    try {
      // Each try has its own token: a killed store may keep one without the rows, and rows of the same key count once anyway.
      const insert = { table: table.name, token: `${table.name}-${randomUUID()}`, block };
      await writer.insert(insert, stopping.signal);
      stats.samples += block.rows;
      pending = pending.filter((sample) => !written.has(sample));
    } catch (error) {
      if (stopping.signal.aborted) return;
      stats.retries += 1;
      onRetry(error);
    }
  };
  const collect = (): void => {
    if (!isWriter()) {
      // The next writer has them; if this process becomes the writer again, the last minutes are still shown.
      pending = [];
      known.clear();
      return;
    }
    const shown = samples();
    // Those from before a restart may come after newer ones.
    pending.push(...shown.filter((sample) => !known.has(keyOf(sample))));
    known = new Set(shown.map(keyOf));
    const beyond = pending.length - pendingMax;
    if (beyond > 0) {
      stats.dropped += beyond;
      pending.splice(0, beyond);
    }
    if (pending.length > 0)
      writing ??= write().finally(() => {
        writing = null;
      });
  };
  const timer = setInterval(collect, intervalMs);
  return {
    stats,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await writing;
    },
  };
}
