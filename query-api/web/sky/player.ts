// Plays the past: a clock that goes on while it has positions, and the stretches around it. Each stretch is asked for once, at most a few are in memory.
import { ask, ResponseError } from '../page/parts.ts';
import type { Box } from './picture.ts';
import { Requests } from './requests.ts';
import type { Stretch } from './stretch.ts';
import { type AreaPositions, areaStretch, emptyStretch, gridBox, HALF_HOUR_MS, hasBox, heatMapStretch, WORLD } from './stretch-files.ts';

/** Where half-hour files with slices of 30 s are fine enough: a slice is a second or less. */
const SLICED_PACE = 30;
/** Two pictures are a slice of the data apart, at most. */
const TICK_MS = 500;
const AHEAD_MS = 25_000;
/** Stretches of stored positions, the first of which is for slow paces, and for boxes with too many positions. */
const [SHORT_MS, LONG_MS] = [60_000, 300_000];
const SLOW_PACE = 2;
/** A file of the last half hour, and stored positions, get more. */
const FRESH_MS = { slices: 60_000, positions: 10_000 };
/** So close to the present the player is at its end. */
const END_MS = { slices: 120_000, positions: 15_000 };
/** The service has all positions that are older. */
const SETTLED_MS = 120_000;
const STRETCHES_MAX = 4;
const INTERVAL_MS = 500;

export interface Wanted {
  readonly kind: 'slices' | 'positions';
  readonly fromMs: number;
  readonly toMs: number;
  readonly box: Box;
}
interface Loaded extends Wanted {
  readonly stretch: Stretch;
  readonly askedMs: number;
}
/** How fine stretches of stored positions are: the service refuses those with too many positions. */
export type Detail = 'long' | 'short' | 'slices';

/** The stretch that has a time. */
export function stretchAt(atMs: number, pace: number, detail: Detail, box: Box): Wanted {
  const isSliced = pace >= SLICED_PACE || detail === 'slices';
  const lengthMs = isSliced ? HALF_HOUR_MS : pace > SLOW_PACE && detail === 'long' ? LONG_MS : SHORT_MS;
  const fromMs = Math.floor(atMs / lengthMs) * lengthMs;
  return { kind: isSliced ? 'slices' : 'positions', fromMs, toMs: fromMs + lengthMs, box: isSliced ? WORLD : box };
}

/** Path and query of a stretch, below the root of the service. */
export function pathOf({ kind, fromMs, toMs, box }: Wanted): string {
  if (kind === 'positions') {
    const { south, west, north, east } = box;
    return `v2/area/positions?from=${fromMs / 1000}&to=${toMs / 1000}&min_lat=${south}&min_lon=${west}&max_lat=${north}&max_lon=${east}`;
  }
  const day = new Date(fromMs).toISOString().slice(0, 10).replaceAll('-', '/');
  const number = Math.floor((fromMs % 86_400_000) / HALF_HOUR_MS);
  return `globe_history/${day}/heatmap/${String(number).padStart(2, '0')}.bin.ttf`;
}

export interface PlayerEvents {
  /** At each step. `pace` is 0 while the player waits for positions. */
  step(atMs: number, pace: number, stretches: readonly Stretch[]): void;
  /** What keeps the player waiting, and when it asks again; null: it has stopped. */
  failed(error: unknown, retryMs: number | null): void;
  ended(): void;
}

export class Player {
  private readonly base: URL;
  private readonly events: PlayerEvents;
  private readonly requests: Requests<Wanted, Stretch>;
  private loaded: Loaded[] = [];
  private detail: Detail = 'long';
  private box: Box = WORLD;
  private pace = 0;
  private atMs = 0;
  private tickedMs = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(base: URL, events: PlayerEvents) {
    [this.base, this.events] = [base, events];
    this.requests = new Requests({
      ...{ intervalMs: INTERVAL_MS, nameOf: pathOf, ask: (wanted, signal) => this.load(wanted, signal) },
      done: (wanted, stretch) => {
        this.keep({ ...wanted, stretch, askedMs: Date.now() });
        this.tick();
      },
      failed: ({ kind }, error, retryMs) => {
        if (kind === 'positions' && error instanceof ResponseError && error.code === 'history-too-large') {
          this.detail = this.detail === 'long' && this.pace > SLOW_PACE ? 'short' : 'slices';
          this.tick();
          return;
        }
        if (retryMs === null) this.stop();
        this.events.failed(error, retryMs);
      },
    });
  }

