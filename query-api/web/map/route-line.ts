// The great circle from the origin to the only selected aircraft, and on to its destination.
import { collectionOf, draw, lineFeature, NONE } from '../layers/sources.ts';
import { getJson, ResponseError } from '../page/parts.ts';
import type { Aircraft } from '../sky/picture.ts';
import type { OpenPart } from './map-page.ts';
import { greatCircle, xOf, yOf } from './mercator.ts';
import type { Position } from './my-position.ts';

type Ends = Readonly<Partial<Record<'origin' | 'destination', Position>>>;
const SOURCE = 'route';
/** Answers that are kept. */
const KNOWN_MAX = 200;
const AGAIN_MS = 10_000;
const MOVED_PIXELS = 3;
const NOTHING = { name: '', at: null };

export const openRouteLine: OpenPart = ({ store, map, on, isDark }) => {
  const known = new Map<string, Ends>();
  let shown: { readonly name: string; readonly at: Position | null } = NOTHING;
  /** Ends of a flight; they are asked for once, and again later if that failed. */
  const endsOf = ({ hex, flight }: Aircraft): Ends => {
    const key = `${hex} ${String(flight ?? '')}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, {});
    void getJson<{ flight: Ends }>(`v2/flight/${hex}`)
      .then(({ flight: { origin, destination } }) => known.set(key, { ...(origin && { origin }), ...(destination && { destination }) }))
      .catch((error: unknown) => {
        if (!(error instanceof ResponseError && error.status === 404)) setTimeout(() => known.delete(key), AGAIN_MS);
      });
    return {};
  };
  /** The base map is drawn again for a line, so it waits until the aircraft has moved by some pixels. */
  const show = (name: string, at: Position | null, lines: () => GeoJSON.Feature[]): void => {
    const base = map.baseMap?.map;
    const [x, y] = at === null ? [0, 0] : map.camera.screenOf(xOf(at.lon), yOf(at.lat));
    const [lastX, lastY] = shown.at === null ? [0, 0] : map.camera.screenOf(xOf(shown.at.lon), yOf(shown.at.lat));
    if (base === undefined || (name === shown.name && Math.hypot(x - lastX, y - lastY) < MOVED_PIXELS)) return;
    shown = { name, at };
    const features = lines();
    draw(base, SOURCE, features.length === 0 ? NONE : collectionOf(features), [
      {
        ...{ id: 'route', type: 'line' },
        paint: {
          'line-color': isDark() ? '#dfe7ef' : '#26323d',
          'line-width': ['case', ['get', 'isAhead'], 1.8, 1],
          'line-opacity': ['case', ['get', 'isAhead'], 0.8, 0.45],
          'line-dasharray': [3, 3],
        },
      },
    ]);
  };
  on('details', ({ selected: [only] }) => {
    const { selected, atMs } = store.view;
    const isOnly = selected.length === 1 && only !== undefined && typeof only['lat'] === 'number' && typeof only['lon'] === 'number';
    // The service knows the route of the present flight.
    if (!isOnly || atMs !== null) return show('', null, () => []);
    const { origin, destination } = endsOf(only);
    const at = { lat: only['lat'] as number, lon: only['lon'] as number };
    const name = `${only.hex} ${JSON.stringify([origin, destination])}`;
    show(name, at, () => [
      ...(origin === undefined ? [] : [lineFeature(greatCircle(origin, at), { isAhead: false })]),
      ...(destination === undefined ? [] : [lineFeature(greatCircle(at, destination), { isAhead: true })]),
    ]);
  });
  map.onStyle(() => {
    shown = NOTHING;
  });
};
