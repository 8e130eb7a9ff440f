// The bar of time: live or paused, a slider through all that is kept, steps, typed times, and playing. While the map is live it begins as a chip.
import type { MapPage } from '../map/map-page.ts';
import { button, byId, element, setText } from '../page/parts.ts';
import { Slider } from './slider.ts';
import { TimeClock } from './time-clock.ts';
import { DAY_MS, type SpanName, stepOf, Traffic, type Window, windowAt } from './traffic.ts';
import { inputText, momentText, readInput, sourceText } from './words.ts';

const PACES = [1, 2, 5, 10, 30, 60];
const PACE = 10;
/** Steps, ms, and the keys that go back and forth by them. */
const STEPS = [
  { ms: 1000, title: '1 s', keys: ', .', words: 'a second' },
  { ms: 10_000, title: '10 s', keys: '< >', words: '10 seconds' },
  { ms: 60_000, title: '1 min', keys: '[ ]', words: 'a minute' },
  { ms: 3_600_000, title: '1 h', keys: '{ }', words: 'an hour' },
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
  ...STEPS.map(({ keys, words }) => [keys, `${words} back, forth`] as const),
  ['r', 'return to live'],
];

const select = <T extends string | number>(label: string, values: readonly (readonly [T, string])[], chosen: T): HTMLSelectElement =>
  element(
    'select',
    { 'aria-label': label, title: label },
    ...values.map(([value, title]) => element('option', { value, selected: value === chosen }, title)),
  );
const named = (name: string, label: string, text: string, onclick: () => void): HTMLButtonElement =>
  button(text, onclick, { class: name, 'aria-label': label, title: label });

export class TimeBar {
  private readonly clock: TimeClock;
  private readonly traffic = new Traffic(() => {
    if (this.window !== null && this.window.fromMs < (this.traffic.firstMs ?? 0)) this.window = null;
    this.show();
  });
  private readonly slider: Slider;
  private readonly slot = byId('time');
  private readonly chip = named('chip', 'Open the bar of time', '', () => this.open(true));
  private readonly live = named('live', 'Live', 'Live', () => this.clock.goLive());
  /** Its text is its name: in UTC, and after a touch as on this device. */
  private readonly moment = button('', () => this.changeZone(), { class: 'moment', title: 'UTC, or the time of this device' });
  private readonly words = element('p', { class: 'words', role: 'status' });
  private readonly playing = named('play', 'Pause', '❚❚', () => this.toggle());
  private readonly pace: HTMLSelectElement;
  private readonly unit = select(
    'Length of a step',
    STEPS.map(({ ms, title }) => [ms, title] as const),
    1000,
  );
  private readonly span = select('Span of the slider', SPANS, 'day');
  private readonly typed = element('input', { type: 'datetime-local', step: 1, 'aria-label': 'Date and time' });
  private isLocal = false;
  private isOpen = false;
  private window: Window | null = null;
  private draggedMs: number | null = null;
  private still: ReturnType<typeof setTimeout> | undefined;

  constructor(page: MapPage) {
    this.clock = new TimeClock(page);
    const { pace } = page.store.view;
    const paces = PACES.map((each) => [each, `${each}×`] as const);
    this.pace = select('Pace of playing', paces, PACES.includes(pace) ? pace : PACE);
    this.slider = new Slider(this.traffic, { moved: (atMs, isEnd) => this.dragged(atMs, isEnd), key: (key) => this.sliderKey(key) });
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
    this.open(!this.clock.isLive);
    this.clock.listen(() => this.show());
  }

  private tick(): void {
    if (document.hidden) return;
    this.clock.follow();
    if (this.isOpen || !this.clock.isLive) this.show();
  }

