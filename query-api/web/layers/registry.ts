// All layers. A new one is a file of this folder and a row here.
import type { Map as MapLibre } from 'maplibre-gl';
import type { MapLayer, MapPage, MapSettings, OpenLayer, OpenPart } from '../map/map-page.ts';
import { draw, erase, setFeatures } from '../map/sources.ts';
import { byId, element, setNotice } from '../page/parts.ts';
import { Requests, reasonOf } from '../sky/requests.ts';
import { airports } from './airports.ts';
import { density } from './density.ts';
import { operatorLayer } from './operator-layer.ts';
import { range } from './range.ts';
import { rings } from './rings.ts';
import { runways } from './runways.ts';

const layers: readonly OpenLayer[] = [airports, runways, rings, range, density];
/** Between two requests of one layer: a map that moves asks for few. */
const INTERVAL_MS = 400;

/** Those of this service: its own, and the files of the operator. */
export function layersOf(page: MapPage, settings: MapSettings): readonly MapLayer[] {
  return [...layers.flatMap((open) => open(page, settings) ?? []), ...settings.layers.map(operatorLayer)];
}

/** Shows the layers of the view. */
export const openLayers: OpenPart = ({ layers: all, store, map, me }) => {
  map.onBase(async (base) => {
    const followers = (await all).map((layer) => followerOf(base, layer));
    const follow = (): void => {
      for (const [name, show] of followers) show(store.view.layers.includes(name));
    };
    base.on('moveend', follow);
    me.listen(follow);
    store.listen(follow);
  });
};

/** Shows or hides a layer, and checks the inputs of its data again. */
function followerOf(
  base: MapLibre,
  { name, title, drawings, script }: MapLayer,
): readonly [name: string, show: (isShown: boolean) => void] {
  const notice = element('p', { class: 'notice problem', hidden: true });
  byId('notices').append(notice);
  let key: string | null = null;
  const requests = new Requests<string, GeoJSON.Feature[]>({
    ...{ intervalMs: INTERVAL_MS, ask: async (wanted, signal) => (await script?.features(wanted, signal)) ?? [] },
    done: (features) => {
      setFeatures(base, drawings[0]!.source, features);
      setNotice(notice, '');
    },
    failed: (error) => setNotice(notice, `${title} cannot be shown: ${reasonOf(error)}.`),
  });
  const show = (isShown: boolean): void => {
    for (const drawing of drawings) (isShown ? draw : erase)(base, drawing);
    const wanted = isShown ? (script?.key() ?? null) : null;
    if (wanted === key) return;
    key = wanted;
    if (wanted === null) {
      requests.stop();
      setNotice(notice, '');
    } else requests.want(wanted);
  };
  return [name, show];
}
