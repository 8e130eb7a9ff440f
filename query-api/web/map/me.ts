// My position on the map, how it is asked for, and how far the selected aircraft is from it.
import { byId, element } from '../page/parts.ts';
import { shown } from '../page/units.ts';
import { distanceAndBearing, type Position, xOf, yOf } from '../sky/mercator.ts';
import { positionOf } from '../sky/values.ts';
import type { OpenPart } from './map-page.ts';

const WINDS = ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'];

/** `23.4 nm, 245° SW`. */
export function fromMe(me: Position, to: Position, units: Parameters<typeof shown>[2]): string {
  const { distanceNm, bearing } = distanceAndBearing(me, to);
  return `${shown(distanceNm, 'distance', units)}, ${Math.round(bearing) % 360}° ${WINDS[Math.round(bearing / 45) % 8]}`;
}

export const openMe: OpenPart = ({ me, map, store, on }) => {
  const mark = element('div', { class: 'me-mark' });
  const question = element(
    'p',
    { class: 'notice', id: 'me-ask' },
    'Click or tap the map where you are. It stays in this browser. ',
    element('button', { type: 'button', onclick: () => me.ask(false) }, 'Cancel'),
  );
  const distance = element('p', { id: 'from-me', class: 'chip', hidden: true });
  byId('marks').append(mark);
  byId('notices').append(question);
  byId('corner').append(distance);
  me.listen(() => {
    question.hidden = !me.isAsking;
    mark.hidden = me.position === null;
    map.request();
  });
  // MapLibre distinguishes a click from a drag; picking leaves this one alone.
  map.onBase((base) => {
    base.on('click', ({ lngLat }) => {
      if (me.isAsking) me.set({ lat: lngLat.lat, lon: lngLat.wrap().lng });
    });
  });
  map.onDraw(() => {
    if (me.position === null) return;
    const [x, y] = map.camera.screenOf(xOf(me.position.lon), yOf(me.position.lat));
    mark.style.setProperty('transform', `translate(${x}px, ${y}px)`);
  });
  on('details', ({ selected: [only, ...others] }) => {
    const to = only && others.length === 0 ? positionOf(only) : undefined;
    distance.hidden = me.position === null || to === undefined;
    if (me.position !== null && to !== undefined) distance.textContent = `From me: ${fromMe(me.position, to, store.view.units)}`;
  });
};
