// The past: a moment as the service folds it again, exactly, or played from what is stored.
import { ask, ResponseError } from '../page/parts.ts';
import type { SourceEvents } from './live.ts';
import { type Aircraft, type Box, LOADING, type PastState } from './picture.ts';
import { Player } from './player.ts';
import { Requests, reasonOf } from './requests.ts';
import type { Seen } from './sky.ts';
import { Replay, type Stretch } from './stretch.ts';

/** Between two requests of moments: a slider that is dragged asks for few. */
const MOMENT_MS = 300;
/** Types and registrations of new aircraft, while the past is played: at most so often, when so many are unknown, and of whole half hours, whose folds viewers share. */
const IDENTITIES_MS = 60_000;
const KNOWN_PART_MIN = 0.9;
const IDENTITIES_STEP_MS = 1_800_000;
/** Aircraft of an exact moment stay for so long while their stored positions begin. */
const EXACT_MS_MAX = 60_000;

interface Moment {
  readonly atMs: number;
  readonly seen: readonly Seen[];
  readonly isStored: boolean;
}

export class PastSource {
  private readonly events: SourceEvents;
  private readonly moments: Requests<number, Moment>;
  private readonly player: Player;
  private readonly replay = new Replay();
  private exact: Moment | null = null;
  private stretches: readonly Stretch[] = [];
  private atMs = 0;
  private pace = 0;
  private isHidden = false;
  private identitiesMs = 0;
  private state = LOADING;
  private problem = '';

  constructor(base: URL, events: SourceEvents) {
    this.events = events;
    this.moments = new Requests({
      ...{ intervalMs: MOMENT_MS, ask: (atMs, signal) => loadMoment(base, atMs, signal), done: (moment) => this.showMoment(moment) },
      failed: (error, retryMs, atMs) => {
        // The wait alone counts for a moment that is wanted no more.
        if (this.pace > 0 || (atMs !== this.atMs && retryMs === null)) return;
        this.failed(error, retryMs);
        // A moment that has no aircraft shows none.
        if (retryMs === null) this.events.sky(atMs, [], { isLive: false, pace: 0 });
      },
    });
    this.player = new Player(base, {
      step: (atMs, pace, stretches) => {
        this.stretches = stretches;
        if (pace > 0) this.report({ from: this.player.kind, isLoading: false, code: '' }, '');
        else this.report({ from: this.player.kind, isLoading: true });
        this.askIdentities(this.play(atMs, pace), atMs);
      },
      failed: (error, retryMs) => this.failed(error, retryMs),
      ended: () => this.report({ isAtEnd: true }),
    });
  }

  /** Shows a moment, ms since the Unix epoch; with a pace it is the start of playing. */
  show(atMs: number, pace: number): void {
    const wasPlaying = this.pace > 0;
    [this.atMs, this.pace] = [atMs, pace];
    this.report(LOADING, '');
    if (pace > 0) {
      const isNear = this.exact !== null && Math.abs(this.exact.atMs - atMs) <= IDENTITIES_STEP_MS;
      this.moments.want(isNear ? null : atMs);
      if (this.isHidden) this.player.atMs = atMs;
      else this.player.start(atMs, pace);
      return;
    }
    if (wasPlaying) {
      this.player.stop();
      this.play(atMs, 0);
    }
    if (this.exact?.atMs === atMs) this.showMoment(this.exact);
    else this.moments.want(atMs);
  }

  setBox(box: Box): void {
    this.player.setBox(box);
  }

  setHidden(isHidden: boolean): void {
    if (this.isHidden === isHidden) return;
    this.isHidden = isHidden;
    if (this.pace === 0) return;
    if (isHidden) this.player.stop();
    else this.player.start(this.player.atMs, this.pace);
  }

  close(): void {
    this.player.stop();
    this.moments.stop();
  }

  /** Each moment that is requested while the slider moves is shown. */
  private showMoment(moment: Moment): void {
    this.exact = moment;
    this.replay.remember(moment.seen.map(({ aircraft }) => aircraft));
    if (this.pace > 0) return;
    this.report({ from: moment.isStored ? 'history' : 'log', isLoading: moment.atMs !== this.atMs, code: '' }, '');
    this.events.sky(moment.atMs, moment.seen, { isLive: false, pace: 0 });
  }

  private failed(error: unknown, retryMs: number | null): void {
    const wait = retryMs === null ? '' : `; it is asked again in ${Math.ceil(retryMs / 1000)} s`;
    this.report({ isLoading: retryMs !== null, code: error instanceof ResponseError ? error.code : '' }, `${reasonOf(error)}${wait}`);
  }

  /** Shows the stored positions of a time; aircraft that have none yet are where the exact moment before has them. */
  private play(atMs: number, pace: number): readonly Seen[] {
    const seen = this.replay.at(this.stretches, atMs);
    const { exact } = this;
    if (exact !== null && atMs >= exact.atMs && atMs - exact.atMs <= EXACT_MS_MAX) {
      const known = new Set(seen.map(({ aircraft }) => aircraft.hex));
      seen.push(...exact.seen.filter(({ aircraft }) => !known.has(aircraft.hex)));
    }
    this.events.sky(atMs, seen, { isLive: false, pace });
    return seen;
  }

  private askIdentities(seen: readonly Seen[], atMs: number): void {
    if (this.moments.isBusy || Date.now() - this.identitiesMs < IDENTITIES_MS || this.replay.knownPart(seen) >= KNOWN_PART_MIN) return;
    this.identitiesMs = Date.now();
    this.moments.want(Math.floor(atMs / IDENTITIES_STEP_MS) * IDENTITIES_STEP_MS);
  }

  private report(change: Partial<PastState>, problem = this.problem): void {
    const before = JSON.stringify([this.state, this.problem]);
    this.state = { ...this.state, ...change };
    this.problem = problem;
    if (change === LOADING || JSON.stringify([this.state, problem]) !== before)
      this.events.status({ state: 'past', problem, intervalMs: null, past: this.state });
  }
}

async function loadMoment(base: URL, atMs: number, signal: AbortSignal): Promise<Moment> {
  const response = await ask(new URL(`v2/all?at=${atMs / 1000}`, base), signal);
  const list = (await response.json()) as { now: number; from_history?: boolean; ac: Aircraft[] };
  const seen = list.ac.map((aircraft) => ({ aircraft, updatedMs: list.now * 1000 }));
  return { atMs, seen, isStored: list.from_history === true };
}
