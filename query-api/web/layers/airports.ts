// Airports of the reference data, more of them as one zooms in. A click opens the board of one.
import type { MapLayerMouseEvent, Map as MapLibre } from 'maplibre-gl';
import { FONT } from '../map/base-map.ts';
import { serviceUrl } from '../page/parts.ts';
import type { OpenLayer } from './layer.ts';
import { draw, erase, namePaint } from './sources.ts';

/** Zoom from which a size is loaded and shown. */
const sizes = [
  { size: 'large', from: 5, pixels: 3.5 },
  { size: 'medium', from: 8, pixels: 3 },
  { size: 'small', from: 10, pixels: 2.5 },
] as const;
const NAMES_ZOOM = 10;
/** An aircraft so near has the click. */
const AIRCRAFT_PIXELS = 16;

export const airports: OpenLayer = ({ store, map: view, isDark }) => {
  let isHeard = false;
  const click = ({ point, features }: MapLayerMouseEvent): void => {
    const code = String(features?.[0]?.properties?.['code']);
    const isAircraft = (view.positions?.nearest(point.x, point.y, AIRCRAFT_PIXELS) ?? null) !== null;
    if (!isAircraft && /^\w{3,4}$/.test(code)) store.set({ airport: code });
  };
  const load = ({ target: map }: { readonly target: MapLibre }): void => {
    const colours = isDark() ? { text: '#aaa1f5', halo: '#131d27' } : { text: '#5446b8', halo: '#f5f4f0' };
    for (const { size, from, pixels } of sizes) {
      if (map.getZoom() < from || map.getSource(`airports-${size}`) !== undefined) continue;
      const code = ['coalesce', ['get', 'iata'], ['get', 'code']];
      draw(map, `airports-${size}`, serviceUrl(`map/airports-${size}.json`).href, [
        {
          ...{ id: `airports-${size}`, type: 'circle', minzoom: from },
          paint: {
            ...{ 'circle-radius': pixels, 'circle-color': colours.halo, 'circle-stroke-color': colours.text },
            'circle-stroke-width': 1.5,
          },
        },
        {
          ...{ id: `airport-names-${size}`, type: 'symbol', minzoom: from },
          layout: {
            ...{ 'text-font': FONT, 'text-size': 11, 'text-anchor': 'top', 'text-offset': [0, 0.5], 'text-max-width': 12 },
            'text-field': ['step', ['zoom'], code, NAMES_ZOOM, ['concat', code, '\n', ['get', 'name']]],
          },
          paint: namePaint(colours.text, isDark()),
        },
      ]);
    }
  };
  return {
    ...{ name: 'airports', title: 'Airports' },
    show(map) {
      load({ target: map });
      map.on('zoom', load);
      if (!isHeard) for (const { size } of sizes) map.on('click', `airports-${size}`, click);
      isHeard = true;
    },
    hide(map) {
      map.off('zoom', load);
      for (const { size } of sizes) erase(map, `airports-${size}`);
    },
  };
};
