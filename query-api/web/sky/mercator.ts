// Web Mercator: x from 0 at 180° west to 1, y from 0 at 85° north to 1 at 85° south.

/** Degrees. */
export interface Position {
  readonly lat: number;
  readonly lon: number;
}
const RADIANS = Math.PI / 180;
/** Equator, m. */
const AROUND_M = 40_075_016.7;
export const M_PER_NM = 1852;

export const xOf = (longitude: number): number => longitude / 360 + 0.5;
export function yOf(latitude: number): number {
  const sine = Math.sin(Math.min(Math.max(latitude, -85), 85) * RADIANS);
  return 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI);
}
export const longitudeOf = (x: number): number => (x - Math.floor(x)) * 360 - 180;
export const latitudeOf = (y: number): number => (2 * Math.atan(Math.exp((0.5 - y) * 2 * Math.PI))) / RADIANS - 90;

/** Mercator units per metre at a latitude. */
export const unitsPerMetre = (latitude: number): number => 1 / (AROUND_M * Math.cos(latitude * RADIANS));

/** A distance on the map the short way around, −0.5 to 0.5. */
export const wrapped = (dx: number): number => dx - Math.round(dx);

/** Great circle: distance, nm, and bearing at the start, degrees. */
export function distanceAndBearing(from: Position, to: Position): { readonly distanceNm: number; readonly bearing: number } {
  const [a, b, dLon] = [from.lat * RADIANS, to.lat * RADIANS, (to.lon - from.lon) * RADIANS];
  const haversine = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(dLon / 2) ** 2;
  const bearing =
    Math.atan2(Math.sin(dLon) * Math.cos(b), Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(dLon)) / RADIANS;
  return { distanceNm: (2 * Math.asin(Math.min(1, Math.sqrt(haversine))) * 6_371_009) / M_PER_NM, bearing: (bearing + 360) % 360 };
}

/** Points of the great circle between two points, some 60 nm apart; longitudes continue beyond 180°. */
export function greatCircle(from: Position, to: Position): [lon: number, lat: number][] {
  const { distanceNm, bearing } = distanceAndBearing(from, to);
  const count = Math.max(1, Math.ceil(distanceNm / 60));
  return unwrapped(Array.from({ length: count + 1 }, (_, i) => pointAt(from, (distanceNm * i) / count, bearing)));
}

/** A line without jumps at the antimeridian: longitudes continue beyond 180°. */
export function unwrapped(line: readonly (readonly [lon: number, lat: number])[]): [lon: number, lat: number][] {
  let before = line[0]?.[0] ?? 0;
  return line.map(([lon, lat]) => {
    before = lon + 360 * Math.round((before - lon) / 360);
    return [before, lat];
  });
}

/** The point at a distance and bearing, by great circle. */
export function pointAt(from: Position, distanceNm: number, bearing: number): [lon: number, lat: number] {
  const [angle, direction, lat] = [(distanceNm * M_PER_NM) / 6_371_009, bearing * RADIANS, from.lat * RADIANS];
  const to = Math.asin(Math.sin(lat) * Math.cos(angle) + Math.cos(lat) * Math.sin(angle) * Math.cos(direction));
  const dLon = Math.atan2(Math.sin(direction) * Math.sin(angle) * Math.cos(lat), Math.cos(angle) - Math.sin(lat) * Math.sin(to));
  return [from.lon + dLon / RADIANS, to / RADIANS];
}
