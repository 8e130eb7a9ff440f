// The side of the map, a sheet on phones: the panel of the selected aircraft and the board of an airport. If both are open, the one that was opened last is in
// front, and a button leads to the other.
import type { MapPage } from '../map/map-page.ts';
import { byId, element } from '../page/parts.ts';
import { openAircraftPanel } from './aircraft-panel.ts';
import { openBoard } from './board.ts';
import { setHidden, setText } from './lists.ts';
import type { Panel } from './panel.ts';

export function openSide(page: MapPage): void {
  const { store, map } = page;
  const side = byId('side');
  const panels = [openAircraftPanel(page), openBoard(page)];
  const tabs = panels.map((panel) => element('button', { type: 'button', onclick: () => show(panel) }));
  const close = element(
    'button',
    { type: 'button', class: 'close', 'aria-label': 'Close', title: 'Close (Esc)', onclick: () => hide() },
    '×',
  );
  const announced = element('p', { class: 'hidden', role: 'status' });
  const body = element('div', { class: 'panel-body', tabindex: -1 });
  body.append(...panels.map((panel) => panel.element));
  side.append(element('div', { class: 'panel-bar row' }, ...tabs, close), body);
  side.after(announced);
  let front: Panel | null = null;
  let opener: Element | null = null;

  const titles = (): void => {
    const isSeveral = panels.every((panel) => panel.key(store.view) !== '');
    for (const [n, panel] of panels.entries()) {
      setHidden(tabs[n]!, !isSeveral);
      if (isSeveral) setText(tabs[n]!, panel.title(store.view));
    }
    setText(announced, front === null ? '' : `Details: ${front.title(store.view)}`);
  };
  const show = (panel: Panel | null): void => {
    if (front === null && panel !== null) opener = document.activeElement;
    const hadFocus = side.contains(document.activeElement);
    const losesFocus = panel !== front && (front?.element.contains(document.activeElement) ?? false);
    front = panel;
    for (const [n, each] of panels.entries()) {
      setHidden(each.element, each !== panel);
      tabs[n]!.setAttribute('aria-pressed', String(each === panel));
    }
    setHidden(side, panel === null);
    titles();
    if (panel !== null) body.scrollTop = 0;
    if (panel !== null && losesFocus) body.focus();
    if (panel === null && hadFocus) focusBack();
  };
  const focusBack = (): void => {
    const isThere = opener instanceof HTMLElement && opener.isConnected && opener !== document.body;
    (isThere ? (opener as HTMLElement) : map.element.querySelector('canvas'))?.focus();
  };
  const hide = (): void => front?.close();

  addEventListener('keydown', (event) => {
    const isInField = event.target instanceof HTMLInputElement && !side.contains(event.target);
    if (event.key !== 'Escape' || event.defaultPrevented || front === null || isInField || document.querySelector('dialog[open]') !== null)
      return;
    event.preventDefault();
    hide();
  });
  page.on('details', titles);
  store.listen((view, before) => {
    const open = panels.filter((panel) => panel.key(view) !== '');
    const changed = open.find((panel) => panel.key(view) !== panel.key(before));
    const next = changed ?? (front !== null && open.includes(front) ? front : (open[0] ?? null));
    if (next !== front || changed !== undefined || (view === before && next !== null)) show(next);
    else titles();
  });
}
