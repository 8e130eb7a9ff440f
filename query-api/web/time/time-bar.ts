// The bar of time: live or paused, a slider through all that is kept, steps, typed times, and playing. While the map is live it begins as a chip.
import type { MapPage } from '../map/map-page.ts';
import { byId, element } from '../page/parts.ts';
import { Slider } from './slider.ts';
import { TimeClock } from './time-clock.ts';
import { DAY_MS, type SpanName, stepOf, Traffic, type Window, windowAt } from './traffic.ts';
import { inputText, momentText, readInput, sourceText } from './words.ts';

const PACES = [1, 2, 5, 10, 30, 60];
const PACE = 10;
const STEPS: readonly (readonly [ms: number, title: string])[] = [
  [1000, '1 s'],
  [10_000, '10 s'],
  [60_000, '1 min'],
  [3_600_000, '1 h'],
];
const SPANS: readonly (readonly [SpanName, string])[] = [
  ['hour', '1 hour'],
  ['day', '1 day'],
  ['week', '1 week'],
  ['all', 'everything'],
];
/** A slider that is dragged and held still for so long shows its time. */
const STILL_MS = 300;
const TICK_MS = 250;
/** The slider moves on when the time is so near to its edge, as a part of it. */
const EDGE = 0.04;

/** Keys of this part, for the list of shortcuts. */
export const timeKeys: readonly (readonly [keys: string, words: string])[] = [
  ['Space', 'pause, or play the past'],
  [', .', 'a second back, forth'],
  ['< >', '10 seconds back, forth'],
  ['[ ]', 'a minute back, forth'],
  ['{ }', 'an hour back, forth'],
  ['r', 'return to live'],
];
const stepKeys: Readonly<Record<string, number>> = {
  ...{ ',': -1000, '.': 1000, '<': -10_000, '>': 10_000 },
  ...{ '[': -60_000, ']': 60_000, '{': -3_600_000, '}': 3_600_000 },
};

export function openTime(page: MapPage): void {
  new TimeBar(page);
}

const select = <T extends string | number>(label: string, values: readonly (readonly [T, string])[], chosen: T): HTMLSelectElement =>
  element(
    'select',
    { 'aria-label': label, title: label },
    ...values.map(([value, title]) => element('option', { value, selected: value === chosen }, title)),
  );
const button = (name: string, label: string, text: string, onclick: () => void): HTMLButtonElement =>
  element('button', { type: 'button', class: name, 'aria-label': label, title: label, onclick }, text);

class TimeBar {
  private readonly clock: TimeClock;
  private readonly traffic = new Traffic(() => {
    if (this.window !== null && this.window.fromMs < (this.traffic.firstMs ?? 0)) this.window = null;
    this.show();
  });
  private readonly slider: Slider;
  private readonly slot = byId('time');
  private readonly chip = button('chip', 'Open the bar of time', '', () => this.open(true));
  private readonly live = button('live', 'Live', 'Live', () => this.clock.goLive());
  /** Its text is its name: in UTC, and after a touch as on this device. */
  private readonly moment = element('button', {
    ...{ type: 'button', class: 'moment', title: 'UTC, or the time of this device' },
    onclick: () => {
      this.isLocal = !this.isLocal;
      this.typed.value = inputText(this.clock.atMs, this.isLocal);
      this.show();
    },
  });
  private readonly words = element('p', { class: 'words', role: 'status' });
  private readonly playing = button('play', 'Pause', '❚❚', () => this.toggle());
  private readonly pace = select(
    'Pace of playing',
    PACES.map((pace) => [pace, `${pace}×`] as const),
    PACE,
  );
  private readonly unit = select('Length of a step', STEPS, 1000);
  private readonly span = select('Span of the slider', SPANS, 'day');
  private readonly typed = element('input', { type: 'datetime-local', step: 1, 'aria-label': 'Date and time' });
  private isLocal = false;
  private isOpen = false;
  private window: Window | null = null;
  private draggedMs: number | null = null;
  private still: ReturnType<typeof setTimeout> | undefined;

  constructor(page: MapPage) {
    this.clock = new TimeClock(page);
    this.slider = new Slider(this.traffic, { moved: (atMs, isEnd) => this.dragged(atMs, isEnd), key: (key) => this.sliderKey(key) });
    if (PACES.includes(page.store.view.pace)) this.pace.value = String(page.store.view.pace);
    this.build();
    this.pace.addEventListener('change', () => {
      if (this.clock.isPlaying) this.clock.play(Number(this.pace.value));
    });
    this.span.addEventListener('change', () => {
      this.window = null;
      this.show();
    });
    document.addEventListener('keydown', (event) => this.key(event));
    setInterval(() => this.tick(), TICK_MS);
    this.isOpen ||= !this.clock.isLive;
    this.open(this.isOpen);
    this.clock.listen(() => this.show());
  }

  private tick(): void {
    if (document.hidden) return;
    this.clock.follow();
    if (this.isOpen || !this.clock.isLive) this.show();
  }

