// On a slow link the stream has only the cells of 10 degrees in view, and the page says so.

import type { Camera } from './camera.ts';
import { latitudeOf, longitudeOf } from './mercator.ts';

const CELL_DEG = 10;
/** With more cells in view the world is hardly more. */
const CELLS_MAX = 24;
const SLOW_MBIT = 1;

/** South-west corners, as the stream names its zones; null for the world. */
export function cellsInView(camera: Camera): string[] | null {
  const northWest = camera.pointAt(0, 0);
  const southEast = camera.pointAt(camera.width, camera.height);
  const rows = range(latitudeOf(Math.min(southEast.y, 1)), latitudeOf(Math.max(northWest.y, 0)));
  const columns = range(northWest.x * 360 - 180, southEast.x * 360 - 180);
  if (rows.length * columns.length > CELLS_MAX) return null;
  return rows.flatMap((lat) => columns.map((lon) => `${lat},${longitudeOf(lon / 360 + 0.5)}`));
}

function range(from: number, to: number): number[] {
  const first = Math.floor(from / CELL_DEG);
  return Array.from({ length: Math.floor(to / CELL_DEG) - first + 1 }, (_, i) => (first + i) * CELL_DEG);
}

/** True where the browser says that its link is slow, or that its owner saves data. Not every browser says it. */
export function isSlow(): boolean {
  const { connection } = navigator as { connection?: { saveData?: boolean; downlink?: number } };
  return connection?.saveData === true || (connection?.downlink ?? SLOW_MBIT) < SLOW_MBIT;
}
