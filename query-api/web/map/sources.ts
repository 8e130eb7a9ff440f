// Drawings of MapLibre: GeoJSON sources, each with its layers.
import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl';

export const FONT = ['system-ui', 'sans-serif'];
/** Names are above this layer, all else is below it. */
export const NAMES_LAYER = 'names';

export interface Drawing {
  /** Name of the source. */
  readonly source: string;
  /** Addresses of its data, each with the zoom from which it is loaded: it then takes the place of the one before. None: a script gives the data. */
  readonly data?: readonly (readonly [fromZoom: number, url: string])[];
  /** Without their source. */
  readonly layers: readonly (Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string })[];
}

/** A colour for each theme: MapLibre changes all of them when the global state of the style does. */
export const themed = (light: unknown, dark: unknown) => ['case', ['global-state', 'isDark'], dark, light];
/** Paint of names, readable on every ground. */
export const namePaint = (colour: unknown, halo = themed('#ffffff', '#131d27')) => ({
  ...{ 'text-color': colour, 'text-halo-color': halo, 'text-halo-width': 1.2 },
});

/** Adds a source with its layers, unless it is there. */
export function draw(map: MapLibre, { source: name, data = [], layers }: Drawing): void {
  if (map.getSource(name) !== undefined) return;
  // The first data are shown while the next ones load: data that are set later than here take the place of others that wait.
  const first = data.find(([fromZoom]) => map.getZoom() >= fromZoom);
  map.addSource(name, { type: 'geojson', data: first?.[1] ?? collectionOf([]) });
  for (const layer of layers)
    map.addLayer({ ...layer, source: name } as unknown as LayerSpecification, layer.type === 'symbol' ? undefined : NAMES_LAYER);
  const source = map.getSource<GeoJSONSource>(name)!;
  let waiting = data.filter((each) => each !== first);
  const load = (): void => {
    const isGone = map.getSource(name) !== source;
    for (const [fromZoom, url] of waiting) if (!isGone && map.getZoom() >= fromZoom) void source.setData(url);
    waiting = waiting.filter(([fromZoom]) => map.getZoom() < fromZoom);
    if (isGone || waiting.length === 0) map.off('zoom', load);
  };
  map.on('zoom', load);
  load();
}

/** Gives a source other data, if it is there. */
export const setFeatures = (map: MapLibre, source: string, features: GeoJSON.Feature[]): void =>
  void map.getSource<GeoJSONSource>(source)?.setData(collectionOf(features));

/** Takes a source and its layers away. */
export function erase(map: MapLibre, { source, layers }: Drawing): void {
  if (map.getSource(source) === undefined) return;
  for (const { id } of layers) map.removeLayer(id);
  map.removeSource(source);
}

const collectionOf = (features: GeoJSON.Feature[]): GeoJSON.FeatureCollection => ({ type: 'FeatureCollection', features });
export const lineFeature = (coordinates: [lon: number, lat: number][], properties: GeoJSON.GeoJsonProperties = {}): GeoJSON.Feature => ({
  ...{ type: 'Feature', properties, geometry: { type: 'LineString', coordinates } },
});
