// Runways that the operator imported, as wide as they are.

import type { OpenLayer } from '../map/map-page.ts';
import { FONT, namePaint, themed } from '../map/sources.ts';
import { serviceUrl } from '../page/parts.ts';

const FROM_ZOOM = 9;
/** Pixels per metre at zoom 18 and 50° of latitude; half as many for each zoom less. */
const PER_METRE = 5.2;
const width = (perMetre: number) => ['max', 1.5, ['*', perMetre, ['get', 'width']]];

export const runways: OpenLayer = () => ({
  ...{ name: 'runways', title: 'Runways' },
  drawings: [
    {
      source: 'runways',
      data: [[FROM_ZOOM, serviceUrl('map/runways.json').href]],
      layers: [
        {
          ...{ id: 'runways', type: 'line', minzoom: FROM_ZOOM },
          paint: {
            'line-color': themed('#8a939c', '#74859a'),
            'line-width': ['interpolate', ['exponential', 2], ['zoom'], 9, width(PER_METRE / 512), 18, width(PER_METRE)],
          },
        },
        {
          ...{ id: 'runway-names', type: 'symbol', minzoom: 12 },
          layout: { 'symbol-placement': 'line-center', 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 10 },
          paint: namePaint(themed('#3c4650', '#c3cfdb')),
        },
      ],
    },
  ],
});
