// Runways that the operator imported, as wide as they are.
import { FONT } from '../map/base-map.ts';
import { serviceUrl } from '../page/parts.ts';
import type { OpenLayer } from './layer.ts';
import { draw, erase, namePaint } from './sources.ts';

const FROM_ZOOM = 9;
/** Pixels per metre at zoom 18 and 50° of latitude, and at zoom 9. */
const PER_METRE = 5.2;
const width = (perMetre: number) => ['max', 1.5, ['*', perMetre, ['get', 'width']]];

export const runways: OpenLayer = ({ isDark }) => {
  const load = ({ target: map }: { readonly target: Parameters<typeof draw>[0] }): void => {
    if (map.getZoom() < FROM_ZOOM || map.getSource('runways') !== undefined) return;
    const colour = isDark() ? '#74859a' : '#8a939c';
    draw(map, 'runways', serviceUrl('map/runways.json').href, [
      {
        ...{ id: 'runways', type: 'line', minzoom: FROM_ZOOM },
        paint: {
          'line-color': colour,
          'line-width': ['interpolate', ['exponential', 2], ['zoom'], 9, width(PER_METRE / 512), 18, width(PER_METRE)],
        },
      },
      {
        ...{ id: 'runway-names', type: 'symbol', minzoom: 12 },
        layout: { 'symbol-placement': 'line-center', 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 10 },
        paint: namePaint(isDark() ? '#c3cfdb' : '#3c4650', isDark()),
      },
    ]);
  };
  return {
    ...{ name: 'runways', title: 'Runways' },
    show(map) {
      load({ target: map });
      map.on('zoom', load);
    },
    hide(map) {
      map.off('zoom', load);
      erase(map, 'runways');
    },
  };
};
