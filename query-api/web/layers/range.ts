// How far the receiver heard aircraft in each direction in the last 24 hours, if its owner shows where it is.
import { unwrapped } from '../map/mercator.ts';
import { getJson } from '../page/parts.ts';
import type { OpenLayer } from './layer.ts';
import { collectionOf, draw, erase, lineFeature, NONE } from './sources.ts';

type Outline = { readonly actualRange: { readonly last24h: { readonly points: readonly (readonly [lat: number, lon: number])[] } } };

export const range: OpenLayer = ({ isDark }, { receiver }) => {
  if (receiver === null) return null;
  return {
    ...{ name: 'range', title: 'Measured range' },
    async show(map) {
      draw(map, 'range', NONE, [
        { id: 'range', type: 'line', paint: { 'line-color': isDark() ? '#e8a33d' : '#b45f06', 'line-width': 1.5 } },
      ]);
      const { points } = (await getJson<Outline>('data/outline.json').catch(() => null))?.actualRange.last24h ?? { points: [] };
      if (points.length < 2 || map.getSource('range') === undefined) return;
      const line = [...points, points[0]!].map(([lat, lon]) => [lon, lat] as const);
      draw(map, 'range', collectionOf([lineFeature(unwrapped(line))]), []);
    },
    hide: (map) => erase(map, 'range'),
  };
};
