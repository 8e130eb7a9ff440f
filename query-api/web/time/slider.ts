// The slider through what is kept, drawn on a canvas: aircraft per step as bars, gaps hatched, the time as a line. It is dragged, and used from the keyboard.
import { colours } from '../page/drawing.ts';
import { element } from '../page/parts.ts';
import { DAY_MS, stepOf, type Traffic, type Window } from './traffic.ts';
import { dayText, momentText, timeText } from './words.ts';

const LABELS_PIXELS = 14;
/** Distances of labels, ms. */
const TICKS_MS = [1, 5, 10, 30, 60, 120, 240, 480, 1440, 2880, 10_080, 43_200].map((minutes) => minutes * 60_000);
const TICK_PIXELS = 64;
/** So close to its end the slider is at the present. */
const END_PIXELS = 6;

export interface SliderState {
  readonly window: Window;
  readonly atMs: number;
  readonly nowMs: number;
  readonly isLocal: boolean;
}
export interface SliderEvents {
  /** While it is dragged, and at the end. `atMs` is null at the present. */
  moved(atMs: number | null, isEnd: boolean): void;
  key(key: string): boolean;
}

const COLOURS = ['accent', 'quiet', 'ink', 'line'] as const;

export class Slider {
  readonly element: HTMLElement;
  private readonly canvas = element('canvas', { 'aria-hidden': 'true' });
  private readonly traffic: Traffic;
  private state: SliderState | null = null;
  private paints = colours(COLOURS);

  constructor(traffic: Traffic, events: SliderEvents) {
    this.traffic = traffic;
    this.element = element('div', { class: 'slider', role: 'slider', tabindex: 0, 'aria-label': 'Time' }, this.canvas);
    let isDragged = false;
    const move = (event: PointerEvent): void => {
      const isEnd = event.type === 'pointerup' || event.type === 'pointercancel';
      if (this.state === null || !isDragged) return;
      isDragged = !isEnd;
      const { window, nowMs } = this.state;
      const { left, width } = this.element.getBoundingClientRect();
      const x = Math.min(Math.max(event.clientX - left, 0), width);
      const isNow = x > width - END_PIXELS && window.toMs >= nowMs - 1000;
      events.moved(isNow ? null : 1000 * Math.floor((window.fromMs + (x / width) * (window.toMs - window.fromMs)) / 1000), isEnd);
    };
    this.element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      isDragged = true;
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    for (const name of ['pointermove', 'pointerup', 'pointercancel'] as const) this.element.addEventListener(name, move);
    this.element.addEventListener('keydown', (event) => {
      if (events.key(event.key)) event.preventDefault();
    });
    new ResizeObserver(() => this.draw()).observe(this.element);
    document.addEventListener('theme', () => {
      this.paints = colours(COLOURS);
      this.draw();
    });
  }

  show(state: SliderState): void {
    this.state = state;
    const { window, atMs, isLocal } = state;
    const values = { min: window.fromMs, max: window.toMs, now: atMs };
    for (const [name, ms] of Object.entries(values)) this.element.setAttribute(`aria-value${name}`, String(Math.round(ms / 1000)));
    this.element.setAttribute('aria-valuetext', momentText(atMs, isLocal));
    this.draw();
  }

  draw(): void {
    if (this.state === null) return;
    const { clientWidth: width, clientHeight: height } = this.element;
    const ratio = Math.min(devicePixelRatio, 2);
    [this.canvas.width, this.canvas.height] = [width * ratio, height * ratio];
    const context = this.canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    const { window, atMs } = this.state;
    const xOf = (ms: number): number => ((ms - window.fromMs) / (window.toMs - window.fromMs)) * width;
    this.drawBars(context, xOf, height - LABELS_PIXELS);
    context.fillStyle = this.paints.quiet;
    context.font = '11px system-ui, sans-serif';
    this.drawLabels(context, xOf, width, height - 2);
    context.fillStyle = this.paints.ink;
    const x = Math.min(Math.max(xOf(atMs), 1), width - 1);
    context.fillRect(x - 1, 0, 2, height - LABELS_PIXELS);
    context.beginPath();
    context.arc(x, height - LABELS_PIXELS, 5, 0, 2 * Math.PI);
    context.fill();
  }

  private drawBars(context: CanvasRenderingContext2D, xOf: (ms: number) => number, height: number): void {
    const { window, nowMs } = this.state!;
    const stepMs = stepOf(window);
    const { firstMs } = this.traffic;
    const steps: { readonly from: number; readonly to: number; readonly count: number }[] = [];
    for (let ms = Math.floor(window.fromMs / stepMs) * stepMs; ms < Math.min(window.toMs, nowMs); ms += stepMs) {
      const count = this.traffic.count(ms, stepMs);
      if (count !== undefined && ms + stepMs > (firstMs ?? 0)) steps.push({ from: xOf(ms), to: xOf(ms + stepMs), count });
    }
    const most = Math.max(1, ...steps.map(({ count }) => count || 0));
    [context.fillStyle, context.strokeStyle] = [this.paints.accent, this.paints.line];
    // A gap is hatched, so that it differs from few aircraft without colour, too.
    context.beginPath();
    for (const { from, to, count } of steps) {
      const tall = Math.max(1, (count / most) * (height - 4));
      context.globalAlpha = 0.45;
      if (!Number.isNaN(count)) context.fillRect(from, height - tall, Math.max(to - from - 0.5, 0.5), tall);
      else
        for (let x = Math.ceil(from / 6) * 6; x < to; x += 6) {
          context.moveTo(x, height);
          context.lineTo(x + 6, 0);
        }
    }
    context.globalAlpha = 1;
    context.stroke();
    context.fillStyle = this.paints.line;
    context.fillRect(0, height - 1, xOf(window.toMs), 1);
  }

  private drawLabels(context: CanvasRenderingContext2D, xOf: (ms: number) => number, width: number, y: number): void {
    const { window, isLocal } = this.state!;
    const msPerPixel = (window.toMs - window.fromMs) / width;
    const tickMs = TICKS_MS.find((each) => each / msPerPixel >= TICK_PIXELS) ?? TICKS_MS.at(-1)!;
    const shiftMs = isLocal ? new Date(window.toMs).getTimezoneOffset() * 60_000 : 0;
    context.textAlign = 'center';
    for (let ms = Math.ceil((window.fromMs - shiftMs) / tickMs) * tickMs + shiftMs; ms < window.toMs; ms += tickMs) {
      const isDay = tickMs >= DAY_MS || (ms - shiftMs) % DAY_MS === 0;
      const x = xOf(ms);
      if (x > 20 && x < width - 20) context.fillText(isDay ? dayText(ms, isLocal) : timeText(ms, isLocal), x, y);
    }
  }
}
