// The buttons at the top right, and the settings of the map that one of them opens.
import { icon } from '../page/icons.ts';
import { byId, element } from '../page/parts.ts';
import { unitSystems } from '../page/units.ts';
import { colourKinds, labelKinds } from '../page/view.ts';
import type { MapLayer, MapPage, OpenPart } from './map-page.ts';

const ME_ZOOM = 8;
const unitNames = { aviation: 'ft, kt, nm', metric: 'm, km/h, km', imperial: 'ft, mph, mi' };
const labelNames = { auto: 'as they fit', all: 'all that fit', none: 'none' };
const colourNames = { altitude: 'altitude', speed: 'speed', source: 'source', signal: 'signal' };
const spans = { 1: 'the last hour', 24: 'a day', 168: 'a week', 720: '30 days' };

export const openSettings: OpenPart = (page) => {
  const { map, me } = page;
  const tools = byId('tools');
  const panel = element('section', { class: 'floating', id: 'settings', 'aria-label': 'Map settings', hidden: true });
  const button = (name: string, sign: Parameters<typeof icon>[0], onclick: () => void, more: object = {}): HTMLButtonElement =>
    element('button', { type: 'button', class: 'icon floating', 'aria-label': name, title: name, onclick, ...more }, icon(sign));
  const settings = button('Map settings', 'settings', () => void open(panel.hidden === true), {
    'aria-expanded': 'false',
    'aria-controls': 'settings',
  });
  const open = async (isOpen: boolean): Promise<void> => {
    if (isOpen) panel.replaceChildren(...contentOf(page, await page.layers, close));
    panel.hidden = !isOpen;
    settings.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) panel.querySelector('select')?.focus();
  };
  const close = (): void => {
    void open(false);
    settings.focus();
  };
  const goToMe = (): void => {
    if (me.position === null) me.locate();
    else map.moveTo({ ...me.position, zoom: Math.max(ME_ZOOM, map.camera.zoom) });
  };
  let hadPosition = me.position !== null;
  me.listen(() => {
    // A position that was just found is shown; one that was clicked is on the screen.
    if (!hadPosition && me.position !== null) goToMe();
    hadPosition = me.position !== null;
    if (!panel.hidden) void open(true);
  });
  tools.append(
    button('Zoom in', 'zoom-in', () => map.zoomBy(1)),
    button('Zoom out', 'zoom-out', () => map.zoomBy(-1)),
    button('My position', 'me', goToMe),
    settings,
    panel,
  );
  tools.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || panel.hidden) return;
    event.stopPropagation();
    close();
  });
  map.element.addEventListener('pointerdown', () => {
    if (!panel.hidden && !me.isAsking) void open(false);
  });
};

function contentOf({ store, me }: MapPage, layers: readonly MapLayer[], close: () => void): HTMLElement[] {
  const { view } = store;
  const names = <K extends string>(values: readonly K[], of: Readonly<Record<K, string>>) =>
    values.map((value) => [value, of[value]] as const);
  const density = element('div', {});
  const showDensity = (): void =>
    density.replaceChildren(
      ...(store.view.layers.includes('density')
        ? [
            choice('Density of', Object.entries(spans), String(store.view.densityHours), (hours) =>
              store.set({ densityHours: Number(hours) }),
            ),
            element('p', { class: 'quiet' }, 'Of all aircraft: filters do not apply to it.'),
          ]
        : []),
    );
  const signal = element('p', { class: 'quiet' }, 'Past signal is not kept: tracks have it from now on.');
  signal.hidden = view.trackColour !== 'signal';
  showDensity();
  return [
    element('button', { type: 'button', class: 'close', 'aria-label': 'Close', onclick: close }, '×'),
    element('h2', {}, 'Map settings'),
    choice('Colour by', names(colourKinds, colourNames), view.colour, (colour) => store.set({ colour })),
    choice('Tracks by', names(colourKinds, colourNames), view.trackColour, (trackColour) => {
      signal.hidden = trackColour !== 'signal';
      store.set({ trackColour });
    }),
    signal,
    choice('Labels', names(labelKinds, labelNames), view.labels, (labels) => store.set({ labels })),
    choice('Units', names(unitSystems, unitNames), view.units, (units) => store.set({ units })),
    element(
      'fieldset',
      {},
      element('legend', {}, 'Layers'),
      ...layers.map(({ name, title }) => {
        const onchange = (event: Event): void => {
          const others = store.view.layers.filter((each) => each !== name);
          store.set({ layers: (event.target as HTMLInputElement).checked ? [...others, name] : others });
          showDensity();
        };
        return element(
          'label',
          { class: 'check' },
          element('input', { type: 'checkbox', name, checked: view.layers.includes(name), onchange }),
          title,
        );
      }),
    ),
    density,
    element(
      'fieldset',
      {},
      element('legend', {}, 'My position'),
      element('button', { type: 'button', onclick: () => me.locate() }, 'From this device'),
      element('button', { type: 'button', onclick: () => me.ask(true) }, 'Click on the map'),
      ...(me.position === null ? [] : [element('button', { type: 'button', onclick: () => me.set(null) }, 'Remove')]),
      element('p', { class: 'quiet' }, 'It stays in this browser and is never sent.'),
    ),
  ];
}

function choice<K extends string>(
  title: string,
  values: readonly (readonly [value: K, name: string])[],
  current: K,
  change: (value: K) => void,
): HTMLElement {
  const select = element(
    'select',
    { onchange: () => change(select.value as K) },
    ...values.map(([value, name]) => element('option', { value, selected: value === current }, name)),
  );
  return element('label', { class: 'between' }, title, select);
}
