// The signal history that the store has: after a restart its samples are there at once. Without them every state of five minutes is read again, which
// takes half a minute of CPU at 15,000 aircraft.
import { SIGNAL_SAMPLES, type SignalSample } from '../../../pipeline/view/signal-history.ts';
import { trackLimits } from '../../../schemas/track-limits.ts';
import type { ReadModel } from '../read-model.ts';

const MS_PER_S = 1000;
/** Levels in tenths of dBFS. */
type StoredSample = { readonly startS: number; readonly aircraftCount: number } & Readonly<
  Record<'avg' | 'median' | 'p10' | 'p90', number | null>
>;

const SAMPLES = `SELECT toUnixTimestamp(time) AS startS, avgDeciDbfs AS avg, medianDeciDbfs AS median, p10DeciDbfs AS p10, p90DeciDbfs AS p90, aircraftCount
FROM signal_history FINAL
WHERE time >= fromUnixTimestamp({from:Int64}) AND time <= fromUnixTimestamp({to:Int64})
ORDER BY time DESC
LIMIT {rows:UInt32}`;

/** Samples of the five minutes up to `endMs`, the newest first. Errors: those of the store. */
export async function storedSignal({ history }: Pick<ReadModel, 'history'>, endMs: number): Promise<SignalSample[]> {
  const to = Math.floor(endMs / MS_PER_S);
  const parameters = { from: to - trackLimits.signalHistoryMs / MS_PER_S, to, rows: SIGNAL_SAMPLES + 1 };
  const rows = await history.query((client, signal) => client.rows<StoredSample>(SAMPLES, parameters, { signal }));
  return rows.map(({ startS, aircraftCount, ...levels }) => ({
    timeMs: startS * MS_PER_S,
    ...{ avg: dbfs(levels.avg), median: dbfs(levels.median), p10: dbfs(levels.p10), p90: dbfs(levels.p90) },
    aircraftCount,
  }));
}

function dbfs(deciDbfs: number | null): number | null {
  return deciDbfs === null ? null : deciDbfs / 10;
}
