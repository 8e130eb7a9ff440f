// The legend, the scale and the sources of the base map, in a corner.
import { drawn } from '../page/drawing.ts';
import { byId, element, isDark, NARROW } from '../page/parts.ts';
import { scaled, shown, type Units, unitOf } from '../page/units.ts';
import type { ColourKind } from '../page/view.ts';
import { cssColour, EMERGENCY, type Rgb, rampColour, scales, sources, UNKNOWN } from '../sky/colours.ts';
import { outlinePath } from '../sky/outlines.ts';
import type { Camera } from './camera.ts';
import type { OpenPart } from './map-page.ts';

const KEY = 'squitter-legend';
const STOPS = 12;
/** Pixels of the scale at most. */
const SCALE_PIXELS = 90;
/** The same colours as on the graphics card (map/aircraft-layer.ts). */
const states = [
  { name: 'heard', title: 'heard', about: 'in the last 6 seconds' },
  { name: 'reckoned', title: 'reckoned', about: 'not heard for up to 20 s: moved by its last speed' },
  { name: 'stale', title: 'stale', about: 'not heard for longer: it stays where it was' },
] as const;

export const openLegend: OpenPart = ({ store, map, settings, onTheme }) => {
  const body = element('div', {});
  const legend = element('details', { class: 'floating', id: 'legend' }, element('summary', {}, 'Legend'), body);
  const stored = localStorage.getItem(KEY);
  legend.open = stored === null ? !matchMedia(NARROW).matches : stored === 'open';
  legend.addEventListener('toggle', () => localStorage.setItem(KEY, legend.open ? 'open' : 'closed'));
  const scale = element('span', { id: 'scale' });
  const attribution = element('span', {}, 'Natural Earth · GeoNames, CC BY 4.0');
  void settings.then(({ tiles }) => {
    if (tiles !== null) attribution.textContent = tiles.attribution;
  });
  byId('corner').append(legend, element('p', { id: 'attribution' }, scale, attribution));
  let written = '';
  const write = (): void => {
    const { colour, trackColour, selected, units } = store.view;
    const kinds = selected.length > 0 && trackColour !== colour ? [colour, trackColour] : [colour];
    const text = JSON.stringify([kinds, units, isDark()]);
    if (text === written) return;
    written = text;
    body.replaceChildren(...kinds.map((kind, i) => coloursOf(kind, units, i > 0)), statesOf());
  };
  store.listen(write);
  onTheme(write);
  map.onDraw(() => {
    const { length, distance } = scaleOf(map.camera, store.view.units);
    if (scale.textContent !== distance) scale.textContent = distance;
    scale.style.setProperty('width', `${Math.round(length)}px`);
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

function coloursOf(kind: ColourKind, units: Units, isOfTracks: boolean): HTMLElement {
  const painted = (made: HTMLElement, background: string): HTMLElement => {
    made.style.setProperty('background', background);
    return made;
  };
  const row = (colour: Rgb, title: string): HTMLElement =>
    element('li', {}, painted(element('i', { class: 'dot' }), cssColour(colour)), title);
  const heading = (title: string): HTMLElement => element('div', { class: 'quiet' }, isOfTracks ? `Tracks: ${title}` : title);
  const emergency = isOfTracks ? null : row(EMERGENCY, 'emergency');
  if (kind === 'source') {
    const rows = sources.map((each) => row(each[isDark() ? 'dark' : 'light'], each.title));
    return element('div', {}, heading('Source'), element('ul', { class: 'row' }, ...rows, emergency));
  }
  const { title, unit, from, to } = scales[kind];
  const stops = Array.from({ length: STOPS + 1 }, (_, i) => cssColour(rampColour(i / STOPS, isDark())));
  const text = (value: number): string => (unit === 'dBFS' ? `${value} dBFS` : shown(value, unit, units));
  return element(
    'div',
    {},
    heading(title),
    painted(element('div', { class: 'ramp' }), `linear-gradient(to right, ${stops.join()})`),
    element('div', { class: 'between' }, ...[from, (from + to) / 2, to].map((value) => element('span', {}, text(value)))),
    element('ul', { class: 'row' }, row(UNKNOWN, 'unknown'), emergency),
  );
}

function statesOf(): HTMLElement {
  const icon = (name: string): SVGElement =>
    drawn(
      'svg',
      { viewBox: '-56 -56 112 112', 'aria-hidden': 'true', class: `state ${name}` },
      drawn('path', { d: outlinePath('airliner') }),
    );
  const rows = states.map(({ name, title, about }) =>
    element('li', { title: about }, icon(name), title, element('span', { class: 'hidden' }, `: ${about}`)),
  );
  return element('ul', { class: 'row' }, ...rows);
}
