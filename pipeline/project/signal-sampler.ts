// The signal history: every 2 s the samples that the live view has completed since.
import { signalHistory } from '../../schemas/clickhouse/tables.ts';
import { historyLimits } from '../../schemas/history-limits.ts';
import { cellsOf, type RowSampler, type RowSamplerOptions, type SampledTable, startRowSampler } from './row-sampler.ts';

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

const deci = (level: number | null): number | null => (level === null ? null : Math.round(10 * level));

const sampled: SampledTable<SignalLevels> = {
  table: signalHistory,
  cells: cellsOf<SignalLevels>(signalHistory, {
    time: ({ timeMs }) => Math.floor(timeMs / 1000),
    avgDeciDbfs: ({ avg }) => deci(avg),
    medianDeciDbfs: ({ median }) => deci(median),
    p10DeciDbfs: ({ p10 }) => deci(p10),
    p90DeciDbfs: ({ p90 }) => deci(p90),
    aircraftCount: ({ aircraftCount }) => aircraftCount,
  }),
  keyOf: ({ timeMs }) => timeMs,
  pendingMax: historyLimits.signalPendingMax,
};

export type SignalSamplerOptions = Omit<RowSamplerOptions<SignalLevels>, 'intervalMs'> & { readonly intervalMs?: number };

export function startSignalSampler(options: SignalSamplerOptions): RowSampler {
  return startRowSampler(sampled, { intervalMs: historyLimits.signalWriteMs, ...options });
}
