// The time of the view, and what people do with it: pause, go back, play, step. The worker follows the view; while it plays, the view follows the worker.
import type { MapPage } from '../map/map-page.ts';
import { LOADING } from '../sky/picture.ts';

/** While the past is played, the address and all that goes by the time of the view follow it this often. */
const FOLLOW_MS = 10_000;
/** The newest second may still get data. */
const NEWEST_MS = 1000;
const secondOf = (ms: number): number => 1000 * Math.floor(ms / 1000);

export class TimeClock {
  /** The moment of the past that is shown. */
  state = LOADING;
  problem = '';
  private readonly page: MapPage;
  /** The picture of the moment has come. */
  private shownMs: number | null = null;
  /** A picture has come since the view changed. */
  private hasPlayed = false;
  private isFollowing = false;
  private followedMs = 0;
  /** The time of the live data less that of this device. */
  private aheadMs = 0;

  constructor(page: MapPage) {
    this.page = page;
  }

  /** Calls after a change of the time, or of what is said about it. */
  listen(changed: () => void): void {
    const { on, post, store } = this.page;
    on('status', ({ past, problem }) => {
      if (past === undefined || this.isLive) return;
      [this.state, this.problem] = [past, problem];
      if (past.isAtEnd) this.goLive();
      changed();
    });
    on('picture', ({ nowMs, clock }) => {
      // Before the first data there is no time.
      if (clock.isLive && nowMs > 0) this.aheadMs = nowMs - Date.now();
      this.shownMs = clock.pace === 0 && !clock.isLive ? nowMs : null;
      this.hasPlayed ||= !clock.isLive;
      changed();
    });
    store.listen((view, before) => {
      if ((view.atMs !== before.atMs || view.pace !== before.pace || view === before) && !this.isFollowing) {
        if (view.atMs !== null || view !== before) post({ kind: 'moment', atMs: view.atMs, pace: view.pace });
        [this.state, this.problem, this.followedMs, this.hasPlayed] = [LOADING, '', Date.now(), false];
        changed();
      }
    });
  }

  get isLive(): boolean {
    return this.page.store.view.atMs === null;
  }
  get isPlaying(): boolean {
    return !this.isLive && this.page.store.view.pace > 0;
  }
  /** The present, by the clock of the service. */
  get newestMs(): number {
    return Date.now() + this.aheadMs;
  }
  /** The moment that is shown, or will be. */
  get atMs(): number {
    if (this.isPlaying && this.hasPlayed) return this.page.map.nowMs();
    return this.page.store.view.atMs ?? this.newestMs;
  }
  /** In one word, for styles and tests. */
  get word(): 'live' | 'playing' | 'waiting' | 'shown' | 'loading' | 'failed' {
    const { isLoading } = this.state;
    if (this.isLive) return 'live';
    if (!isLoading && this.problem !== '') return 'failed';
    if (this.isPlaying) return isLoading ? 'waiting' : 'playing';
    return !isLoading && this.shownMs === this.page.store.view.atMs ? 'shown' : 'loading';
  }

  goLive(): void {
    this.page.store.set({ atMs: null, pace: 0 });
  }
  /** Jumps to a time; playing continues from there. In the future is the present. */
  go(atMs: number, pace = this.page.store.view.pace): void {
    const second = secondOf(atMs);
    if (second > this.newestMs - NEWEST_MS) this.goLive();
    else this.page.store.set({ atMs: second, pace: this.isLive ? 0 : pace });
  }
  step(ms: number): void {
    this.go(this.atMs + ms);
  }
  pause(): void {
    this.go(Math.min(this.atMs, this.newestMs - NEWEST_MS), 0);
  }
  play(pace: number): void {
    if (!this.isLive) this.page.store.set({ atMs: secondOf(this.atMs), pace });
  }

  /** Now and then, while the past is played. */
  follow(): void {
    if (!this.isPlaying || this.state.isLoading || Date.now() - this.followedMs < FOLLOW_MS) return;
    this.followedMs = Date.now();
    this.isFollowing = true;
    this.page.store.set({ atMs: secondOf(this.atMs) });
    this.isFollowing = false;
  }
}
