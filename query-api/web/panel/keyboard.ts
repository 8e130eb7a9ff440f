// Shortcuts of the page. `?` lists them.

import type { MapPage } from '../map/map-page.ts';
import { element } from '../page/parts.ts';
import { colourKinds, labelKinds } from '../page/view.ts';
import { timeKeys } from '../time/time-bar.ts';

interface Shortcut {
  readonly keys: readonly string[];
  readonly title: string;
  readonly run: (page: MapPage) => void;
}
const next = <T>(values: readonly T[], value: T): T => values[(values.indexOf(value) + 1) % values.length]!;
const PAN_PIXELS = 120;
const pan = (key: string, title: string, x: number, y: number): Shortcut => ({
  ...{ keys: [key], title },
  run: ({ map }) => map.panBy(x * PAN_PIXELS, y * PAN_PIXELS),
});

const shortcuts: readonly Shortcut[] = [
  { keys: ['/'], title: 'search', run: () => document.getElementById('search')?.focus() },
  { keys: ['t'], title: 'table', run: ({ store }) => store.set({ table: !store.view.table }) },
  { keys: ['+', '='], title: 'closer', run: ({ map }) => map.zoomBy(1) },
  { keys: ['-'], title: 'further', run: ({ map }) => map.zoomBy(-1) },
  pan('ArrowLeft', 'west', -1, 0),
  pan('ArrowRight', 'east', 1, 0),
  pan('ArrowUp', 'north', 0, -1),
  pan('ArrowDown', 'south', 0, 1),
  { keys: ['c'], title: 'next colours', run: ({ store }) => store.set({ colour: next(colourKinds, store.view.colour) }) },
  { keys: ['l'], title: 'next labels', run: ({ store }) => store.set({ labels: next(labelKinds, store.view.labels) }) },
  {
    keys: ['f'],
    title: 'follow the selected aircraft',
    run: ({ store }) => store.set({ follows: !store.view.follows && store.view.selected.length === 1 }),
  },
  {
    keys: ['i'],
    title: 'only selected aircraft',
    run: ({ store }) => store.set({ isolated: !store.view.isolated && store.view.selected.length > 0 }),
  },
  { keys: ['n'], title: 'select the nearest to the middle', run: selectMiddle },
  {
    keys: ['Escape'],
    title: 'close what is open',
    run: ({ store }) => store.set({ selected: [], isolated: false, follows: false, airport: '' }),
  },
];

function selectMiddle({ store, map }: MapPage): void {
  const { width, height } = map.camera;
  const hex = map.aircraftAt(width / 2, height / 2, Math.max(width, height));
  if (hex !== null) store.set({ selected: [hex], follows: false });
}

export function openKeyboard(page: MapPage): void {
  const dialog = element(
    'dialog',
    { id: 'shortcuts', class: 'floating', 'aria-label': 'Shortcuts' },
    element('h2', {}, 'Shortcuts'),
    element(
      'dl',
      {},
      ...[...shortcuts.map(({ keys, title }) => [keys[0]!, title] as const), ...timeKeys].flatMap(([key, title]) => [
        element('dt', {}, element('kbd', {}, key)),
        element('dd', {}, title),
      ]),
    ),
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
    const shortcut = shortcuts.find(({ keys }) => keys.includes(event.key));
    if (shortcut === undefined) return;
    event.preventDefault();
    shortcut.run(page);
  });
}
