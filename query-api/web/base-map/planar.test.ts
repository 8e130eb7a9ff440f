// Land as MapLibre can fill it: no outline jumps, and each is closed.
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { expect, it } from 'vitest';
import file from 'world-atlas/countries-110m.json' with { type: 'json' };
import { planar } from './planar.ts';

it('all land of the base map turns one way, without a jump', () => {
  const world = file as unknown as Topology<{ land: GeometryCollection }>;
  const outlines = feature(world, world.objects.land).features.flatMap(({ geometry }) => {
    if (geometry.type !== 'MultiPolygon') throw new Error(geometry.type);
    return geometry.coordinates.map(([outline]) => planar(outline!));
  });
  expect(outlines.length).toBeGreaterThan(100);
  for (const outline of outlines) {
    const sides = outline.slice(1).map(([lon, lat], i) => ({ from: outline[i]!, lon, lat }));
    const jumps = sides.filter(({ from, lon, lat }) => lat > -90 && Math.abs(lon - from[0]) > 180);
    const area = sides.reduce((sum, { from, lon, lat }) => sum + (from[0] * lat - lon * from[1]) / 2, 0);
    expect([jumps, area < 0]).toEqual([[], true]);
  }
});
