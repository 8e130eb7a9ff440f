// My position on the map, how it is asked for, and how far the selected aircraft is from it.
import type { MapMouseEvent } from 'maplibre-gl';
import { byId, element } from '../page/parts.ts';
import { shown } from '../page/units.ts';
import type { OpenPart } from './map-page.ts';
import { distanceAndBearing, xOf, yOf } from './mercator.ts';
import type { Position } from './my-position.ts';

const WINDS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** `23.4 nm, 245° SW`. */
export function fromMe(me: Position, to: Position, units: Parameters<typeof shown>[2]): string {
  const { distanceNm, bearing } = distanceAndBearing(me, to);
  return `${shown(distanceNm, 'distance', units)}, ${Math.round(bearing) % 360}° ${WINDS[Math.round(bearing / 45) % 8]}`;
}

export const openMe: OpenPart = ({ me, map, store, on }) => {
  const mark = element('div', { class: 'me-mark', hidden: true });
  byId('marks').append(mark);
  const asks = element(
    'p',
    { class: 'notice', id: 'me-ask', hidden: true },
    'Click or tap the map where you are. It stays in this browser. ',
    element('button', { type: 'button', onclick: () => me.ask(false) }, 'Cancel'),
  );
  byId('notices').append(asks);
  const distance = element('p', { id: 'from-me', class: 'chip', hidden: true });
  byId('corner').append(distance);
  me.listen(() => {
    asks.hidden = !me.isAsking;
    mark.hidden = me.position === null;
    map.request();
  });
  // MapLibre tells a click from a drag; picking leaves this one alone.
  const click = ({ lngLat }: MapMouseEvent): void => {
    if (me.isAsking) me.set({ lat: lngLat.lat, lon: lngLat.wrap().lng });
  };
  map.onStyle((base) => void base.on('click', click));
  map.onDraw(() => {
    if (me.position === null) return;
    const [x, y] = map.camera.screenOf(xOf(me.position.lon), yOf(me.position.lat));
    mark.style.setProperty('transform', `translate(${x}px, ${y}px)`);
  });
  on('details', ({ selected: [only, ...others] }) => {
    const hasPosition = only !== undefined && others.length === 0 && typeof only['lat'] === 'number' && typeof only['lon'] === 'number';
    distance.hidden = me.position === null || !hasPosition;
    if (me.position === null || !hasPosition) return;
    const to = { lat: only['lat'] as number, lon: only['lon'] as number };
    distance.textContent = `From me: ${fromMe(me.position, to, store.view.units)}`;
  });
};
