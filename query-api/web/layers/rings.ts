// Range rings around me, or around the receiver if its owner shows it.

import type { OpenLayer } from '../map/map-page.ts';
import { FONT, lineFeature, namePaint, themed } from '../map/sources.ts';
import { scaled, type Units, unitOf } from '../page/units.ts';
import { type Position, pointAt, unwrapped } from '../sky/mercator.ts';

const STEPS = [50, 100, 150, 200, 250];
/** Degrees between points of a ring. */
const STEP_DEGREES = 3;

export const rings: OpenLayer = ({ store, me }, { receiver }) => ({
  name: 'rings',
  get title() {
    return me.position === null && receiver === null ? 'Range rings (need my position)' : 'Range rings';
  },
  drawings: [
    {
      source: 'rings',
      layers: [
        {
          ...{ id: 'rings', type: 'line', filter: ['==', ['geometry-type'], 'LineString'] },
          paint: { 'line-color': themed('#5d6b78', '#8fa3b8'), 'line-width': 1, 'line-opacity': 0.7 },
        },
        {
          ...{ id: 'ring-names', type: 'symbol', filter: ['==', ['geometry-type'], 'Point'] },
          layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 10 },
          paint: namePaint(themed('#4a5661', '#b6c4d2')),
        },
      ],
    },
  ],
  script: {
    key: () => JSON.stringify([me.position ?? receiver, store.view.units]),
    features: async (key) => ringsOf(...(JSON.parse(key) as [Position | null, Units])),
  },
});

function ringsOf(around: Position | null, units: Units): GeoJSON.Feature[] {
  if (around === null) return [];
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
