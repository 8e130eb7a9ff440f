// Opens the worker, the map and the parts of a page around it.
import { layersOf } from '../layers/registry.ts';
import { viewOf } from '../map/camera.ts';
import type { MapPage, MapSettings, OpenPart } from '../map/map-page.ts';
import { MapView } from '../map/map-view.ts';
import { Me } from '../map/my-position.ts';
import { byId, getJson, isDark, serviceUrl } from '../page/parts.ts';
import { ViewStore } from '../page/view.ts';
import { type FromSky, LIVE, type Picture, type ToSky } from '../sky/picture.ts';

/** The base map takes the thread of the page for a second: it waits so long for the first aircraft. */
const BASE_MS_MAX = 1500;

export function openMapPage(parts: readonly OpenPart[]): void {
  const files = new URL('.', import.meta.url);
  // First of all: it loads and connects while the map opens WebGL2.
  const worker = new Worker(new URL('sky.js', files), { type: 'module' });
  worker.postMessage({ kind: 'start', base: serviceUrl('.').href } satisfies ToSky);
  const store = new ViewStore();
  const map = new MapView(
    { base: byId('base'), aircraft: byId<HTMLCanvasElement>('aircraft'), labels: byId<HTMLCanvasElement>('labels') },
    store.view,
  );
  const page = openPage(files, store, map, worker);
  const postBox = (): void => page.post({ kind: 'box', box: map.camera.box });
  postBox();
  follow(page);
  document.addEventListener('visibilitychange', () => {
    page.post({ kind: 'hidden', isHidden: document.hidden });
    map.request();
  });
  for (const open of parts) open(page);
  page.onTheme((dark) => map.setDark(dark));
  const first = Promise.race([map.firstAircraft, new Promise((resolve) => setTimeout(resolve, BASE_MS_MAX))]);
  if (map.canDraw) void Promise.all([page.settings, first]).then(([{ tiles }]) => map.openBase(files, { isDark: isDark(), tiles }));
  map.onBase((base) => {
    base.on('moveend', () => {
      const { lat, lng: lon } = base.getCenter().wrap();
      store.set({ lat, lon, zoom: base.getZoom() });
      postBox();
    });
    postBox();
    map.setDark(isDark());
  });
}

const NO_SETTINGS: MapSettings = { tiles: null, receiver: null, hasHistory: false, layers: [] };

function openPage(files: URL, store: ViewStore, map: MapView, worker: Worker): MapPage {
  const listeners: { kind: string; listener: (message: never) => void }[] = [];
  worker.onmessage = ({ data }: MessageEvent<FromSky>) => {
    for (const { kind, listener } of listeners) if (kind === data.kind) listener(data as never);
  };
  // The map is whole without what the operator configured.
  const settings = getJson<MapSettings>('map/settings.json').catch(() => NO_SETTINGS);
  const page: MapPage = {
    ...{ files, store, map, settings, me: new Me() },
    layers: settings.then((found) => layersOf(page, found)),
    post: (message: ToSky) => worker.postMessage(message),
    on: (kind, listener) => void listeners.push({ kind, listener }),
    onTheme: (listener) => {
      document.addEventListener('theme', () => listener(isDark()));
      listener(isDark());
    },
  };
  return page;
}

/** The map shows what the worker gives, and the worker what the view asks for. */
function follow({ store, map, post, on, onTheme }: MapPage): void {
  let clock = LIVE;
  let pictureMs = 0;
  let offsetMs = Number.NEGATIVE_INFINITY;
  let hasView = /[?&](lat|lon|zoom)=/.test(location.search);
  map.nowMs = () => performance.now() * clock.pace + offsetMs;
  on('names', ({ names }) => {
    for (const [key, name] of names) {
      if (name === '') map.names.delete(key);
      else map.names.set(key, name);
    }
  });
  on('picture', (picture) => {
    const newOffsetMs = picture.nowMs - performance.now() * picture.clock.pace;
    // The live frame that was least delayed says best how late it is; the clocks of both sides may drift by 2 ms a frame.
    if (clock.isLive && picture.clock.isLive) offsetMs = Math.max(offsetMs - 2, newOffsetMs);
    // A picture that is sent again with another filter keeps its age.
    else if (picture.nowMs !== pictureMs || picture.clock.pace !== clock.pace) offsetMs = newOffsetMs;
    [clock, pictureMs] = [picture.clock, picture.nowMs];
    map.show(picture);
    if (!hasView && picture.count > 0) begin(picture);
  });
  /** Without a view in the address the map begins where aircraft are. */
  const begin = (picture: Picture): void => {
    hasView = true;
    map.positions!.locate(map.camera, picture.nowMs);
    const points = Array.from({ length: picture.count }, (_, i) => map.positions!.point(i));
    map.moveTo(viewOf(points, map.camera.width, map.camera.height)!);
  };
  const want = (): void => {
    const { filters, colour, selected, isolated, labels, units } = store.view;
    map.wishes = { labels, units, isDark: isDark() };
    post({ kind: 'want', filters, colour, isDark: isDark(), selected, isolated });
    map.request();
  };
  store.listen((view, before) => {
    const isSame = (['filters', 'colour', 'selected', 'isolated', 'labels', 'units'] as const).every((name) => view[name] === before[name]);
    if (!isSame || view === before) want();
  });
  onTheme(want);
}
