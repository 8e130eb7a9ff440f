// How many positions each cell had in a span: where aircraft fly, with the filters of the map.

import type { OpenLayer } from '../map/map-page.ts';
import { themed } from '../map/sources.ts';
import { getJson } from '../page/parts.ts';
import type { View } from '../page/view.ts';
import { cssColour, rampColour } from '../sky/colours.ts';
import { parametersOf } from '../sky/filters.ts';
import type { Box } from '../sky/picture.ts';

interface Density {
  readonly cell: number;
  readonly cells: readonly { readonly lat: number; readonly lon: number; readonly positions: number }[];
}
/** Sizes of cells that the service has, degrees, and cells of the screen at most. */
const SIZES = [0.1, 0.2, 0.5, 1, 2, 5];
const CELLS_MAX = 6000;
const HOUR_MS = 3_600_000;
/** The span ends at a multiple of this part of it, so that it is requested again as time passes. */
const SPAN_PART = 24;
const STOPS = [0, 0.25, 0.5, 0.75, 1];

const ramp = (isDark: boolean) => STOPS.flatMap((part) => [part, cssColour(rampColour(1 - part, isDark))]);

export const density: OpenLayer = ({ store, map }, { hasHistory }) => {
  if (!hasHistory) return null;
  return {
    ...{ name: 'density', title: 'Density' },
    drawings: [
      {
        source: 'density',
        layers: [
          {
            ...{ id: 'density', type: 'fill' },
            paint: {
              'fill-color': themed(
                ['interpolate', ['linear'], ['get', 'part'], ...ramp(false)],
                ['interpolate', ['linear'], ['get', 'part'], ...ramp(true)],
              ),
              ...{ 'fill-opacity': 0.5, 'fill-antialias': false },
            },
          },
        ],
      },
    ],
    script: {
      key: () => pathOf(map.camera.box, store.view),
      features: async (path, signal) => squares(await getJson<Density>(path, signal)),
    },
  };
};

/** The box in view with cells of the smallest size that are not too many. */
function pathOf({ south, west, north, east }: Box, { densityHours, atMs, filters }: View): string {
  const width = east >= west ? east - west : east - west + 360;
  const cell = SIZES.find((size) => (width / size) * ((north - south) / size) <= CELLS_MAX) ?? SIZES.at(-1)!;
  const [spanMs, stepMs] = [densityHours * HOUR_MS, (densityHours * HOUR_MS) / SPAN_PART];
  const to = Math.ceil((atMs ?? Date.now()) / stepMs) * stepMs;
  const query = new URLSearchParams({
    ...{ min_lat: south.toFixed(3), max_lat: north.toFixed(3), min_lon: west.toFixed(3), max_lon: east.toFixed(3), cell: String(cell) },
    ...{ from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString(), ...parametersOf(filters) },
  });
  return `v2/area/density?${query}`;
}

/** Squares with their part of the most positions, by the logarithm. */
function squares({ cell, cells }: Density): GeoJSON.Feature[] {
  const most = Math.log(1 + Math.max(1, ...cells.map(({ positions }) => positions)));
  return cells.map(({ lat, lon, positions }) => ({
    type: 'Feature',
    properties: { part: Math.log(1 + positions) / most },
    geometry: {
      type: 'Polygon',
      coordinates: [[[lon, lat], [lon + cell, lat], [lon + cell, lat + cell], [lon, lat + cell], [lon, lat]]], // biome-ignore format: a square
    },
  }));
}
