// The base map: MapLibre draws land, water, borders and names from files of this service. Each level of detail is loaded when the zoom needs it.
import type { LayerSpecification, Map as MapLibre, SourceSpecification, StyleSpecification } from 'maplibre-gl';

interface Palette {
  readonly water: string;
  readonly land: string;
  readonly line: string;
  readonly river: string;
  readonly country: string;
  readonly city: string;
  readonly halo: string;
  readonly airport: string;
}
const LIGHT: Palette = {
  ...{ water: '#cfdfe9', land: '#f5f4f0', line: '#c3b9ad', river: '#b9d2e1' },
  ...{ country: '#7d8791', city: '#5f6973', halo: '#f5f4f0', airport: '#6a5acd' },
};
const DARK: Palette = {
  ...{ water: '#0a1420', land: '#182430', line: '#34424f', river: '#12283b' },
  ...{ country: '#6d7b88', city: '#8796a4', halo: '#131d27', airport: '#9d92f0' },
};
export const FONT = ['system-ui', 'sans-serif'];
/** Zooms from which a level of coasts and borders is shown. */
const LEVELS = [
  { level: '110m', from: 0 },
  { level: '50m', from: 3 },
  { level: '10m', from: 6 },
] as const;

/** Tiles of the operator, in the place of coasts. */
export interface TileSource {
  readonly url: string;
  readonly attribution: string;
}

/** What is added when the zoom reaches `from`. */
interface Part {
  readonly from: number;
  readonly sources: Readonly<Record<string, SourceSpecification>>;
  readonly layers: readonly LayerSpecification[];
}

const geojson = (data: string, tolerance = 0.375): SourceSpecification => ({ type: 'geojson', data, tolerance });

function parts(files: URL, colours: Palette): Part[] {
  const file = (name: string): string => new URL(`${name}.json`, files).href;
  const label = (id: string, source: string, more: Partial<LayerSpecification>, text: object, colour: string): LayerSpecification =>
    ({
      ...{ id, source, type: 'symbol', ...more },
      layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-padding': 6, ...text },
      paint: { 'text-color': colour, 'text-halo-color': colours.halo, 'text-halo-width': 1.2 },
    }) as LayerSpecification;
  return [
    ...LEVELS.map(({ level, from }) => ({
      from,
      sources: {
        [`land-${level}`]: geojson(`base://countries-${level}/land`),
        [`borders-${level}`]: geojson(`base://countries-${level}/borders`),
      },
      layers: [
        {
          id: `land-${level}`,
          source: `land-${level}`,
          type: 'fill' as const,
          minzoom: from,
          paint: { 'fill-color': colours.land },
        },
        {
          ...{ id: `borders-${level}`, source: `borders-${level}`, type: 'line' as const, minzoom: from },
          paint: { 'line-color': colours.line, 'line-width': 0.8 },
        },
      ],
    })),
    {
      from: 3,
      sources: { water: geojson(file('water')) },
      layers: [
        {
          id: 'lakes',
          source: 'water',
          type: 'fill',
          minzoom: 3,
          filter: ['==', ['geometry-type'], 'Polygon'],
          paint: { 'fill-color': colours.water },
        },
        {
          ...{ id: 'rivers', source: 'water', type: 'line', minzoom: 4, filter: ['==', ['geometry-type'], 'LineString'] },
          paint: { 'line-color': colours.river, 'line-width': 1 },
        },
      ],
    },
    {
      from: 1.5,
      sources: { 'country-names': geojson(file('country-names')) },
      layers: [
        label(
          ...(['country-names', 'country-names', { minzoom: 1.5, maxzoom: 7 }] as const),
          {
            'text-size': 11,
            'text-letter-spacing': 0.08,
            'text-transform': 'uppercase',
            'text-max-width': 7,
            'symbol-sort-key': ['-', 0, ['get', 'size']],
          },
          colours.country,
        ),
      ],
    },
    {
      from: 4,
      sources: { cities: geojson(file('cities')) },
      layers: [
        label(
          'cities',
          'cities',
          { minzoom: 4 },
          { 'text-size': cityPixels, 'symbol-sort-key': ['-', 0, ['get', 'people']] },
          colours.city,
        ),
      ],
    },
    {
      from: 8,
      sources: { towns: geojson(file('towns')) },
      layers: [label('towns', 'towns', { minzoom: 8 }, { 'text-size': 10, 'symbol-sort-key': ['-', 0, ['get', 'people']] }, colours.city)],
    },
  ];
}
/** Pixels of a city's name by its people. */
const cityPixels = ['interpolate', ['linear'], ['log10', ['get', 'people']], 5, 10, 7, 14];
/** The order of layers, the lowest first: land and lines, what parts and layers of the map add, names. */
const LAND_END = 'land-end';
export const NAMES_LAYER = 'names';

