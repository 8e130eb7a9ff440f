// Aircraft over time, as the background of the slider: steps of `/v2/stats/history` in chunks that stay in memory. It also says what is kept, and where gaps are.
import { getJson } from '../page/parts.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** Steps the service has, s. */
const STEPS_S = [10, 60, 300, 900, 3600, 10_800, 21_600, 86_400];
/** Points of a slider, at most. */
const STEPS_MAX = 250;
/** A chunk is a request. */
const CHUNK_STEPS = 720;
const CHUNK_MS_MAX = 30 * DAY_MS;
/** The chunk of the present gets new steps. */
const FRESH_MS = 60_000;

export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}
export const spans = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, all: Number.POSITIVE_INFINITY } as const;
export type SpanName = keyof typeof spans;

/** The part of the kept time, from `firstMs` to `nowMs`, that the slider shows: with a time in its middle where there is room. */
export function windowAt(span: SpanName, atMs: number, firstMs: number, nowMs: number): Window {
  const lengthMs = Math.max(Math.min(spans[span], nowMs - firstMs), 60_000);
  const toMs = Math.min(Math.max(atMs + lengthMs / 2, firstMs + lengthMs), nowMs);
  return { fromMs: toMs - lengthMs, toMs };
}

/** Length of the steps of a window, ms. */
export function stepOf({ fromMs, toMs }: Window): number {
  return SECOND_MS * (STEPS_S.find((stepS) => toMs - fromMs <= STEPS_MAX * stepS * SECOND_MS) ?? STEPS_S.at(-1)!);
}

interface Response {
  readonly kept: { readonly log?: number; readonly history?: number };
  readonly history: readonly { readonly t: number; readonly aircraft?: number; readonly signal: { readonly aircraft_count: number } }[];
}
interface Chunk {
  readonly askedMs: number;
  readonly counts: ReadonlyMap<number, number>;
}

export class Traffic {
  /** The first moment that is kept, ms; null while it is not known, or nothing is. */
  firstMs: number | null = null;
  private readonly chunks = new Map<string, Chunk>();
  private readonly changed: () => void;
  private isLoading = false;

  constructor(changed: () => void) {
    this.changed = changed;
  }

  /** Loads what is missing of a window, one request at a time. Without the service's counts there are no bars, and the slider works. */
  async load(window: Window): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    try {
      const stepMs = stepOf(window);
      const chunkMs = chunkLength(stepMs);
      for (let fromMs = Math.floor(window.fromMs / chunkMs) * chunkMs; fromMs < window.toMs; fromMs += chunkMs) {
        const known = this.chunks.get(`${stepMs} ${fromMs}`);
        const isNewest = fromMs + chunkMs > Date.now() - FRESH_MS;
        if (known !== undefined && (!isNewest || Date.now() - known.askedMs < FRESH_MS)) continue;
        await this.read(fromMs, fromMs + chunkMs, stepMs);
        this.changed();
      }
    } catch {
      // The next window, or the next minute, asks again.
    } finally {
      this.isLoading = false;
    }
  }

  /** Aircraft in the step that has a time; NaN in a gap, undefined while it is not known. */
  count(timeMs: number, stepMs: number): number | undefined {
    const chunkMs = chunkLength(stepMs);
    const chunk = this.chunks.get(`${stepMs} ${Math.floor(timeMs / chunkMs) * chunkMs}`);
    return chunk === undefined ? undefined : (chunk.counts.get(Math.floor(timeMs / stepMs) * stepMs) ?? Number.NaN);
  }

  /** The gap that a time is in, in whole steps; null outside of gaps. */
  gapAt(timeMs: number, stepMs: number): Window | null {
    const start = Math.floor(timeMs / stepMs) * stepMs;
    let [fromMs, toMs] = [start, start];
    while (Number.isNaN(this.count(toMs, stepMs)) && toMs < Date.now()) toMs += stepMs;
    if (toMs === start) return null;
    while (Number.isNaN(this.count(fromMs - stepMs, stepMs)) && fromMs > (this.firstMs ?? start)) fromMs -= stepMs;
    return { fromMs, toMs };
  }

  private async read(fromMs: number, toMs: number, stepMs: number): Promise<void> {
    const query = `from=${fromMs / SECOND_MS}&to=${toMs / SECOND_MS}&step=${stepMs / SECOND_MS}`;
    const { kept, history } = await getJson<Response>(`v2/stats/history?${query}`);
    const counts = new Map(history.map(({ t, aircraft, signal }) => [t * SECOND_MS, aircraft ?? signal.aircraft_count]));
    this.chunks.set(`${stepMs} ${fromMs}`, { askedMs: Date.now(), counts });
    const known = [kept.log, kept.history].filter((each) => each !== undefined);
    this.firstMs = known.length === 0 ? null : SECOND_MS * Math.min(...known);
  }
}

const chunkLength = (stepMs: number): number => Math.min(CHUNK_STEPS * stepMs, CHUNK_MS_MAX);
