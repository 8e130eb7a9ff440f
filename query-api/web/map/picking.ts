// Aircraft below the pointer: a click or touch selects one, with Shift or Ctrl one more.
import { LIST_MAX } from '../page/view.ts';
import type { MapPage } from './map-page.ts';

/** CSS pixels around a finger, and around the pointer of a mouse. */
const TOUCH_PIXELS = 24;
const MOUSE_PIXELS = 16;
/** A pointer that moved further has dragged the map. */
const DRAG_PIXELS = 6;

export function openPicking({ store, map, me }: MapPage): void {
  const element = map.element;
  let pressed: { readonly x: number; readonly y: number } | null = null;
  const at = (event: PointerEvent): string | null => {
    const { left, top } = element.getBoundingClientRect();
    const within = event.pointerType === 'mouse' ? MOUSE_PIXELS : TOUCH_PIXELS;
    return map.aircraftAt(event.clientX - left, event.clientY - top, within);
  };
  element.addEventListener('pointerdown', (event) => {
    pressed = event.isPrimary && event.button === 0 && !me.isAsking ? { x: event.clientX, y: event.clientY } : null;
  });
  element.addEventListener('pointerup', (event) => {
    if (pressed === null || Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG_PIXELS) return;
    const hex = at(event);
    const { selected } = store.view;
    const isMore = event.shiftKey || event.ctrlKey || event.metaKey;
    if (hex === null) {
      if (!isMore && selected.length > 0) store.set({ selected: [], isolated: false, follows: false });
    } else if (!isMore) store.set({ selected: [hex], follows: false });
    else store.set({ selected: selected.includes(hex) ? selected.filter((each) => each !== hex) : [...selected, hex].slice(-LIST_MAX) });
  });
  element.addEventListener('pointermove', (event) => {
    if (event.pointerType === 'mouse' && event.buttons === 0) element.classList.toggle('over', at(event) !== null);
  });
}