  get nowMs(): number {
    return this.atMs;
  }

  /** `slices` or `positions`: what is played now. */
  get kind(): Wanted['kind'] {
    return this.current().kind;
  }

  start(atMs: number, pace: number): void {
    if (pace !== this.pace) this.detail = 'long';
    [this.atMs, this.pace, this.tickedMs] = [atMs, pace, Date.now()];
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), TICK_MS);
    this.tick();
  }

  /** Stops the clock. Stretches stay, for the next start nearby. */
  stop(): void {
    clearInterval(this.timer);
    this.requests.stop();
  }

  setBox(box: Box): void {
    if (hasBox(this.box, box) && this.box !== WORLD) return;
    this.box = gridBox(box);
    this.detail = 'long';
  }

  private current(atMs = this.atMs): Wanted {
    return stretchAt(atMs, this.pace, this.detail, this.box);
  }

  private tick(): void {
    const nowMs = Date.now();
    // A page that slept goes on where it was.
    const nextMs = this.atMs + Math.min(nowMs - this.tickedMs, 2 * TICK_MS) * this.pace;
    this.tickedMs = nowMs;
    const isKnown = this.loaded.some(({ kind, stretch }) => {
      return kind === this.kind && stretch.fromMs <= nextMs && nextMs < stretch.knownToMs;
    });
    if (isKnown) this.atMs = nextMs;
    this.want();
    const stretches = this.loaded.filter(({ kind }) => kind === this.kind).map(({ stretch }) => stretch);
    this.events.step(this.atMs, isKnown ? this.pace : 0, stretches);
    if (!isKnown && nowMs - this.atMs < END_MS[this.kind]) this.events.ended();
  }

  /** The stretch of the clock, then the one after it. */
  private want(): void {
    const current = this.current();
    const next = this.current(current.toMs);
    const isNear = current.toMs - this.atMs < AHEAD_MS * this.pace && next.fromMs < Date.now();
    const wanted = [current, ...(isNear ? [next] : [])].find((each) => this.isMissing(each));
    if (wanted === undefined) return;
    this.requests.want(wanted);
  }

  private isMissing({ kind, fromMs, toMs, box }: Wanted): boolean {
    const known = this.loaded.find((each) => each.kind === kind && each.fromMs <= fromMs && each.toMs >= toMs && hasBox(each.box, box));
    if (known === undefined) return true;
    const isPart = known.stretch.knownToMs < known.toMs && this.atMs + this.pace * TICK_MS >= known.stretch.knownToMs;
    return isPart && Date.now() - known.askedMs > FRESH_MS[kind];
  }

  private async load(wanted: Wanted, signal: AbortSignal): Promise<Stretch> {
    const { kind, fromMs, toMs } = wanted;
    const isEnded = toMs < Date.now() - SETTLED_MS;
    try {
      const response = await ask(new URL(pathOf(wanted), this.base), signal);
      if (kind === 'positions') return areaStretch((await response.json()) as AreaPositions, fromMs, toMs);
      return heatMapStretch(await response.arrayBuffer(), fromMs, isEnded);
    } catch (error) {
      // A half hour in which nothing was received.
      if (error instanceof ResponseError && error.status === 404) return emptyStretch(fromMs, isEnded ? toMs : fromMs);
      throw error;
    }
  }

  /** Those around the clock stay, the newest of each span and box. */
  private keep(loaded: Loaded): void {
    const others = this.loaded.filter(
      (each) =>
        each.kind === loaded.kind &&
        each.toMs > this.atMs - SHORT_MS &&
        each.fromMs < this.atMs + 2 * HALF_HOUR_MS &&
        !(each.fromMs >= loaded.fromMs && each.toMs <= loaded.toMs && hasBox(loaded.box, each.box)),
    );
    this.loaded = [...others.slice(1 - STRETCHES_MAX), loaded];
  }
}
