// Plays the past: a clock that runs while it has positions, and the stretches around it. Each stretch is asked for once, at most a few are in memory.
import { ResponseError } from '../page/parts.ts';
import { gridBox, hasBox } from './boxes.ts';
import { type Box, WORLD } from './picture.ts';
import { Requests } from './requests.ts';
import type { Stretch } from './stretch.ts';
import { HALF_HOUR_MS, loadStretch, type Wanted } from './stretch-files.ts';

/** Where half-hour files with slices of 30 s are fine enough: a slice is a second or less. */
const SLICED_PACE = 30;
/** Two pictures are a slice of the data apart, at most. */
const TICK_MS = 500;
/** Before the end of a stretch the next one is asked for. */
const AHEAD_MS = 25_000;
/** Stretches of stored positions. */
const STRETCH_MS = 60_000;
/** A file of the last half hour, and stored positions, get more. */
const FRESH_MS = { slices: 60_000, positions: 10_000 };
/** So close to the present the player is at its end. */
const END_MS = { slices: 120_000, positions: 15_000 };
const STRETCHES_MAX = 4;
const INTERVAL_MS = 500;

interface Loaded extends Wanted {
  readonly stretch: Stretch;
  readonly askedMs: number;
}

export interface PlayerEvents {
  /** At each step. `pace` is 0 while the player waits for positions. */
  step(atMs: number, pace: number, stretches: readonly Stretch[]): void;
  /** The reason to wait, and the time of the next request; null: it has stopped. */
  failed(error: unknown, retryMs: number | null): void;
  ended(): void;
}

export class Player {
  atMs = 0;
  private readonly events: PlayerEvents;
  private readonly requests: Requests<Wanted, Stretch>;
  private loaded: Loaded[] = [];
  /** The box has more positions than the service gives. */
  private isDense = false;
  private box: Box = WORLD;
  private pace = 0;
  private tickedMs = 0;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(base: URL, events: PlayerEvents) {
    this.events = events;
    this.requests = new Requests({
      ...{ intervalMs: INTERVAL_MS, ask: (wanted, signal) => loadStretch(base, wanted, signal) },
      done: (stretch, wanted) => {
        this.keep({ ...wanted, stretch, askedMs: Date.now() });
        this.tick();
      },
      failed: (error, retryMs) => {
        if (error instanceof ResponseError && error.code === 'history-too-large') {
          this.isDense = true;
          return this.tick();
        }
        if (retryMs === null) this.stop();
        events.failed(error, retryMs);
      },
    });
  }

  /** `slices` or `positions`: what is played now. */
  get kind(): Wanted['kind'] {
    return this.wantedAt(this.atMs).kind;
  }

  start(atMs: number, pace: number): void {
    if (pace !== this.pace) this.isDense = false;
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
    this.isDense = false;
  }

  /** The stretch that has a time. */
  private wantedAt(atMs: number): Wanted {
    const isSliced = this.pace >= SLICED_PACE || this.isDense;
    const lengthMs = isSliced ? HALF_HOUR_MS : STRETCH_MS;
    const fromMs = Math.floor(atMs / lengthMs) * lengthMs;
    return { kind: isSliced ? 'slices' : 'positions', fromMs, toMs: fromMs + lengthMs, box: isSliced ? WORLD : this.box };
  }

  private tick(): void {
    const nowMs = Date.now();
    // A page that slept continues where it was.
    const nextMs = this.atMs + Math.min(nowMs - this.tickedMs, 2 * TICK_MS) * this.pace;
    this.tickedMs = nowMs;
    const ofKind = this.loaded.filter(({ kind }) => kind === this.kind);
    const isKnown = ofKind.some(({ stretch: { fromMs, knownToMs } }) => fromMs <= nextMs && nextMs < knownToMs);
    if (isKnown) this.atMs = nextMs;
    this.want();
    // After a change of the pace, stretches of the other kind have the aircraft until the first of this kind is there.
    const stretches = (isKnown ? ofKind : this.loaded).map(({ stretch }) => stretch);
    this.events.step(this.atMs, isKnown ? this.pace : 0, stretches);
    if (!isKnown && nowMs - this.atMs < END_MS[this.kind]) this.events.ended();
  }

  /** The stretch of the clock, then the one after it. */
  private want(): void {
    const current = this.wantedAt(this.atMs);
    const next = this.wantedAt(current.toMs);
    const isNear = current.toMs - this.atMs < AHEAD_MS * this.pace && next.fromMs < Date.now();
    const missing = [current, ...(isNear ? [next] : [])].find((each) => this.isMissing(each));
    if (missing !== undefined) this.requests.want(missing);
  }

  private isMissing({ kind, fromMs, toMs, box }: Wanted): boolean {
    const known = this.loaded.find((each) => each.kind === kind && each.fromMs <= fromMs && each.toMs >= toMs && hasBox(each.box, box));
    if (known === undefined) return true;
    const isPart = known.stretch.knownToMs < known.toMs && this.atMs + this.pace * TICK_MS >= known.stretch.knownToMs;
    return isPart && Date.now() - known.askedMs > FRESH_MS[kind];
  }

  /** Those around the clock stay, the newest of each span and box. */
  private keep(loaded: Loaded): void {
    const others = this.loaded.filter(
      (each) =>
        each.kind === loaded.kind &&
        each.toMs > this.atMs - STRETCH_MS &&
        each.fromMs < this.atMs + 2 * HALF_HOUR_MS &&
        !(each.fromMs === loaded.fromMs && hasBox(loaded.box, each.box)),
    );
    this.loaded = [...others.slice(1 - STRETCHES_MAX), loaded];
  }
}
