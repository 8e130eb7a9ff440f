// The base map: MapLibre draws land, water, borders and names from files of this service. Each file is loaded when the zoom needs it.
import type { Map as MapLibre, StyleSpecification } from 'maplibre-gl';
import { type Drawing, draw, FONT, NAMES_LAYER, namePaint, themed } from './sources.ts';

const colours = {
  water: themed('#cfdfe9', '#0a1420'),
  land: themed('#f5f4f0', '#182430'),
  border: themed('#c3b9ad', '#34424f'),
  river: themed('#b9d2e1', '#12283b'),
  country: themed('#7d8791', '#6d7b88'),
  city: themed('#5f6973', '#8796a4'),
  halo: themed('#f5f4f0', '#131d27'),
};
/** Zooms from which a level of coasts and borders is loaded. */
const LEVELS = [
  [0, '110m'],
  [3, '50m'],
  [6, '10m'],
] as const;

/** Tiles of the operator, in the place of coasts. */
export interface TileSource {
  readonly url: string;
  readonly attribution: string;
}

/** From the lowest to the highest. `files`: the folder of the page's files. */
export function drawings(files: URL, zoom: number): Drawing[] {
  // The coasts of the coarsest level have few corners: a map that opens near begins with the next one.
  const worthwhile = zoom < LEVELS[1][0] ? LEVELS : LEVELS.slice(1);
  const levels = (part: string) => worthwhile.map(([from, level]) => [from, `base://countries-${level}/${part}`] as const);
  const file = (name: string, from: number) => [[from, new URL(`${name}.json`, files).href]] as const;
  const names = (name: string, [minzoom, maxzoom]: readonly [number, number], colour: unknown, rank: string, layout: object): Drawing => ({
    ...{ source: name, data: file(name, minzoom) },
    layers: [
      {
        ...{ id: name, type: 'symbol', minzoom, maxzoom, paint: namePaint(colour, colours.halo) },
        layout: {
          ...{ 'text-field': ['get', 'name'], 'text-font': FONT, 'text-padding': 6 },
          ...{ 'symbol-sort-key': ['-', 0, ['get', rank]], ...layout },
        },
      },
    ],
  });
  const capitals = { 'text-size': 11, 'text-letter-spacing': 0.08, 'text-transform': 'uppercase', 'text-max-width': 7 };
  const pixelsByPeople = ['interpolate', ['linear'], ['log10', ['get', 'people']], 5, 10, 7, 14];
  return [
    { source: 'land', data: levels('land'), layers: [{ id: 'land', type: 'fill', paint: { 'fill-color': colours.land } }] },
    {
      ...{ source: 'borders', data: levels('borders') },
      layers: [{ id: 'borders', type: 'line', paint: { 'line-color': colours.border, 'line-width': 0.8 } }],
    },
    {
      ...{ source: 'water', data: file('water', 3) },
      layers: [
        {
          ...{ id: 'lakes', type: 'fill', minzoom: 3, filter: ['==', ['geometry-type'], 'Polygon'] },
          paint: { 'fill-color': colours.water },
        },
        {
          ...{ id: 'rivers', type: 'line', minzoom: 4, filter: ['==', ['geometry-type'], 'LineString'] },
          paint: { 'line-color': colours.river, 'line-width': 1 },
        },
      ],
    },
    names('country-names', [1.5, 7], colours.country, 'size', capitals),
    names('cities', [4, MAX_ZOOM], colours.city, 'people', { 'text-size': pixelsByPeople }),
    names('towns', [8, MAX_ZOOM], colours.city, 'people', { 'text-size': 10 }),
  ];
}

const MAX_ZOOM = 18;

function styleOf(tiles: TileSource | null): StyleSpecification {
  const style = {
    version: 8,
    sources: tiles === null ? {} : { tiles: { type: 'raster', tiles: [tiles.url], tileSize: 256, attribution: tiles.attribution } },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
      ...(tiles === null ? [] : [{ id: 'tiles', type: 'raster', source: 'tiles' }]),
      { id: NAMES_LAYER, type: 'background', paint: { 'background-opacity': 0 } },
    ],
  };
  return style as StyleSpecification;
}

/** Creates the map in a container, and waits until things can be drawn on it. */
export async function openBaseMap(
  container: HTMLElement,
  files: URL,
  zoom: number,
  { isDark, tiles }: { readonly isDark: boolean; readonly tiles: TileSource | null },
): Promise<MapLibre> {
  const maplibre = await import('maplibre-gl');
  maplibre.setWorkerUrl(new URL('base-map.js', files).href);
  maplibre.setWorkerCount(1);
  // The world is at least as wide as the screen, so that each aircraft is on it once.
  const minZoom = (): number => Math.log2(Math.max(container.clientWidth, container.clientHeight, 256) / 512);
  const map = new maplibre.Map({
    ...{ container, style: styleOf(tiles), globalState: { isDark }, minZoom: minZoom(), maxZoom: MAX_ZOOM },
    ...{ attributionControl: false, dragRotate: false, touchPitch: false, pitchWithRotate: false, fadeDuration: 0, keyboard: false },
  });
  map.touchZoomRotate.disableRotation();
  addEventListener('resize', () => map.setMinZoom(minZoom()));
  await map.once('style.load');
  if (tiles === null) for (const each of drawings(files, zoom)) draw(map, each);
  return map;
}
