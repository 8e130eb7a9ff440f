// Airports of the reference data, more of them as one zooms in. A click opens the board of one.
import type { MapLayerMouseEvent } from 'maplibre-gl';
import type { OpenLayer } from '../map/map-page.ts';
import { FONT, namePaint, themed } from '../map/sources.ts';
import { serviceUrl } from '../page/parts.ts';

/** Zoom from which a size is loaded and shown. */
const sizes = [
  { size: 'large', from: 5, pixels: 3.5 },
  { size: 'medium', from: 8, pixels: 3 },
  { size: 'small', from: 10, pixels: 2.5 },
] as const;
const NAMES_ZOOM = 10;
/** An aircraft so near has the click. */
const AIRCRAFT_PIXELS = 16;
const [TEXT, HALO] = [themed('#5446b8', '#aaa1f5'), themed('#f5f4f0', '#131d27')];
const CODE = ['coalesce', ['get', 'iata'], ['get', 'code']];

export const airports: OpenLayer = ({ store, map }) => {
  const click = ({ point, features }: MapLayerMouseEvent): void => {
    const code = String(features?.[0]?.properties?.['code']);
    if (map.aircraftAt(point.x, point.y, AIRCRAFT_PIXELS) === null && /^\w{3,4}$/.test(code)) store.set({ airport: code });
  };
  const drawings = sizes.map(({ size, from, pixels }) => ({
    source: `airports-${size}`,
    data: [[from, serviceUrl(`map/airports-${size}.json`).href]] as const,
    layers: [
      {
        ...{ id: `airports-${size}`, type: 'circle', minzoom: from },
        paint: { 'circle-radius': pixels, 'circle-color': HALO, 'circle-stroke-color': TEXT, 'circle-stroke-width': 1.5 },
      },
      {
        ...{ id: `airport-names-${size}`, type: 'symbol', minzoom: from },
        layout: {
          ...{ 'text-font': FONT, 'text-size': 11, 'text-anchor': 'top', 'text-offset': [0, 0.5], 'text-max-width': 12 },
          'text-field': ['step', ['zoom'], CODE, NAMES_ZOOM, ['concat', CODE, '\n', ['get', 'name']]],
        },
        paint: namePaint(TEXT),
      },
    ],
  }));
  map.onBase((base) => {
    for (const { source } of drawings) base.on('click', source, click);
  });
  return { name: 'airports', title: 'Airports', drawings };
};
