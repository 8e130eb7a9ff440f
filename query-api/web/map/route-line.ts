// The great circle from the origin to the only selected aircraft, and on to its destination.
import type { Map as MapLibre } from 'maplibre-gl';
import { getJson } from '../page/parts.ts';
import { greatCircle, type Position, xOf, yOf } from '../sky/mercator.ts';
import { Requests } from '../sky/requests.ts';
import { positionOf } from '../sky/values.ts';
import type { OpenPart } from './map-page.ts';
import { draw, lineFeature, setFeatures, themed } from './sources.ts';

/** Ends of a flight; those that are not known are missing. */
type Ends = Readonly<Partial<Record<'origin' | 'destination', Position | null>>>;
/** Flights whose ends are kept. */
const KNOWN_MAX = 200;
const MOVED_PIXELS = 3;
const isAhead = ['get', 'isAhead'];
const DRAWING = {
  source: 'route',
  layers: [
    {
      ...{ id: 'route', type: 'line' },
      paint: {
        ...{ 'line-color': themed('#26323d', '#dfe7ef'), 'line-dasharray': [3, 3] },
        ...{ 'line-width': ['case', isAhead, 1.8, 1], 'line-opacity': ['case', isAhead, 0.8, 0.45] },
      },
    },
  ],
};

export const openRouteLine: OpenPart = ({ store, map, on }) => {
  const known = new Map<string, Ends>();
  const requests = new Requests<string, { flight: Ends }>({
    ...{ intervalMs: 0, ask: (flight, signal) => getJson(`v2/flight/${flight.split(' ')[0]}`, signal) },
    done: ({ flight: ends }, flight) => known.set(flight, ends),
    failed: (_, retryMs, flight) => retryMs === null && known.set(flight, {}),
  });
  /** Ends of a flight, which are asked for once. */
  const endsOf = (flight: string): Ends => {
    if (!known.has(flight)) requests.want(flight);
    if (known.size >= KNOWN_MAX) known.clear();
    return known.get(flight) ?? {};
  };
  let name = '';
  let shownAt: Position = { lat: 0, lon: 0 };
  const show = (base: MapLibre, flight: string, at: Position, { origin, destination }: Ends): void => {
    const pixelsOf = ({ lat, lon }: Position) => map.camera.screenOf(xOf(lon), yOf(lat));
    const [[x, y], [lastX, lastY]] = [pixelsOf(at), pixelsOf(shownAt)];
    const before = name;
    name = JSON.stringify([flight, origin, destination]);
    // The base map is drawn again for a line, so it waits until the aircraft has moved by some pixels.
    if (name === before && Math.hypot(x - lastX, y - lastY) < MOVED_PIXELS) return;
    shownAt = at;
    setFeatures(base, DRAWING.source, [
      ...(origin ? [lineFeature(greatCircle(origin, at), { isAhead: false })] : []),
      ...(destination ? [lineFeature(greatCircle(at, destination), { isAhead: true })] : []),
    ]);
  };
  map.onBase((base) => {
    draw(base, DRAWING);
    on('details', ({ selected: [only, ...others] }) => {
      const at = only && positionOf(only);
      // The service knows the route of the present flight.
      if (at === undefined || others.length > 0 || store.view.atMs !== null) return show(base, '', shownAt, {});
      const flight = `${only!.hex} ${only!['flight'] ?? ''}`;
      show(base, flight, at, endsOf(flight));
    });
  });
};
