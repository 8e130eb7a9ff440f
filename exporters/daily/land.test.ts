// Land for the picture of a day: the part in a box, cut off at its edges.
import { expect, it } from 'vitest';
import { landIn } from './land.ts';

/** Twice the area of a ring, square degrees; without its sign. */
const twiceArea = (ring: ReturnType<typeof landIn>[number]): number =>
  Math.abs(ring.reduce((sum, [x, y], i) => sum + ring.at(i - 1)![0] * y - x * ring.at(i - 1)![1], 0));

it.each([
  ['a box inland', { west: 9, east: 10, south: 50, north: 50.5 }, 1, 0.5],
  ['the open sea', { west: -30, east: -29, south: 45, north: 45.5 }, 0, 0],
  ['islands', { west: -23, east: -3, south: 51, north: 56 }, null, null],
  ['the world', { west: -180, east: 180, south: -90, north: 90 }, null, null],
])('of %s', (_name, box, rings, area) => {
  const land = landIn(box);
  for (const [x, y] of land.flat()) expect(x >= box.west && x <= box.east && y >= box.south && y <= box.north).toBe(true);
  if (rings === null) expect(land.length).toBeGreaterThan(5);
  else expect(land).toHaveLength(rings);
  if (area !== null) expect(land.reduce((sum, ring) => sum + twiceArea(ring) / 2, 0)).toBeCloseTo(area, 5);
});
