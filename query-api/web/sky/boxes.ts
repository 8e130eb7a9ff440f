// Boxes of latitude and longitude, for which positions of the past are asked, and the cells in them that the stream has.
import { type Box, WORLD } from './picture.ts';

const GRIDS = [1, 2, 5, 10, 30];
/** Boxes are of at most so many cells a side and one more. */
const CELLS = 4;
const CELL_DEG = 10;
/** With more cells in view the world is hardly more. */
const CELLS_MAX = 24;

/** Degrees from west to east. */
const widthOf = ({ west, east }: Box): number => (east >= west ? east - west : east - west + 360);
const wrapped = (degrees: number): number => (degrees > 180 ? degrees - 360 : degrees);

/** A box of a grid around the box in view: viewers of about the same get the same stretches, and a small move of the map needs none. */
export function gridBox(box: Box): Box {
  const { south, west, north } = box;
  const grid = GRIDS.find((each) => Math.max(widthOf(box), north - south) <= CELLS * each);
  if (grid === undefined) return WORLD;
  return {
    south: Math.max(-90, Math.floor(south / grid) * grid),
    north: Math.min(90, Math.ceil(north / grid) * grid),
    west: Math.floor(west / grid) * grid,
    east: wrapped(Math.ceil((west + widthOf(box)) / grid) * grid),
  };
}

/** True if the outer box has all of the inner one. */
export function hasBox(outer: Box, inner: Box): boolean {
  const from = (inner.west - outer.west + 720) % 360;
  const isInside = widthOf(outer) === 360 || from + widthOf(inner) <= widthOf(outer);
  return isInside && inner.south >= outer.south && inner.north <= outer.north;
}

/** South-west corners of the cells of 10 degrees in a box, as the stream names its zones; null for the world. */
export function cellsOf(box: Box): string[] | null {
  const rows = steps(box.south, box.north);
  const columns = steps(box.west, box.west + widthOf(box));
  if (rows.length * columns.length > CELLS_MAX) return null;
  return rows.flatMap((lat) => columns.map((lon) => `${lat},${lon >= 180 ? lon - 360 : lon}`));
}
const steps = (from: number, to: number): number[] => {
  const first = Math.floor(from / CELL_DEG);
  return Array.from({ length: Math.floor(to / CELL_DEG) - first + 1 }, (_, i) => (first + i) * CELL_DEG);
};