  private build(): void {
    const step = (sign: number, label: string, text: string): HTMLElement =>
      button('step', label, text, () => this.clock.step(sign * Number(this.unit.value)));
    const go = (event: Event): void => {
      event.preventDefault();
      const atMs = readInput(this.typed.value, this.isLocal);
      if (atMs !== null) this.clock.go(atMs);
    };
    const controls = element(
      'div',
      { class: 'row' },
      this.live,
      this.moment,
      button('close', 'Close the bar of time', '▾', () => this.open(false)),
      element('div', { class: 'row group' }, this.playing, this.pace),
      element('div', { class: 'row group' }, step(-1, 'A step back', '−'), this.unit, step(1, 'A step forth', '+')),
      element('form', { class: 'row group', onsubmit: go }, this.typed, element('button', {}, 'Go')),
      this.span,
    );
    const back = button('back', 'Back to live', 'Live', () => this.clock.goLive());
    this.slot.append(
      element('div', { class: 'row closed' }, this.chip, back),
      element('section', { class: 'bar floating', 'aria-label': 'Time' }, controls, this.words, this.slider.element),
    );
    // What is above the bar leaves room for it.
    const stage = this.slot.parentElement!;
    new ResizeObserver(() => stage.style.setProperty('--time-height', `${this.slot.offsetHeight}px`)).observe(this.slot);
  }

  private open(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.slot.classList.toggle('open', isOpen);
    this.window = null;
    this.show();
  }

  private toggle(): void {
    if (this.clock.isLive || this.clock.isPlaying) this.clock.pause();
    else this.clock.play(Number(this.pace.value));
  }

  /** Shows everything as it is now. */
  private show(): void {
    const { clock, isLocal } = this;
    const [atMs, nowMs, { isLive }] = [this.draggedMs ?? clock.atMs, clock.newestMs, clock];
    if (this.slot.dataset['state'] !== clock.word) this.slot.dataset['state'] = clock.word;
    const text = momentText(atMs, isLocal);
    put(this.chip, isLive ? '● Live' : `${clock.isPlaying ? '▶' : '❚❚'} ${text}`);
    this.chip.ariaLabel = `${this.chip.textContent}: open the bar of time`;
    put(this.moment, text);
    this.live.setAttribute('aria-pressed', String(isLive));
    const label = isLive || clock.isPlaying ? 'Pause' : 'Play';
    put(this.playing, label === 'Pause' ? '❚❚' : '▶');
    this.playing.setAttribute('aria-label', label);
    const firstMs = this.traffic.firstMs;
    const window = this.windowOf(atMs, firstMs ?? nowMs - DAY_MS, nowMs);
    const gap = isLive ? null : this.traffic.gapAt(atMs, stepOf(window));
    put(this.words, isLive ? 'now' : sourceText({ atMs, nowMs, isLocal, gap, firstMs, state: clock.state, problem: clock.problem }));
    if (!this.isOpen) return;
    if (document.activeElement !== this.typed) this.typed.value = inputText(atMs, isLocal);
    this.slider.show({ window, atMs, nowMs, isLocal });
    void this.traffic.load(window);
  }

  /** The window stays while the time moves in it; at its edge, and when time goes on, there is another. */
  private windowOf(atMs: number, firstMs: number, nowMs: number): Window {
    const span = this.span.value as SpanName;
    const known = this.window;
    const edge = known === null ? 0 : (known.toMs - known.fromMs) * EDGE;
    const isNear =
      known !== null &&
      atMs >= known.fromMs + (known.fromMs > firstMs ? edge : 0) &&
      atMs <= known.toMs - (known.toMs < nowMs - edge ? edge : 0);
    if (known !== null && this.draggedMs !== null) return known;
    if (known !== null && isNear && !(this.clock.isLive && nowMs > known.toMs + edge / 4)) return known;
    this.window = windowAt(span, atMs, firstMs, nowMs);
    return this.window;
  }

  private dragged(atMs: number | null, isEnd: boolean): void {
    clearTimeout(this.still);
    const go = (): void => {
      if (atMs === null) this.clock.goLive();
      else this.clock.go(atMs, 0);
    };
    if (isEnd) {
      this.draggedMs = null;
      go();
    } else {
      this.draggedMs = atMs ?? this.clock.newestMs;
      this.still = setTimeout(go, STILL_MS);
    }
    this.show();
  }

  private sliderKey(key: string): boolean {
    const { fromMs, toMs } = this.window!;
    const step = Number(this.unit.value);
    const moves: Readonly<Record<string, number>> = {
      ...{ ArrowLeft: -step, ArrowDown: -step, ArrowRight: step, ArrowUp: step },
      ...{ PageDown: -(toMs - fromMs) / 10, PageUp: (toMs - fromMs) / 10 },
    };
    if (moves[key] !== undefined) this.clock.step(moves[key]);
    else if (key === 'Home') this.clock.go(this.traffic.firstMs ?? fromMs);
    else if (key === 'End') this.clock.goLive();
    else return false;
    return true;
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, select, textarea, [contenteditable]')) return;
    const step = stepKeys[event.key];
    if (step !== undefined) this.clock.step(step);
    else if (event.key === 'r') this.clock.goLive();
    // A button has its own use of the space bar.
    else if (event.key === ' ' && !target.matches('button, a, summary')) this.toggle();
    else return;
    event.preventDefault();
  }
}

/** Sets a text that changed: a screen reader reads what is set. */
function put(target: HTMLElement, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}
