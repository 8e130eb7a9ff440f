// On a phone the details, the table and the filters are sheets at the bottom: a handle drags them between three heights; from the keyboard it is a button.
import { byId, element } from '../page/parts.ts';

/** Parts of the stage's height. */
const HEIGHTS = [0.18, 0.5, 0.94] as const;
/** A press that moved less is a tap: the next height. */
const TAP_PIXELS = 6;

/** Puts a handle at the top of a panel. On wide pages the handle is not shown and the height is that of the style sheet. */
export function makeSheet(panel: HTMLElement): void {
  const handle = element('button', { type: 'button', class: 'handle', 'aria-label': 'Height of the panel' });
  panel.prepend(handle);
  let height = HEIGHTS[1] as number;
  const set = (next: number): void => {
    height = next;
    panel.style.setProperty('--sheet', String(Math.min(Math.max(next, HEIGHTS[0]), HEIGHTS[2])));
  };
  const nearest = (value: number): number =>
    HEIGHTS.reduce((best, each) => (Math.abs(each - value) < Math.abs(best - value) ? each : best));
  let start: { readonly y: number; readonly height: number } | null = null;
  let isTap = true;
  handle.addEventListener('pointerdown', (event) => {
    start = { y: event.clientY, height };
    isTap = true;
    handle.setPointerCapture(event.pointerId);
    panel.classList.add('dragged');
  });
  handle.addEventListener('pointermove', (event) => {
    if (start === null) return;
    if (Math.abs(event.clientY - start.y) > TAP_PIXELS) isTap = false;
    set(start.height + (start.y - event.clientY) / byId('stage').clientHeight);
  });
  const end = (): void => {
    if (start === null) return;
    start = null;
    panel.classList.remove('dragged');
    if (!isTap) set(nearest(height));
  };
  handle.addEventListener('pointerup', end);
  handle.addEventListener('pointercancel', end);
  handle.addEventListener('click', () => {
    if (isTap) set(HEIGHTS[(HEIGHTS.indexOf(nearest(height) as (typeof HEIGHTS)[number]) + 1) % HEIGHTS.length]!);
    isTap = true;
  });
  set(height);
}
