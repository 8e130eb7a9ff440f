// The buttons at the top right, and the settings of the map that one of them opens.
import { icon } from '../page/icons.ts';
import { button, byId, element } from '../page/parts.ts';
import type { View } from '../page/view.ts';
import type { MapLayer, MapPage, OpenPart } from './map-page.ts';

const ME_ZOOM = 8;
const colours = { altitude: 'altitude', speed: 'speed', source: 'source', signal: 'signal' };
const labels = { auto: 'as they fit', all: 'all that fit', none: 'none' };
const units = { aviation: 'ft, kt, nm', metric: 'm, km/h, km', imperial: 'ft, mph, mi' };
const spans = { 1: 'the last hour', 24: 'a day', 168: 'a week', 720: '30 days' };

export const openSettings: OpenPart = (page) => {
  const { map, me } = page;
  const tools = byId('tools');
  const panel = element('section', { class: 'floating', id: 'settings', 'aria-label': 'Map settings', hidden: true });
  const tool = (name: string, sign: Parameters<typeof icon>[0], onclick: () => void): HTMLButtonElement =>
    button(icon(sign), onclick, { class: 'icon floating', 'aria-label': name, title: name });
  const opener = tool('Map settings', 'settings', () => void open(panel.hidden === true));
  opener.setAttribute('aria-controls', 'settings');
  opener.ariaExpanded = 'false';
  const open = async (isOpen: boolean): Promise<void> => {
    if (isOpen) panel.replaceChildren(contentOf(page, await page.layers, close));
    panel.hidden = !isOpen;
    opener.ariaExpanded = String(isOpen);
    if (isOpen) panel.querySelector('select')?.focus();
  };
  const close = (): void => {
    void open(false);
    opener.focus();
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
    tool('Zoom in', 'zoom-in', () => map.zoomBy(1)),
    tool('Zoom out', 'zoom-out', () => map.zoomBy(-1)),
    tool('My position', 'me', goToMe),
    opener,
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

function contentOf({ store, me }: MapPage, layers: readonly MapLayer[], close: () => void): HTMLElement {
  const quiet = (text: string): HTMLElement => element('p', { class: 'quiet' }, text);
  const choice = (member: keyof View, title: string, values: Readonly<Record<string, string>>): HTMLElement => {
    const current = store.view[member];
    const options = Object.entries(values).map(([value, name]) => element('option', { value, selected: value === String(current) }, name));
    const onchange = (): void => store.set({ [member]: typeof current === 'number' ? Number(select.value) : select.value });
    const select = element('select', { onchange }, ...options);
    return element('label', { class: 'between' }, title, select);
  };
  const checks = layers.map(({ name, title }) => {
    const onchange = (): void => {
      const others = store.view.layers.filter((each) => each !== name);
      store.set({ layers: check.checked ? [...others, name] : others });
    };
    const check = element('input', { type: 'checkbox', name, checked: store.view.layers.includes(name), onchange });
    return element('label', { class: 'check' }, check, title);
  });
  const closer = button('×', close, { class: 'close', 'aria-label': 'Close' });
  const ofDensity = [choice('densityHours', 'Density of', spans), quiet('Of all aircraft: filters do not apply to it.')];
  const content = element(
    'div',
    {},
    closer,
    element('h2', {}, 'Map settings'),
    choice('colour', 'Colour by', colours),
    choice('trackColour', 'Tracks by', colours),
    choice('labels', 'Labels', labels),
    choice('units', 'Units', units),
    element('fieldset', {}, element('legend', {}, 'Layers'), ...checks),
    ...ofDensity,
    element(
      'fieldset',
      {},
      element('legend', {}, 'My position'),
      button('From this device', () => me.locate()),
      button('Click on the map', () => me.ask(true)),
      me.position === null ? null : button('Remove', () => me.set(null)),
      quiet('It stays in this browser and is never sent.'),
    ),
  );
  /** The note of a choice is shown with it. */
  const follow = (): void => {
    for (const each of ofDensity) each.hidden = !store.view.layers.includes('density');
  };
  content.addEventListener('change', follow);
  follow();
  return content;
}
