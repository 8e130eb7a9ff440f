// How many positions each cell had in a span: where aircraft fly. All aircraft count: the store has counts, to which filters do not apply.
import type { Map as MapLibre } from 'maplibre-gl';
import { cssColour, rampColour } from '../map/colours.ts';
import { byId, element, getJson, ResponseError } from '../page/parts.ts';
import type { OpenLayer } from './layer.ts';
import { collectionOf, draw, erase, NONE } from './sources.ts';

interface Density {
  readonly cell: number;
  readonly cells: readonly { readonly lat: number; readonly lon: number; readonly positions: number }[];
}
/** Sizes of cells that the service has, degrees, and cells of the screen at most. */
const SIZES = [0.1, 0.2, 0.5, 1, 2, 5];
const CELLS_MAX = 6000;
const HOUR_MS = 3_600_000;
const WAIT_MS = 400;

export const density: OpenLayer = ({ store, map: view, isDark }, { hasHistory }) => {
  if (!hasHistory) return null;
  let stop: AbortController | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const notice = element('p', { class: 'notice problem', hidden: true });
  const load = async (map: MapLibre): Promise<void> => {
    stop?.abort();
    stop = new AbortController();
    const { signal } = stop;
    try {
      const found = await getJson<Density>(pathOf(map, store.view), signal);
      if (map.getSource('density') !== undefined) draw(map, 'density', squares(found, isDark()), []);
      notice.hidden = true;
    } catch (error) {
      if (signal.aborted) return;
      notice.hidden = false;
      notice.textContent = `The density cannot be shown: ${error instanceof ResponseError ? error.message : 'the service cannot be reached'}.`;
    }
  };
  const later = ({ target }: { readonly target: MapLibre }): void => {
    clearTimeout(timer);
    timer = setTimeout(() => void load(target), WAIT_MS);
  };
  store.listen(({ densityHours, atMs }, before) => {
    const isShown = stop !== null && view.baseMap !== null;
    if (isShown && (densityHours !== before.densityHours || Math.abs((atMs ?? 0) - (before.atMs ?? 0)) > HOUR_MS))
      later({ target: view.baseMap!.map });
  });
  return {
    ...{ name: 'density', title: 'Density' },
    show(map) {
      // Not before: framed maps have no notices, and no layers.
      byId('notices').append(notice);
      draw(map, 'density', NONE, [
        { id: 'density', type: 'fill', paint: { 'fill-color': ['get', 'colour'], 'fill-opacity': 0.5, 'fill-antialias': false } },
      ]);
      map.on('moveend', later);
      void load(map);
    },
    hide(map) {
      clearTimeout(timer);
      stop?.abort();
      stop = null;
      notice.hidden = true;
      map.off('moveend', later);
      erase(map, 'density');
    },
  };
};

/** The box in view with cells of the smallest size that are not too many. */
function pathOf(map: MapLibre, { densityHours, atMs }: { readonly densityHours: number; readonly atMs: number | null }): string {
  const bounds = map.getBounds();
  const [south, north] = [Math.max(-85, bounds.getSouth()), Math.min(85, bounds.getNorth())];
  const width = Math.min(360, bounds.getEast() - bounds.getWest());
  const cell = SIZES.find((size) => (width / size) * ((north - south) / size) <= CELLS_MAX) ?? 5;
  const [west, east] = width >= 360 ? [-180, 180] : [bounds.getWest(), bounds.getEast()].map((lon) => ((lon + 540) % 360) - 180);
  const to = atMs ?? Date.now();
  const query = new URLSearchParams({
    ...{ min_lat: south.toFixed(3), max_lat: north.toFixed(3), min_lon: west!.toFixed(3), max_lon: east!.toFixed(3), cell: String(cell) },
    ...{ from: new Date(to - densityHours * HOUR_MS).toISOString(), to: new Date(to).toISOString() },
  });
  return `v2/area/density?${query}`;
}

/** Squares in the colours of the ramp, by the logarithm of their positions. */
function squares({ cell, cells }: Density, isDark: boolean): GeoJSON.FeatureCollection {
  const most = Math.log(1 + Math.max(1, ...cells.map(({ positions }) => positions)));
  return collectionOf(
    cells.map(({ lat, lon, positions }) => ({
      type: 'Feature',
      properties: { colour: cssColour(rampColour(1 - Math.round((16 * Math.log(1 + positions)) / most) / 16, isDark)) },
      geometry: {
        type: 'Polygon',
        coordinates: [[[lon, lat], [lon + cell, lat], [lon + cell, lat + cell], [lon, lat + cell], [lon, lat]]], // biome-ignore format: a square
      },
    })),
  );
}
