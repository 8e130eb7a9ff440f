// What parts and layers draw with MapLibre: a GeoJSON source each, with its layers below the names.
import type { GeoJSONSource, LayerSpecification, Map as MapLibre } from 'maplibre-gl';
import { NAMES_LAYER } from '../map/base-map.ts';

type Data = GeoJSON.FeatureCollection | string;
export const NONE: Data = { type: 'FeatureCollection', features: [] };

/** A layer without its source. */
export type Drawn = Record<string, unknown> & { readonly id: string; readonly type: string };

/** Adds a source and its layers, or gives the source new data. A style that is not there yet is no error: its listeners draw again. */
export function draw(map: MapLibre, source: string, data: Data, layers: readonly Drawn[]): void {
  if (map.getLayer(NAMES_LAYER) === undefined) return;
  const known = map.getSource<GeoJSONSource>(source);
  if (known !== undefined) {
    void known.setData(data);
    return;
  }
  map.addSource(source, { type: 'geojson', data, tolerance: 0.2 });
  for (const layer of layers)
    map.addLayer({ ...layer, source } as unknown as LayerSpecification, layer.type === 'symbol' ? undefined : NAMES_LAYER);
}

/** Takes a source and its layers away. */
export function erase(map: MapLibre, source: string): void {
  if (map.getSource(source) === undefined) return;
  for (const layer of map.getStyle().layers) if ('source' in layer && layer.source === source) map.removeLayer(layer.id);
  map.removeSource(source);
}

/** Paint of names, readable on every ground. */
export const namePaint = (colour: string, isDark: boolean) => ({
  ...{ 'text-color': colour, 'text-halo-color': isDark ? '#131d27' : '#ffffff', 'text-halo-width': 1.2 },
});

export const lineFeature = (coordinates: readonly (readonly [number, number])[], properties: object = {}): GeoJSON.Feature => ({
  type: 'Feature',
  properties: { ...properties },
  geometry: { type: 'LineString', coordinates: coordinates as [number, number][] },
});
export const collectionOf = (features: GeoJSON.Feature[]): GeoJSON.FeatureCollection => ({ type: 'FeatureCollection', features });
