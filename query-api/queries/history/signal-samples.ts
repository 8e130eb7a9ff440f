// The signal history that the store has: after a restart its samples are there at once. Without them every state of five minutes is read again, which
// takes half a minute of CPU at 15,000 aircraft.
import { SIGNAL_SAMPLES, type SignalSample } from '../../../pipeline/view/signal-history.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { ReadModel } from '../read-model.ts';

const MS_PER_S = 1000;
/** Levels in tenths of dBFS, messages in tenths per second. */
type StoredSample = { readonly startS: number; readonly aircraftCount: number } & Readonly<
  Record<'avg' | 'median' | 'p10' | 'p90' | 'total' | 'withPosition' | 'messages' | 'adsb_icao' | 'mlat' | 'tisb' | 'adsr', number | null>
>;

const SAMPLES = `SELECT toUnixTimestamp(time) AS startS, avgDeciDbfs AS avg, medianDeciDbfs AS median, p10DeciDbfs AS p10, p90DeciDbfs AS p90, aircraftCount,
aircraft AS total, withPosition, messagesDeciPerSecond AS messages, adsbIcao AS adsb_icao, mlat, tisb, adsr
FROM signal_history FINAL
WHERE time >= fromUnixTimestamp({from:Int64}) AND time <= fromUnixTimestamp({to:Int64})
ORDER BY time DESC
LIMIT {rows:UInt32}`;

/** Samples of the five minutes up to `endMs`, the newest first. Errors: those of the store. */
export async function storedSignal({ history }: Pick<ReadModel, 'history'>, endMs: number): Promise<SignalSample[]> {
  const to = Math.floor(endMs / MS_PER_S);
  const parameters = { from: to - limits.signalHistoryMs / MS_PER_S, to, rows: SIGNAL_SAMPLES + 1 };
  const rows = await history.query((client, signal) => client.rows<StoredSample>(SAMPLES, parameters, { signal }));
  return rows.map((row) => ({
    timeMs: row.startS * MS_PER_S,
    ...{ avg: tenths(row.avg), median: tenths(row.median), p10: tenths(row.p10), p90: tenths(row.p90) },
    aircraftCount: row.aircraftCount,
    counts: countsOf(row),
  }));
}

function countsOf({ total, withPosition, messages, adsb_icao, mlat, tisb, adsr }: StoredSample): SignalSample['counts'] {
  if (total === null) return null;
  const sources = { adsb_icao: adsb_icao!, mlat: mlat!, tisb: tisb!, adsr: adsr! };
  return { total, withPosition: withPosition!, messagesPerSecond: tenths(messages), sources };
}

function tenths(deci: number | null): number | null {
  return deci === null ? null : deci / 10;
}
