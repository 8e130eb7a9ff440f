// Legs that a motion fits or contradicts, for the right reason. test/sim/flight-routes.test.ts flies legs from end to end.
import { expect, test } from 'vitest';
import { handReference } from '../../test/support/hand-reference.ts';
import { ABSENT } from '../aircraft/columns.ts';
import { positionVector } from '../geo/sphere.ts';
import { FlightAirports } from './airports.ts';
import { implausibility, type Leg, type Motion } from './plausibility.ts';

const airports = new FlightAirports(handReference());
const leg = (from: string, to: string): Leg => ({ origin: airports.byCode(from) ?? null, destination: airports.byCode(to) ?? null });

function motion(latDeg: number, lonDeg: number, change: Partial<Motion> = {}): Motion {
  const usual = { onGround: 0, trackCentideg: ABSENT, groundSpeedDeciKt: 4400, altitudeFt: 36_000, rateFpm: 0 };
  return { ...usual, position: positionVector(latDeg, lonDeg), latDeg, lonDeg, ...change };
}

test.each<[string, Leg, Motion, string | null]>([
  ['over Germany from Amsterdam to Vienna', leg('AMS', 'VIE'), motion(50.3, 10.5, { trackCentideg: 12_000 }), null],
  ['over Spain from Amsterdam to Vienna', leg('AMS', 'VIE'), motion(40, -4), 'detour'],
  ['over Germany, but westbound', leg('AMS', 'VIE'), motion(50.3, 10.5, { trackCentideg: 30_000 }), 'direction'],
  [
    'westbound, but slow as in a holding of no speed',
    leg('AMS', 'VIE'),
    motion(50.3, 10.5, { trackCentideg: 30_000, groundSpeedDeciKt: 700 }),
    null,
  ],
  ['in any direction near the destination', leg('AMS', 'VIE'), motion(48.4, 16.2, { trackCentideg: 30_000, altitudeFt: 9000 }), null],
  ['at cruising altitude over the destination', leg('AMS', 'VIE'), motion(48.12, 16.55), 'altitude'],
  ['at cruising altitude over the origin', leg('AMS', 'VIE'), motion(52.31, 4.77), 'altitude'],
  ['climbing out', leg('AMS', 'VIE'), motion(52.2, 5, { altitudeFt: 9000 }), null],
  ['on the ground at the origin', leg('AMS', 'VIE'), motion(52.31, 4.77, { onGround: 1, altitudeFt: ABSENT }), null],
  ['on the ground at the destination', leg('AMS', 'VIE'), motion(48.11, 16.57, { onGround: 1, altitudeFt: ABSENT }), null],
  ['on the ground elsewhere', leg('AMS', 'VIE'), motion(48.35, 11.79, { onGround: 1, altitudeFt: ABSENT }), 'ground'],
  ['far off the great circle around closed airspace', leg('LHR', 'HND'), motion(42, 47), null],
  ['across the antimeridian', leg('SYD', 'SCL'), motion(-55, -179.9, { trackCentideg: 9000 }), null],
  ['with only an origin, anywhere in the air', { origin: airports.byCode('AMS')!, destination: null }, motion(40, -4), null],
  [
    'with only an origin, on the ground elsewhere',
    { origin: airports.byCode('AMS')!, destination: null },
    motion(40, -4, { onGround: 1 }),
    'ground',
  ],
  ['without a track or a speed', leg('AMS', 'VIE'), motion(50.3, 10.5, { groundSpeedDeciKt: ABSENT }), null],
])('%s', (_, way, at, reason) => {
  expect(implausibility(way, at)).toBe(reason);
});
