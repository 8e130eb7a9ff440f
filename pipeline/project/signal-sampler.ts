// Writes the signal history: every 2 s the samples that the live view has completed since. One process of a service does it, the owner of
// partition 0. A sample that two processes write counts once: the table replaces rows of the same time.
import { randomUUID } from 'node:crypto';
import { signalHistory } from '../../schemas/clickhouse/tables.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { NativeBlock } from './native-block.ts';
import type { HistoryWriter } from './projection.ts';

/** Levels in dBFS; null when no aircraft has one. */
export interface SignalLevels {
  /** Start of the 2 s, ms since the Unix epoch. */
  readonly timeMs: number;
  readonly avg: number | null;
  readonly median: number | null;
  readonly p10: number | null;
  readonly p90: number | null;
  readonly aircraftCount: number;
}

export interface SignalSamplerOptions {
  readonly writer: Pick<HistoryWriter, 'insert'>;
  /** Complete samples of the last minutes, the oldest first. */
  readonly samples: () => readonly SignalLevels[];
  /** Whether this process writes them. */
  readonly isWriter: () => boolean;
  readonly onRetry: (error: unknown) => void;
  readonly intervalMs?: number;
}

export interface SignalSampler {
  readonly stats: { samples: number; dropped: number; retries: number };
  stop(): Promise<void>;
}

type Cell = (sample: SignalLevels) => number | null;

const deci = (level: number | null): number | null => (level === null ? null : Math.round(10 * level));

const cellOf: Readonly<Record<string, Cell>> = {
  time: ({ timeMs }) => Math.floor(timeMs / 1000),
  avgDeciDbfs: ({ avg }) => deci(avg),
  medianDeciDbfs: ({ median }) => deci(median),
  p10DeciDbfs: ({ p10 }) => deci(p10),
  p90DeciDbfs: ({ p90 }) => deci(p90),
  aircraftCount: ({ aircraftCount }) => aircraftCount,
};

const cells: readonly Cell[] = signalHistory.columns.map(({ name }) => {
  const cell = cellOf[name];
  if (cell === undefined) throw new Error(`no level for the column ${name}`);
  return cell;
});

export function startSignalSampler(options: SignalSamplerOptions): SignalSampler {
  const { writer, samples, isWriter, onRetry, intervalMs = historyLimits.signalWriteMs } = options;
  const stats = { samples: 0, dropped: 0, retries: 0 };
  const stopping = new AbortController();
  /** Not confirmed yet, the oldest first. */
  let pending: SignalLevels[] = [];
  /** Times of samples that were pending, as far as the view still has them. */
  let known = new Set<number>();
  let writing: Promise<void> | null = null;

  const write = async (): Promise<void> => {
    const taken = [...pending];
    const block = new NativeBlock(signalHistory.columns);
    for (const sample of taken)
      block.columns.forEach((column, i) => {
        column.add(cells[i]!(sample));
      });
    try {
      // Each try has its own token: a killed store may keep one without the rows, and samples of the same time count once anyway.
      const insert = { table: signalHistory.name, token: `signal-${randomUUID()}`, rows: block.rows, block };
      await writer.insert(insert, stopping.signal);
      stats.samples += block.rows;
      pending = pending.filter((sample) => !taken.includes(sample));
    } catch (error) {
      if (stopping.signal.aborted) return;
      stats.retries += 1;
      onRetry(error);
    }
  };
  const look = (): void => {
    if (!isWriter()) {
      // The next writer has them; if this process becomes the writer again, the view still has the last minutes.
      pending = [];
      known.clear();
      return;
    }
    const shown = samples();
    // Those from before a restart may come after newer ones.
    pending.push(...shown.filter(({ timeMs }) => !known.has(timeMs)));
    known = new Set(shown.map(({ timeMs }) => timeMs));
    const beyond = pending.length - historyLimits.signalPendingMax;
    if (beyond > 0) {
      stats.dropped += beyond;
      pending.splice(0, beyond);
    }
    if (pending.length > 0)
      writing ??= write().finally(() => {
        writing = null;
      });
  };
  const timer = setInterval(look, intervalMs);
  return {
    stats,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await writing;
    },
  };
}
