// The history of the network: `/v2/stats/history` as columns of equal steps, with null where there is none.
import { getJson } from '../page/parts.ts';

/** Spans by their names in the address, and steps of which a plot has room for, s. */
export const SPANS = {
  '1h': { name: '1 h', seconds: 3600, step: 10 },
  '6h': { name: '6 h', seconds: 6 * 3600, step: 60 },
  '24h': { name: '24 h', seconds: 24 * 3600, step: 300 },
  '7d': { name: '7 d', seconds: 7 * 86_400, step: 900 },
  '30d': { name: '30 d', seconds: 30 * 86_400, step: 3600 },
} as const;
export type SpanName = keyof typeof SPANS;

/** Means of a step. Members that are not known are absent. */
interface Step {
  /** Start, Unix seconds. */
  readonly t: number;
  readonly aircraft?: number;
  readonly with_position?: number;
  readonly messages_per_second?: number;
  readonly sources?: Readonly<Record<'adsb_icao' | 'mlat' | 'tisb' | 'adsr', number>>;
  readonly signal: { readonly median?: number; readonly p10?: number; readonly p90?: number };
}
interface StatisticsHistory {
  readonly from: number;
  readonly to: number;
  readonly kept: { readonly history?: number };
  readonly history: readonly Step[];
}

export interface Samples {
  /** Starts of steps, Unix seconds. */
  readonly times: readonly number[];
  /** By name, each as long as the times. */
  readonly values: Readonly<Record<string, readonly (number | null)[]>>;
  /** The service keeps a history. */
  readonly isKept: boolean;
}

/** Samples from the span before now. Errors: those of `getJson`. */
export async function loadHistory(name: SpanName): Promise<Samples> {
  const to = Math.floor(Date.now() / 1000);
  const { seconds, step } = SPANS[name];
  const query = `from=${to - seconds}&to=${to}&step=${step}`;
  const { kept, history, from, to: end } = await getJson<StatisticsHistory>(`v2/stats/history?${query}`);
  const times = Array.from({ length: Math.ceil((end - from) / step) }, (_, i) => from + i * step);
  const values: Record<string, (number | null)[]> = {};
  for (const { t, sources = {}, signal, ...counts } of history) {
    const at = Math.round((t - from) / step);
    for (const [member, value] of Object.entries({ ...counts, ...sources, ...signal })) {
      values[member] ??= new Array<number | null>(times.length).fill(null);
      values[member][at] = value;
    }
  }
  return { times, values, isKept: kept.history !== undefined };
}
