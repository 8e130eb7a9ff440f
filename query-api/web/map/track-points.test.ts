// Lines of tracks, great circles, arrows at the border and the scale, without a browser.
import { expect, test } from 'vitest';
import { atBorder } from '../map-page/emergencies.ts';
import { greatCircle, unwrapped } from '../sky/mercator.ts';
import { scaleOf } from './legend.ts';
import { fromMe } from './me.ts';
import { linesOf, type TrackPoint } from './track-points.ts';

const point = (time: number, more: Partial<TrackPoint> = {}): TrackPoint => ({
  ...{ time, lat: 50, lon: time / 100, alt_baro: 10_000, track: 90, stale: false, leg: false },
  ...more,
});
const colour = ({ alt_baro: altitude }: TrackPoint): string => String(altitude);

test('a track is a line for each colour; what was not heard is a gap, and nothing leads to the start of a leg', () => {
  const points = [point(0), point(20), point(40), point(60, { alt_baro: 11_000 }), point(300, { alt_baro: 11_000 })];
  const next = [point(900, { leg: true }), point(920), point(940, { stale: true })];
  const lines = linesOf([...points, ...next], colour);
  expect(lines.map(({ colour: name, isGap, line }) => [name, isGap, line.map(([lon]) => lon)])).toEqual([
    ['10000', false, [0, 0.2, 0.4]],
    ['11000', false, [0.4, 0.6]],
    ['11000', true, [0.6, 3]],
    ['10000', false, [9, 9.2]],
    ['10000', true, [9.2, 9.4]],
  ]);
});

test('lines go on at the antimeridian, tracks and great circles too', () => {
  const [line] = linesOf([point(0, { lon: 179.9 }), point(20, { lon: -179.9 }), point(40, { lon: -179.7 })], colour);
  expect(line!.line.map(([lon]) => Number(lon.toFixed(3)))).toEqual([179.9, 180.1, 180.3]);
  expect(unwrapped([[-179, 0], [179, 0], [-179, 0]]).map(([lon]) => lon)).toEqual([-179, -181, -179]); // biome-ignore format: a line
  const circle = greatCircle({ lat: 35.5, lon: 139.8 }, { lat: 37.6, lon: -122.4 });
  expect(circle.at(-1)![0]).toBeCloseTo(237.6, 1);
  expect(Math.max(...circle.map(([, lat]) => lat))).toBeGreaterThan(47);
});

test('an emergency outside of the view has an arrow; the scale is a round distance, and the way from me has a direction', () => {
  const screen = { width: 400, height: 200 };
  expect(atBorder(399, 1, screen)).toBeNull();
  expect(atBorder(2200, 100, screen)).toEqual({ x: 374, y: 100, degrees: 0 });
  expect(atBorder(200, -900, screen)).toEqual({ x: 200, y: 26, degrees: -90 });
  expect(scaleOf({ pixelsPerMetre: 0.001 }, 'metric')).toEqual({ length: 50, distance: '50 km' });
  expect(scaleOf({ pixelsPerMetre: 0.2 }, 'aviation').distance).toBe('0.2 nm');
  expect(fromMe({ lat: 52, lon: 4 }, { lat: 53, lon: 4 }, 'aviation')).toBe('60 nm, 0° N');
});
