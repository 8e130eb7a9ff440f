// Shortcuts of the page. `?` lists them.
import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import { colourKinds, labelKinds } from '../page/view.ts';
import { timeKeys } from '../time/time-bar.ts';

type Shortcut = readonly [keys: readonly string[], title: string, run: (page: MapPage) => void];
const next = <T>(values: readonly T[], value: T): T => values[(values.indexOf(value) + 1) % values.length]!;
const PAN_PIXELS = 120;
const pan = (key: string, title: string, x: number, y: number): Shortcut => [
  [key],
  title,
  ({ map }) => map.panBy(x * PAN_PIXELS, y * PAN_PIXELS),
];

const shortcuts: readonly Shortcut[] = [
  [['/'], 'search', () => document.getElementById('search')?.focus()],
  [['t'], 'table', ({ store }) => store.set({ table: !store.view.table })],
  [['+', '='], 'closer', ({ map }) => map.zoomBy(1)],
  [['-'], 'further', ({ map }) => map.zoomBy(-1)],
  pan('ArrowLeft', 'west', -1, 0),
  pan('ArrowRight', 'east', 1, 0),
  pan('ArrowUp', 'north', 0, -1),
  pan('ArrowDown', 'south', 0, 1),
  [['c'], 'next colours', ({ store }) => store.set({ colour: next(colourKinds, store.view.colour) })],
  [['l'], 'next labels', ({ store }) => store.set({ labels: next(labelKinds, store.view.labels) })],
  [
    ['f'],
    'follow the selected aircraft',
    ({ store: { view }, store }) => store.set({ follows: !view.follows && view.selected.length === 1 }),
  ],
  [['i'], 'only selected aircraft', ({ store: { view }, store }) => store.set({ isolated: !view.isolated && view.selected.length > 0 })],
  [['n'], 'select the nearest to the middle', selectMiddle],
  [['Escape'], 'close what is open', ({ store }) => store.set({ selected: [], isolated: false, follows: false, airport: '' })],
];

function selectMiddle({ store, map }: MapPage): void {
  const { width, height } = map.camera;
  const hex = map.aircraftAt(width / 2, height / 2, Math.max(width, height));
  if (hex !== null) store.set({ selected: [hex], follows: false });
}

export function openKeyboard(page: MapPage): void {
  const words = [...shortcuts.map(([keys, title]) => [keys[0]!, title] as const), ...timeKeys];
  const rows = words.flatMap(([key, title]) => [element('dt', {}, element('kbd', {}, key)), element('dd', {}, title)]);
  const dialog = element(
    'dialog',
    { id: 'shortcuts', class: 'floating', 'aria-label': 'Shortcuts' },
    element('h2', {}, 'Shortcuts'),
    element('dl', {}, ...rows),
    element('form', { method: 'dialog' }, element('button', {}, 'Close')),
  );
  document.body.append(dialog);
  addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open || target.closest('input, select, textarea, [role=slider]') !== null)
      return;
    // Arrows scroll what can be scrolled.
    if (event.key.startsWith('Arrow') && target.closest('.scroller, aside') !== null) return;
    if (event.key === '?') {
      dialog.showModal();
      return;
    }
    const shortcut = shortcuts.find(([keys]) => keys.includes(event.key));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut[2](page);
  });
}
