// The side of the map, a sheet on phones: the panel of the selected aircraft and the board of an airport. If both are open, the one that was opened last is in
// front, and a button leads to the other.
import type { MapPage } from '../map/map-page.ts';
import { button, byId, element, setHidden, setText } from '../page/parts.ts';
import { openAircraftPanel } from './aircraft-panel.ts';
import { openBoard } from './board.ts';
import type { Panel } from './panel.ts';

/** A sheet that covers a larger part of the map leaves too little to look at. */
const COVERED_PART_MAX = 0.7;

export function openSide(page: MapPage): void {
  const { store, map } = page;
  const side = byId('side');
  const panels = [openAircraftPanel(page), openBoard(page)].map((panel) => ({ panel, tab: button('', () => show(panel)) }));
  const close = button('×', () => front?.close(), { class: 'close', 'aria-label': 'Close', title: 'Close (Esc)' });
  const announced = element('p', { class: 'hidden', role: 'status' });
  const body = element('div', { class: 'panel-body', tabindex: -1 }, ...panels.map(({ panel }) => panel.element));
  side.append(element('div', { class: 'panel-bar row' }, ...panels.map(({ tab }) => tab), close), body);
  side.after(announced);
  // A sheet as wide as the map covers its lower part.
  map.coveredPixels = () => {
    const { width, height } = map.camera;
    return side.hidden || side.offsetWidth < width || side.offsetHeight > COVERED_PART_MAX * height ? 0 : side.offsetHeight;
  };
  let front: Panel | null = null;
  let opener: Element | null = null;

  const titles = (): void => {
    const isSeveral = panels.every(({ panel }) => panel.key(store.view) !== '');
    for (const { panel, tab } of panels) {
      setHidden(tab, !isSeveral);
      setText(tab, panel.title(store.view));
    }
    setText(announced, front === null ? '' : `Details: ${front.title(store.view)}`);
  };
  const show = (shown: Panel | null): void => {
    const focused = document.activeElement;
    if (front === null) opener = focused;
    const losesFocus = shown !== front && front?.element.contains(focused) === true;
    const hadFocus = side.contains(focused);
    front = shown;
    for (const { panel, tab } of panels) {
      setHidden(panel.element, panel !== shown);
      tab.setAttribute('aria-pressed', String(panel === shown));
    }
    setHidden(side, shown === null);
    titles();
    if (shown === null) {
      const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
      if (hadFocus) (isThere ? (opener as HTMLElement) : map.element.querySelector('canvas'))?.focus();
      return;
    }
    body.scrollTop = 0;
    if (losesFocus) body.focus();
  };

  addEventListener('keydown', (event) => {
    const isInField = event.target instanceof HTMLInputElement && !side.contains(event.target);
    const isOurs = event.key === 'Escape' && !event.defaultPrevented && !isInField && document.querySelector('dialog[open]') === null;
    if (!isOurs || front === null) return;
    event.preventDefault();
    front.close();
  });
  page.on('details', titles);
  store.listen((view, before) => {
    const open = panels.map(({ panel }) => panel).filter((panel) => panel.key(view) !== '');
    const changed = open.find((panel) => panel.key(view) !== panel.key(before));
    const next = changed ?? (front !== null && open.includes(front) ? front : (open[0] ?? null));
    if (next !== front || changed !== undefined || view === before) show(next);
    else titles();
    const hex = view.selected.at(-1);
    if (hex !== undefined && hex !== before.selected.at(-1)) map.uncover(hex);
  });
}
