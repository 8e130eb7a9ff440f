// Cells in view: those the stream knows, also across the antimeridian; the world when they are many.
import { expect, test } from 'vitest';
import { Camera } from './camera.ts';
import { cellsInView } from './cells.ts';

function cells(lat: number, lon: number, zoom: number): string[] | null {
  const camera = new Camera();
  camera.set({ lat, lon, zoom });
  [camera.width, camera.height] = [800, 600];
  return cellsInView(camera);
}

test('names the cells of the view as the stream does', () => {
  expect(cells(52, 5, 7)).toEqual(['50,0']);
  expect(cells(51, 10, 6)).toEqual(['40,0', '40,10', '50,0', '50,10']);
  expect(cells(0, 180, 6)).toEqual(['-10,170', '-10,-180', '0,170', '0,-180']);
  expect(cells(30, 0, 2)).toBeNull();
});