  private build(): void {
    const step = (sign: number, label: string, text: string): HTMLElement =>
      named('step', label, text, () => this.clock.step(sign * Number(this.unit.value)));
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      const atMs = readInput(this.typed.value, this.isLocal);
      if (atMs !== null) this.clock.go(atMs);
    };
    const group = { class: 'row group' };
    const controls = element(
      'div',
      { class: 'row' },
      this.live,
      this.moment,
      named('close', 'Close the bar of time', '▾', () => this.open(false)),
      element('div', group, this.playing, this.pace),
      element('div', group, step(-1, 'A step back', '−'), this.unit, step(1, 'A step forth', '+')),
      element('form', { ...group, onsubmit }, this.typed, element('button', {}, 'Go')),
      this.span,
    );
    const back = named('back', 'Back to live', 'Live', () => this.clock.goLive());
    this.slot.append(
      element('div', { class: 'row closed' }, this.chip, back),
      element('section', { class: 'bar floating', 'aria-label': 'Time' }, controls, this.words, this.slider.element),
    );
    // The panels above the bar leave room for it.
    const stage = this.slot.parentElement!;
    new ResizeObserver(() => stage.style.setProperty('--time-height', `${this.slot.offsetHeight}px`)).observe(this.slot);
  }

  private open(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.slot.classList.toggle('open', isOpen);
    this.window = null;
    this.show();
  }

  private changeZone(): void {
    this.isLocal = !this.isLocal;
    this.typed.value = inputText(this.clock.atMs, this.isLocal);
    this.show();
  }

  private toggle(): void {
    if (this.clock.isLive || this.clock.isPlaying) this.clock.pause();
    else this.clock.play(Number(this.pace.value));
  }

  /** Shows everything as it is now. */
  private show(): void {
    const { clock, isLocal, traffic } = this;
    const { isLive, isPlaying, newestMs: nowMs } = clock;
    const atMs = this.draggedMs ?? clock.atMs;
    if (this.slot.dataset['state'] !== clock.word) this.slot.dataset['state'] = clock.word;
    const text = momentText(atMs, isLocal);
    setText(this.chip, isLive ? '● Live' : `${isPlaying ? '▶' : '❚❚'} ${text}`);
    this.chip.ariaLabel = `${this.chip.textContent}: open the bar of time`;
    setText(this.moment, text);
    this.live.setAttribute('aria-pressed', String(isLive));
    [this.playing.ariaLabel, this.playing.title] = isLive || isPlaying ? ['Pause', 'Pause'] : ['Play', 'Play'];
    setText(this.playing, isLive || isPlaying ? '❚❚' : '▶');
    const { firstMs } = traffic;
    const window = this.windowOf(atMs, firstMs ?? nowMs - DAY_MS, nowMs);
    const gap = isLive ? null : traffic.gapAt(atMs, stepOf(window));
    const { state, problem } = clock;
    setText(this.words, isLive ? 'now' : sourceText({ atMs, nowMs, isLocal, gap, firstMs, state, problem }));
    if (!this.isOpen) return;
    if (document.activeElement !== this.typed) this.typed.value = inputText(atMs, isLocal);
    this.slider.show({ window, atMs, nowMs, isLocal });
    void traffic.load(window);
  }

  /** The window stays while it is dragged, and while the time moves in it; at its edge, and when time advances, there is another. */
  private windowOf(atMs: number, firstMs: number, nowMs: number): Window {
    if (this.window !== null) {
      const { fromMs, toMs } = this.window;
      const edge = (toMs - fromMs) * EDGE;
      const isNear = atMs >= fromMs + (fromMs > firstMs ? edge : 0) && atMs <= toMs - (toMs < nowMs - edge ? edge : 0);
      const isPassed = this.clock.isLive && nowMs > toMs + edge / 4;
      if (this.draggedMs !== null || (isNear && !isPassed)) return this.window;
    }
    this.window = windowAt(this.span.value as SpanName, atMs, firstMs, nowMs);
    return this.window;
  }

  private dragged(atMs: number | null, isEnd: boolean): void {
    clearTimeout(this.still);
    this.draggedMs = isEnd ? null : (atMs ?? this.clock.newestMs);
    const go = (): void => (atMs === null ? this.clock.goLive() : this.clock.go(atMs, 0));
    if (isEnd) go();
    else this.still = setTimeout(go, STILL_MS);
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
    const { key } = event;
    const target = event.target as Element;
    if (event.ctrlKey || event.metaKey || event.altKey || target.matches('input, select, textarea, [contenteditable]')) return;
    const step = STEPS.find(({ keys }) => keys.split(' ').includes(key));
    if (step !== undefined) this.clock.step(step.keys.startsWith(key) ? -step.ms : step.ms);
    else if (key === 'r') this.clock.goLive();
    // A button has its own use of the space bar.
    else if (key === ' ' && !target.matches('button, a, summary')) this.toggle();
    else return;
    event.preventDefault();
  }
}
