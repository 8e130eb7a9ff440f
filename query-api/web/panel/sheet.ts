// On a phone the details, the table and the filters are sheets at the bottom: a handle drags them between three heights; from the keyboard it is a button.
import { button, byId } from '../page/parts.ts';

/** Parts of the stage's height. */
const HEIGHTS: readonly [number, number, number] = [0.18, 0.5, 0.94];
/** A press that moved less is a tap: the next height. */
const TAP_PIXELS = 6;

/** Puts a handle at the top of a panel. On wide pages the handle is not shown and the height is that of the style sheet. */
export function makeSheet(panel: HTMLElement): void {
  let height: number = HEIGHTS[1];
  let start: { readonly y: number; readonly height: number } | null = null;
  let isTap = true;
  const set = (next: number): void => {
    height = Math.min(Math.max(next, HEIGHTS[0]), HEIGHTS[2]);
    panel.style.setProperty('--sheet', String(height));
  };
  /** The number of the nearest height. */
  const nearest = (): number =>
    HEIGHTS.reduce((best, each, n) => (Math.abs(each - height) < Math.abs(HEIGHTS[best]! - height) ? n : best), 0);
  const next = (): void => {
    if (isTap) set(HEIGHTS[(nearest() + 1) % HEIGHTS.length]!);
    isTap = true;
  };
  const handle = button(null, next, { class: 'handle', 'aria-label': 'Height of the panel' });
  panel.prepend(handle);
  handle.addEventListener('pointerdown', (event) => {
    [start, isTap] = [{ y: event.clientY, height }, true];
    handle.setPointerCapture(event.pointerId);
    panel.classList.add('dragged');
  });
  handle.addEventListener('pointermove', ({ clientY }) => {
    if (start === null) return;
    isTap &&= Math.abs(clientY - start.y) <= TAP_PIXELS;
    set(start.height + (start.y - clientY) / byId('stage').clientHeight);
  });
  const end = (): void => {
    if (start !== null && !isTap) set(HEIGHTS[nearest()]!);
    start = null;
    panel.classList.remove('dragged');
  };
  for (const name of ['pointerup', 'pointercancel'] as const) handle.addEventListener(name, end);
  set(height);
}
