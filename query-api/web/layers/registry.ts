// All layers. A new one is a file of this folder and a row here.
import type { Map as MapLibre } from 'maplibre-gl';
import type { MapLayer, MapPage, MapSettings, OpenPart } from '../map/map-page.ts';
import { airports } from './airports.ts';
import { density } from './density.ts';
import type { OpenLayer } from './layer.ts';
import { operatorLayer } from './operator-layer.ts';
import { range } from './range.ts';
import { rings } from './rings.ts';
import { runways } from './runways.ts';

const layers: readonly OpenLayer[] = [airports, runways, rings, range, density];

/** Those of this service: its own, and the files of the operator. */
export function layersOf(page: MapPage, settings: MapSettings): readonly MapLayer[] {
  return [...layers.flatMap((open) => open(page, settings) ?? []), ...settings.layers.map((each) => operatorLayer(page, each))];
}

/** Shows the layers of the view. */
export const openLayers: OpenPart = (page) => {
  let shown: readonly MapLayer[] = [];
  let base: MapLibre | null = null;
  const follow = async (): Promise<void> => {
    const wanted = (await page.layers).filter(({ name }) => page.store.view.layers.includes(name));
    if (base === null) return;
    for (const layer of shown) if (!wanted.includes(layer)) layer.hide(base);
    for (const layer of wanted) if (!shown.includes(layer)) layer.show(base);
    shown = wanted;
  };
  page.map.onStyle((map) => {
    [base, shown] = [map, []];
    void follow();
  });
  page.store.listen((view, before) => {
    if (view.layers !== before.layers) void follow();
  });
};
