// Boxes of a grid, and cells of the stream in them, also across the antimeridian.
import { expect, it } from 'vitest';
import { cellsOf, gridBox, hasBox } from './boxes.ts';
import { WORLD } from './picture.ts';

it('asks for boxes of a grid', () => {
  expect(gridBox({ south: 51.2, west: 3.4, north: 53.9, east: 6.8 })).toEqual({ south: 51, west: 3, north: 54, east: 7 });
  expect(gridBox({ south: -20.5, west: 171, north: -10, east: -172 })).toEqual({ south: -25, west: 170, north: -10, east: -170 });
  expect(gridBox({ south: -60, west: -180, north: 80, east: 180 })).toBe(WORLD);
  const box = { south: 50, west: 0, north: 55, east: 10 };
  expect(hasBox(box, { south: 51, west: 1, north: 54, east: 9 })).toBe(true);
  expect(hasBox({ south: -25, west: 170, north: -10, east: -170 }, { south: -20, west: 175, north: -11, east: -175 })).toBe(true);
  expect(hasBox({ south: -25, west: 170, north: -10, east: -170 }, { south: -20, west: 165, north: -11, east: 175 })).toBe(false);
  expect(hasBox(WORLD, { south: -20, west: 165, north: -11, east: -175 })).toBe(true);
});

it('names the cells of a box as the stream does, and the world when they are many', () => {
  expect(cellsOf({ south: 51, west: 3, north: 53, east: 7 })).toEqual(['50,0']);
  expect(cellsOf({ south: 48, west: 5, north: 53, east: 14 })).toEqual(['40,0', '40,10', '50,0', '50,10']);
  expect(cellsOf({ south: -4, west: 175, north: 4, east: -175 })).toEqual(['-10,170', '-10,-180', '0,170', '0,-180']);
  expect(cellsOf({ south: -60, west: -100, north: 80, east: 100 })).toBeNull();
});
