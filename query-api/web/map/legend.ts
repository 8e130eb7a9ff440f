// The legend, the scale and the sources of the base map, in a corner.
import { byId, element, NARROW } from '../page/parts.ts';
import { scaled, shown, type Units, unitOf } from '../page/units.ts';
import type { ColourKind } from '../page/view.ts';
import type { Camera } from './camera.ts';
import { cssColour, EMERGENCY, rampColour, scales, sources, UNKNOWN } from './colours.ts';
import type { MapPage, OpenPart } from './map-page.ts';
import { outlineName, outlinePath, pixels } from './outlines.ts';

const KEY = 'squitter-legend';
const STOPS = 12;
/** Pixels of the scale at most. */
const SCALE_PIXELS = 90;
/** As the graphics card draws them (map/aircraft-layer.ts). */
const states = [
  { name: 'heard', title: 'heard', about: 'in the last 6 seconds' },
  { name: 'reckoned', title: 'reckoned', about: 'not heard for up to 20 s: moved by its last speed' },
  { name: 'stale', title: 'stale', about: 'not heard for longer: it stays where it was' },
] as const;

export const openLegend: OpenPart = (page) => {
  const { store, map, onTheme } = page;
  const body = element('div', {});
  const legend = element('details', { class: 'floating', id: 'legend' }, element('summary', {}, 'Legend'), body);
  const kept = localStorage.getItem(KEY);
  legend.open = kept === null ? !matchMedia(NARROW).matches : kept === 'open';
  legend.addEventListener('toggle', () => localStorage.setItem(KEY, legend.open ? 'open' : 'closed'));
  const scale = element('span', { id: 'scale' });
  const attribution = element('span', {}, 'Natural Earth · GeoNames, CC BY 4.0');
  void page.settings.then(({ tiles }) => {
    if (tiles !== null) attribution.textContent = tiles.attribution;
  });
  byId('corner').append(legend, element('p', { id: 'attribution' }, scale, attribution));
  const write = (): void => {
    const { colour, trackColour, selected } = store.view;
    const ofTracks = selected.length > 0 && trackColour !== colour;
    body.replaceChildren(coloursOf(page, colour, ''), ...(ofTracks ? [coloursOf(page, trackColour, 'Tracks: ')] : []), statesOf());
  };
  store.listen((view, before) => {
    const isSame = (['colour', 'trackColour', 'units'] as const).every((name) => view[name] === before[name]);
    if (!isSame || view.selected.length > 0 !== before.selected.length > 0) write();
  });
  onTheme(write);
  let drawn = '';
  map.onDraw(() => {
    const { units } = store.view;
    const { length, distance } = scaleOf(map.camera, units);
    const text = `${distance} ${Math.round(length)}`;
    if (text === drawn) return;
    drawn = text;
    scale.textContent = distance;
    scale.style.setProperty('width', `${length}px`);
  });
};

/** The longest round distance that is short enough. */
export function scaleOf(camera: Pick<Camera, 'pixelsPerMetre'>, units: Units): { readonly length: number; readonly distance: string } {
  const pixelsPerUnit = (camera.pixelsPerMetre * 1852) / scaled(1, 'distance', units);
  const most = SCALE_PIXELS / pixelsPerUnit;
  const power = 10 ** Math.floor(Math.log10(most));
  const value = power * (most / power >= 5 ? 5 : most / power >= 2 ? 2 : 1);
  return { length: value * pixelsPerUnit, distance: `${Number(value.toPrecision(1))} ${unitOf('distance', units)}` };
}

function coloursOf({ store, isDark: dark }: MapPage, colour: ColourKind, of: string): HTMLElement {
  const { units } = store.view;
  const isDark = dark();
  const dot = (rgb: Parameters<typeof cssColour>[0]): HTMLElement => {
    const made = element('i', { class: 'dot' });
    made.style.setProperty('background', cssColour(rgb));
    return made;
  };
  if (colour === 'source')
    return element(
      'div',
      {},
      element('div', { class: 'quiet' }, `${of}Source`),
      element(
        'ul',
        { class: 'row' },
        ...sources.map((each) => element('li', {}, dot(each[isDark ? 'dark' : 'light']), each.title)),
        element('li', {}, dot(EMERGENCY), 'emergency'),
      ),
    );
  const { title, unit, from, to } = scales[colour];
  const bar = element('div', { class: 'ramp' });
  const stops = Array.from({ length: STOPS + 1 }, (_, i) => cssColour(rampColour(i / STOPS, isDark)));
  bar.style.setProperty('background', `linear-gradient(to right, ${stops.join()})`);
  const text = (value: number): string => (unit === 'dBFS' ? `${value} dBFS` : shown(value, unit, units));
  return element(
    'div',
    {},
    element('div', { class: 'quiet' }, `${of}${title}`),
    bar,
    element('div', { class: 'between' }, ...[from, (from + to) / 2, to].map((value) => element('span', {}, text(value)))),
    element(
      'ul',
      { class: 'row' },
      element('li', {}, dot(UNKNOWN), 'unknown'),
      of === '' ? element('li', {}, dot(EMERGENCY), 'emergency') : null,
    ),
  );
}

function statesOf(): HTMLElement {
  const airliner = pixels.findIndex((_, i) => outlineName(i) === 'airliner');
  return element(
    'ul',
    { class: 'row' },
    ...states.map(({ name, title, about }) => {
      const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
      const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
      icon.setAttribute('viewBox', '-56 -56 112 112');
      icon.setAttribute('aria-hidden', 'true');
      icon.classList.add('state', name);
      path.setAttribute('d', outlinePath(airliner));
      icon.append(path);
      return element('li', { title: about }, icon, title, element('span', { class: 'hidden' }, `: ${about}`));
    }),
  );
}
