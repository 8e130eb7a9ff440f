// Filters of subscriptions by brute force, on whole objects, for tests of the hub.
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { Filter } from '../../push/hub/filter.ts';

export type Plane = Record<string, unknown>;

const AGES = ['seen', 'seen_pos', 'lastPosition'];

/** Filters as a client sends them, which select different ones of the aircraft of `world.ts`. */
export const given: readonly Record<string, unknown>[] = [
  {},
  { lat: 10, lon: -60, radius_nm: 250 },
  { bbox: [-60, -180, 20, 10] },
  { bbox: [-90, 100, 90, -100] },
  { hex: ['400000', '400025', 'abcdef', '40006f'] },
  { callsign: ['KLM', 'DLH0'] },
  { squawks: ['1000', '1013'] },
  { min_altitude: 1, max_altitude: 20_300 },
  { max_altitude: 0 },
  { military: false },
  { callsign: ['KLM'], bbox: [-60, -180, 60, 180], fields: ['flight', 'lat', 'lon', 'alt_baro'] },
  { fields: ['squawk', 'wd', 'lastPosition'] },
];

/** The filter by brute force, on whole objects. */
export function accepts(filter: Filter, plane: Plane): boolean {
  const { box, circle, hexes, callsigns, squawks, military, altitudeFtMin, altitudeFtMax } = filter;
  const [lat, lon] = [plane['lat'] as number | undefined, plane['lon'] as number | undefined];
  const altitude = plane['alt_baro'] === 'ground' ? 0 : (plane['alt_baro'] as number | undefined);
  const inBox = (): boolean => {
    if (lat === undefined || lon === undefined || lat < box!.southDeg || lat > box!.northDeg) return false;
    const { westDeg, eastDeg } = box!;
    return westDeg <= eastDeg ? lon >= westDeg && lon <= eastDeg : lon >= westDeg || lon <= eastDeg;
  };
  const inCircle = (): boolean => {
    if (lat === undefined || lon === undefined) return false;
    const [a, b] = [(lat * Math.PI) / 180, (circle!.latDeg * Math.PI) / 180];
    const cos = Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(((lon - circle!.lonDeg) * Math.PI) / 180);
    return Math.acos(Math.min(1, cos)) * 3440.065 < circle!.radiusNm;
  };
  return (
    (box === null || inBox()) &&
    (circle === null || inCircle()) &&
    (hexes === null || hexes.includes(Number.parseInt(plane['hex'] as string, 16))) &&
    (callsigns === null || callsigns.some((prefix) => ((plane['flight'] as string | undefined) ?? '').startsWith(prefix))) &&
    (squawks === null || squawks.includes(Number(plane['squawk'] ?? -1))) &&
    (military === null || (((plane['dbFlags'] as number | undefined) ?? 0) & 1) === Number(military)) &&
    (altitudeFtMin === null || (altitude !== undefined && altitude >= altitudeFtMin)) &&
    (altitudeFtMax === null || (altitude !== undefined && altitude <= altitudeFtMax))
  );
}

/** Members that a client of this filter has and that do not change with time. */
export function shown(plane: Plane, filter: Filter): Plane {
  const isShown = (name: string): boolean =>
    !AGES.includes(name) && (name === 'hex' || filter.members === null || filter.members.includes(name));
  return Object.fromEntries(Object.entries(plane).filter(([name]) => isShown(name)));
}

/** All aircraft as `/v2/all` shows them. */
export function objectsOf(snapshot: Snapshot): Plane[] {
  return (JSON.parse(snapshot.body('native').toString()) as { ac: Plane[] }).ac;
}
