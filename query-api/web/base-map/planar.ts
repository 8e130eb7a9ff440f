// Outlines of a sphere as those of a flat map.
import { unwrapped } from '../sky/mercator.ts';

/**
 * An outline without jumps at the antimeridian: longitudes continue beyond 180°, and one around a pole is closed along its edge of the map. With a jump an outline crosses
 * itself, and MapLibre fills wrong triangles far from the jump, too: seas of Europe had the colour of land.
 */
export function planar(outline: readonly (readonly number[])[]): [lon: number, lat: number][] {
  const points = unwrapped(outline as readonly [number, number][]);
  const [first, last] = [points[0]!, points.at(-1)!];
  if (Math.abs(last[0] - first[0]) < 180) return points;
  const pole = first[1] < 0 ? -90 : 90;
  return [...points, [last[0], pole], [first[0], pole], first];
}
