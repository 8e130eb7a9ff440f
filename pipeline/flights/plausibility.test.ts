// Legs that flights really fly are accepted anywhere along them; others are contradicted for the right reason.
import { describe, expect, test } from 'vitest';
import { handReference } from '../../test/support/hand-reference.ts';
import { ABSENT } from '../aircraft/columns.ts';
import { EARTH_RADIUS_NM } from '../geo/earth.ts';
import { positionVector } from '../geo/sphere.ts';
import { FlightAirports } from './airports.ts';
import { detourNm, implausibility, type Leg, type Motion } from './plausibility.ts';

const airports = new FlightAirports(handReference());
const leg = (from: string, to: string): Leg => ({ origin: airports.byCode(from) ?? null, destination: airports.byCode(to) ?? null });

function motion(latDeg: number, lonDeg: number, change: Partial<Motion> = {}): Motion {
  const usual = { onGround: 0, trackCentideg: ABSENT, groundSpeedDeciKt: 4400, altitudeFt: 36_000, rateFpm: 0 };
  return { ...usual, position: positionVector(latDeg, lonDeg), latDeg, lonDeg, ...change };
}

describe('examples', () => {
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
});

describe('properties', () => {
  const codes = ['AMS', 'LHR', 'CDG', 'VIE', 'MAD', 'IST', 'SYD', 'SCL', 'HND', 'DXB', 'MAN', 'DUB', 'BRU'];
  const pairs = codes.flatMap((from) => codes.filter((to) => to !== from).map((to) => [from, to] as const));

  /** A point on the great circle, and the bearing onwards. */
  function along({ origin, destination }: Leg, share: number): Motion {
    const [a, b] = [origin!.position, destination!.position];
    const angle = Math.acos(a.x * b.x + a.y * b.y + a.z * b.z);
    const at = (part: number) => {
      const [p, q] = [Math.sin((1 - part) * angle) / Math.sin(angle), Math.sin(part * angle) / Math.sin(angle)];
      const [x, y, z] = [p * a.x + q * b.x, p * a.y + q * b.y, p * a.z + q * b.z];
      return { latDeg: (Math.asin(z) * 180) / Math.PI, lonDeg: (Math.atan2(y, x) * 180) / Math.PI };
    };
    const [here, next] = [at(share), at(share + 0.001)];
    const east = (((next.lonDeg - here.lonDeg + 540) % 360) - 180) * Math.cos((here.latDeg * Math.PI) / 180);
    const trackDeg = ((Math.atan2(east, next.latDeg - here.latDeg) * 180) / Math.PI + 360) % 360;
    // Steeper than airliners climb.
    const heightFt = Math.min(36_000, 600 * EARTH_RADIUS_NM * angle * Math.min(share, 1 - share));
    return motion(here.latDeg, here.lonDeg, { trackCentideg: Math.round(trackDeg * 100), altitudeFt: heightFt });
  }

  test('every flight along its great circle is accepted, and has no detour', () => {
    for (const [from, to] of pairs)
      for (let share = 0.03; share < 0.97; share += 0.047) {
        const way = leg(from, to);
        const at = along(way, share);
        expect([from, to, share, implausibility(way, at)]).toEqual([from, to, share, null]);
        expect(Math.abs(detourNm(way, at.position))).toBeLessThan(0.01);
      }
  });

  test('the way back is refused half-way', () => {
    for (const [from, to] of pairs) expect(implausibility(leg(to, from), along(leg(from, to), 0.5))).toBe('direction');
  });
});
