// Positions of the reference: CPR pairs, CPR near known coordinates, and whether an aircraft can have flown from one position to the next.
// Angles in degrees, as in textbooks. Not used by the product.
import type { PlainCpr } from './plain-decoder.ts';

export interface PlainCoordinates {
  readonly lat: number;
  readonly lon: number;
}

const RADIANS = Math.PI / 180;
const EARTH_M = 6_371_000;
const KT_M_PER_S = 0.514444;

/** Greatest latitude with n longitude zones, for n = 59 down to 2. */
const ZONE_ENDS = Array.from({ length: 58 }, (_, i) => {
  const zones = 59 - i;
  return Math.acos(Math.sqrt((1 - Math.cos(Math.PI / 30)) / (1 - Math.cos((2 * Math.PI) / zones)))) / RADIANS;
});

function zonesAt(lat: number): number {
  const index = ZONE_ENDS.findIndex((end) => Math.abs(lat) < end);
  return index < 0 ? 1 : 59 - index;
}

/** Coordinates of the newer frame of a pair; surface pairs need a reference nearby. undefined when the two are in different zones. */
export function globalPosition(
  even: PlainCpr,
  odd: PlainCpr,
  isOdd: boolean,
  surface: boolean,
  near?: PlainCoordinates,
): PlainCoordinates | undefined {
  if (surface && near === undefined) return undefined;
  const circle = surface ? 90 : 360;
  const j = Math.floor(59 * even.lat - 60 * odd.lat + 0.5);
  const latEven = hemisphere((circle / 60) * (modulo(j, 60) + even.lat), surface, near);
  const latOdd = hemisphere((circle / 59) * (modulo(j, 59) + odd.lat), surface, near);
  const zones = zonesAt(latEven);
  if (zones !== zonesAt(latOdd)) return undefined;
  const lat = isOdd ? latOdd : latEven;
  if (Math.abs(lat) > 90) return undefined;
  const ni = Math.max(1, zones - (isOdd ? 1 : 0));
  const m = Math.floor(even.lon * (zones - 1) - odd.lon * zones + 0.5);
  const lon = (circle / ni) * (modulo(m, ni) + (isOdd ? odd.lon : even.lon));
  return { lat, lon: surface ? nearest(lon, near!.lon) : wrapped(lon) };
}

function hemisphere(lat: number, surface: boolean, near?: PlainCoordinates): number {
  if (surface) return near!.lat < 0 ? lat - 90 : lat;
  return lat >= 270 ? lat - 360 : lat;
}

/** The nearest of the four surface solutions. */
function nearest(lon: number, to: number): number {
  const solutions = [0, 90, 180, 270].map((turn) => wrapped(lon + turn));
  return solutions.reduce((best, one) => (Math.abs(wrapped(one - to)) < Math.abs(wrapped(best - to)) ? one : best));
}

/** The candidate within half a zone of known coordinates. */
export function localPosition(cpr: PlainCpr, near: PlainCoordinates): PlainCoordinates {
  const circle = cpr.surface ? 90 : 360;
  const dLat = circle / (cpr.odd ? 59 : 60);
  const j = Math.floor(near.lat / dLat) + Math.floor(0.5 + modulo(near.lat, dLat) / dLat - cpr.lat);
  const lat = dLat * (j + cpr.lat);
  const dLon = circle / Math.max(1, zonesAt(lat) - (cpr.odd ? 1 : 0));
  const m = Math.floor(near.lon / dLon) + Math.floor(0.5 + modulo(near.lon, dLon) / dLon - cpr.lon);
  return { lat, lon: wrapped(dLon * (m + cpr.lon)) };
}

/** Whether the distance between two positions fits speed and time, with a margin. */
export function plausible(
  from: PlainCoordinates,
  to: PlainCoordinates,
  seconds: number,
  speedKt: number | undefined,
  surface: boolean,
): boolean {
  const speed = speedKt === undefined ? (surface ? 100 : 700) : speedKt * 1.3 + 50;
  return distanceM(from, to) <= (surface ? 100 : 500) + speed * KT_M_PER_S * (seconds + 1);
}

function distanceM(a: PlainCoordinates, b: PlainCoordinates): number {
  const u = Math.sin(((b.lat - a.lat) * RADIANS) / 2);
  const v = Math.sin(((b.lon - a.lon) * RADIANS) / 2);
  return 2 * EARTH_M * Math.asin(Math.sqrt(u * u + Math.cos(a.lat * RADIANS) * Math.cos(b.lat * RADIANS) * v * v));
}

function wrapped(lon: number): number {
  return modulo(lon + 180, 360) - 180;
}

function modulo(a: number, n: number): number {
  return a - n * Math.floor(a / n);
}
