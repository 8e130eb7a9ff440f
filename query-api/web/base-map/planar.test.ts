// Land as MapLibre can fill it: no outline jumps, and each is closed.
import { feature } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import { expect, it } from 'vitest';
import file from 'world-atlas/countries-110m.json' with { type: 'json' };
import { planar } from './planar.ts';

it('goes on beyond the antimeridian', () => {
  expect(planar([[170, 1], [-170, 1], [-170, 5], [170, 5], [170, 1]])).toEqual([[170, 1], [190, 1], [190, 5], [170, 5], [170, 1]]); // biome-ignore format: pairs
});

it('closes an outline around a pole', () => {
  expect(planar([[-120, -70], [0, -70], [120, -70], [-120, -70]])).toEqual([
    ...[[-120, -70], [0, -70], [120, -70], [240, -70]],
    ...[[240, -90], [-120, -90], [-120, -70]],
  ]); // biome-ignore format: pairs
});

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
