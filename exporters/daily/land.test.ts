// Land for the picture of a day: the part in a box, cut off at its edges.
import { expect, it } from 'vitest';
import { landIn } from './land.ts';

/** Twice the area of a ring, square degrees; without its sign. */
const twiceArea = (ring: ReturnType<typeof landIn>[number]): number =>
  Math.abs(ring.reduce((sum, [x, y], i) => sum + ring.at(i - 1)![0] * y - x * ring.at(i - 1)![1], 0));

it('is cut off at the edges of the box', () => {
  const box = { west: 9, east: 10, south: 50, north: 50.5 };
  expect(landIn(box).map(twiceArea)).toEqual([expect.closeTo(1, 5)]);
  expect(landIn({ west: -30, east: -29, south: 45, north: 45.5 })).toEqual([]);
  const islands = { west: -23, east: -3, south: 51, north: 56 };
  for (const [x, y] of landIn(islands).flat())
    expect(x >= islands.west && x <= islands.east && y >= islands.south && y <= islands.north).toBe(true);
});