export interface BaseMap {
  readonly map: MapLibre;
  setDark(isDark: boolean): void;
  /** Calls `add` when the style is there, and again when it was replaced. */
  onStyle(add: (map: MapLibre) => void): void;
}

/** Creates the map in a container. `files`: the folder of the page's files. */
export async function openBaseMap(
  container: HTMLElement,
  files: URL,
  options: {
    readonly isDark: boolean;
    readonly lat: number;
    readonly lon: number;
    readonly zoom: number;
    readonly tiles: TileSource | null;
  },
): Promise<BaseMap> {
  const maplibre = await import('maplibre-gl');
  maplibre.setWorkerUrl(new URL('base-map.js', files).href);
  maplibre.setWorkerCount(1);
  const added: ((map: MapLibre) => void)[] = [];
  let loaded = new Set<Part>();
  let all: Part[] = [];
  const style = (isDark: boolean): StyleSpecification => {
    const colours = isDark ? DARK : LIGHT;
    all = options.tiles === null ? parts(files, colours) : [];
    loaded = new Set();
    const { tiles } = options;
    return {
      version: 8,
      sources: tiles === null ? {} : { tiles: { type: 'raster', tiles: [tiles.url], tileSize: 256, attribution: tiles.attribution } },
      layers: [
        { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
        ...(tiles === null ? [] : [{ id: 'tiles', type: 'raster' as const, source: 'tiles' }]),
        { id: LAND_END, type: 'background', paint: { 'background-opacity': 0 } },
        { id: NAMES_LAYER, type: 'background', paint: { 'background-opacity': 0 } },
      ],
    };
  };
  const map = new maplibre.Map({
    ...{ container, style: style(options.isDark), center: [options.lon, options.lat], zoom: options.zoom, attributionControl: false },
    ...{
      dragRotate: false,
      touchPitch: false,
      pitchWithRotate: false,
      fadeDuration: 0,
      minZoom: minZoom(container),
      maxZoom: 18,
      keyboard: false,
    },
  });
  map.touchZoomRotate.disableRotation();
  addEventListener('resize', () => map.setMinZoom(minZoom(container)));
  const load = (): void => {
    if (!map.isStyleLoaded() && loaded.size === 0 && map.getLayer(NAMES_LAYER) === undefined) return;
    for (const part of all) {
      if (loaded.has(part) || map.getZoom() < part.from) continue;
      loaded.add(part);
      for (const [id, source] of Object.entries(part.sources)) map.addSource(id, source);
      for (const layer of part.layers) map.addLayer(layer, layer.type === 'symbol' ? undefined : firstLine(map, layer));
    }
  };
  map.on('style.load', () => {
    load();
    for (const add of added) add(map);
  });
  map.on('zoom', load);
  // A coarse level stays until the next one is there.
  map.on('sourcedata', ({ sourceId, isSourceLoaded }) => {
    const next = LEVELS.findIndex(({ level }) => sourceId === `land-${level}`);
    const coarse = LEVELS[next - 1];
    if (!isSourceLoaded || coarse === undefined) return;
    for (const kind of ['land', 'borders']) map.setLayerZoomRange(`${kind}-${coarse.level}`, coarse.from, LEVELS[next]!.from);
  });
  let wasDark = options.isDark;
  return {
    map,
    setDark: (isDark) => {
      if (isDark !== wasDark) map.setStyle(style(isDark), { diff: false });
      wasDark = isDark;
    },
    onStyle: (add) => {
      added.push(add);
      if (map.getLayer(NAMES_LAYER) !== undefined) add(map);
    },
  };
}

/** Land is below water and lines, whenever it is loaded; all are below what is added. */
function firstLine(map: MapLibre, layer: LayerSpecification): string {
  if (!layer.id.startsWith('land')) return LAND_END;
  return map.getStyle().layers.find(({ id }) => /^(borders|lakes|rivers)/.test(id))?.id ?? LAND_END;
}

/** The world is at least as wide as the screen, so that each aircraft is on it once. */
const minZoom = (container: HTMLElement): number => Math.log2(Math.max(container.clientWidth, container.clientHeight, 256) / 512);
