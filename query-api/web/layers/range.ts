// How far the receiver heard aircraft in each direction in the last 24 hours, if its owner shows where it is.

import type { OpenLayer } from '../map/map-page.ts';
import { lineFeature, themed } from '../map/sources.ts';
import { getJson } from '../page/parts.ts';
import { unwrapped } from '../sky/mercator.ts';

type Outline = { readonly actualRange: { readonly last24h: { readonly points: readonly (readonly [lat: number, lon: number])[] } } };

export const range: OpenLayer = (_, { receiver }) =>
  receiver && {
    ...{ name: 'range', title: 'Measured range' },
    drawings: [
      {
        source: 'range',
        layers: [{ id: 'range', type: 'line', paint: { 'line-color': themed('#b45f06', '#e8a33d'), 'line-width': 1.5 } }],
      },
    ],
    script: {
      key: () => 'data/outline.json',
      async features(path, signal) {
        const { points } = (await getJson<Outline>(path, signal)).actualRange.last24h;
        return points.length < 2 ? [] : [lineFeature(unwrapped([...points, points[0]!].map(([lat, lon]) => [lon, lat])))];
      },
    },
  };
