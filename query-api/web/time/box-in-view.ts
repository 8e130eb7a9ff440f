// The box that the map shows, for which the worker asks positions.
import type { Camera } from '../map/camera.ts';
import { latitudeOf, longitudeOf } from '../map/mercator.ts';
import type { Box } from '../sky/picture.ts';

export function boxInView(camera: Camera): Box {
  const [first, last] = [camera.pointAt(0, 0), camera.pointAt(camera.width, camera.height)];
  const isWorld = last.x - first.x >= 1;
  return {
    south: latitudeOf(Math.min(last.y, 1)),
    north: latitudeOf(Math.max(first.y, 0)),
    west: isWorld ? -180 : longitudeOf(first.x),
    east: isWorld ? 180 : longitudeOf(last.x),
  };
}
