// Range rings around me, or around the receiver if its owner shows it.
import { FONT } from '../map/base-map.ts';
import { pointAt, unwrapped } from '../map/mercator.ts';
import type { Position } from '../map/my-position.ts';
import { scaled, type Units, unitOf } from '../page/units.ts';
import type { OpenLayer } from './layer.ts';
import { collectionOf, draw, erase, lineFeature, namePaint } from './sources.ts';

const STEPS = [50, 100, 150, 200, 250];
/** Degrees between points of a ring. */
const STEP_DEGREES = 3;

export const rings: OpenLayer = ({ store, me, map: view, isDark }, { receiver }) => {
  let isShown = false;
  const show = (map: Parameters<typeof draw>[0]): void => {
    isShown = true;
    const around = me.position ?? receiver;
    draw(map, 'rings', collectionOf(around === null ? [] : ringsOf(around, store.view.units)), [
      {
        ...{ id: 'rings', type: 'line', filter: ['==', ['geometry-type'], 'LineString'] },
        paint: { 'line-color': isDark() ? '#8fa3b8' : '#5d6b78', 'line-width': 1, 'line-opacity': 0.7 },
      },
      {
        ...{ id: 'ring-names', type: 'symbol', filter: ['==', ['geometry-type'], 'Point'] },
        layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 10 },
        paint: namePaint(isDark() ? '#b6c4d2' : '#4a5661', isDark()),
      },
    ]);
  };
  const again = (): void => {
    if (isShown && view.baseMap !== null) show(view.baseMap.map);
  };
  me.listen(again);
  store.listen(({ units }, before) => {
    if (units !== before.units) again();
  });
  return {
    name: 'rings',
    get title() {
      return me.position === null && receiver === null ? 'Range rings (need my position)' : 'Range rings';
    },
    show,
    hide(map) {
      isShown = false;
      erase(map, 'rings');
    },
  };
};

function ringsOf(around: Position, units: Units): GeoJSON.Feature[] {
  return STEPS.flatMap((step) => {
    const distanceNm = step / scaled(1, 'distance', units);
    const bearings = Array.from({ length: 360 / STEP_DEGREES + 1 }, (_, i) => i * STEP_DEGREES);
    return [
      lineFeature(unwrapped(bearings.map((bearing) => pointAt(around, distanceNm, bearing)))),
      {
        type: 'Feature',
        properties: { name: `${step} ${unitOf('distance', units)}` },
        geometry: { type: 'Point', coordinates: pointAt(around, distanceNm, 0) },
      },
    ];
  });
}
