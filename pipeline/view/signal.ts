// Statistics of the aircraft's signal levels: content of `/v2/signal` and of the signal history.

/** Level in tenths of dBFS that means unknown. */
export const NO_SIGNAL_DECI_DBFS = -495;

/** Levels in dBFS with one decimal; null when no aircraft has one. */
export interface SignalStatistics {
  readonly avg: number | null;
  readonly median: number | null;
  readonly p10: number | null;
  readonly p90: number | null;
  /** Aircraft with a signal level. */
  readonly aircraftCount: number;
}

const BINS = -NO_SIGNAL_DECI_DBFS + 1;

/**
 * Mean and percentiles (linear between ranks) of the levels of the given rows.
 * Levels above 0 dBFS count as 0; rows without a level are ignored.
 */
export function signalStatistics(rssiDeciDbfs: Int32Array, rows: Int32Array, count: number): SignalStatistics {
  const bins = new Int32Array(BINS);
  let known = 0;
  let sum = 0;
  for (let i = 0; i < count; i += 1) {
    const level = Math.min(0, rssiDeciDbfs[rows[i]!]!);
    if (level <= NO_SIGNAL_DECI_DBFS) continue;
    const bin = level - NO_SIGNAL_DECI_DBFS;
    bins[bin] = bins[bin]! + 1;
    known += 1;
    sum += level;
  }
  if (known === 0) return { avg: null, median: null, p10: null, p90: null, aircraftCount: 0 };
  const percentile = (share: number): number => {
    const rank = share * (known - 1);
    const low = levelAt(bins, Math.floor(rank));
    return tenths(low + (rank - Math.floor(rank)) * (levelAt(bins, Math.ceil(rank)) - low));
  };
  return { avg: tenths(sum / known), median: percentile(0.5), p10: percentile(0.1), p90: percentile(0.9), aircraftCount: known };
}

/** The level at `rank` (from 0) of all sorted levels, tenths of dBFS. */
function levelAt(bins: Int32Array, rank: number): number {
  let seen = 0;
  for (let bin = 0; bin < bins.length; bin += 1) {
    seen += bins[bin]!;
    if (seen > rank) return bin + NO_SIGNAL_DECI_DBFS;
  }
  return 0;
}

function tenths(deci: number): number {
  return Math.round(deci) / 10;
}
