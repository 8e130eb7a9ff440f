// CPR: zones, known positions and refused pairs. test/properties/cpr.test.ts compares the whole sphere with an exact reference.
import { describe, expect, test } from 'vitest';
import { encode, positionOf } from '../../test/properties/cpr-reference.ts';
import { type CprResult, cprGlobalAirborne, cprGlobalSurface, cprLocalAirborne, isPairOffEarth, NL } from './cpr.ts';

function fresh(): CprResult {
  return { latitudeMicrodeg: 1, longitudeMicrodeg: 2 };
}

/** §A.1.7.2 d, computed with Math. */
function transitionLatitude(zones: number): number {
  return (Math.acos(Math.sqrt((1 - Math.cos(Math.PI / 30)) / (1 - Math.cos((2 * Math.PI) / zones)))) * 180) / Math.PI;
}

describe('NL', () => {
  test('changes at the latitudes of the formula, to 1e-8', () => {
    for (let zones = 59; zones >= 3; zones -= 1) {
      const latitude = transitionLatitude(zones);
      for (const sign of [1, -1]) {
        expect(NL(sign * (latitude - 1e-8))).toBe(zones);
        expect(NL(sign * (latitude + 1e-8))).toBe(zones - 1);
      }
    }
  });

  test('equator 59, 87° 2, beyond 1', () => {
    expect([NL(0), NL(87), NL(-87), NL(87.000001), NL(90), NL(-90), NL(Number.NaN)]).toEqual([59, 2, 2, 1, 1, 1, 1]);
  });
});

describe('global airborne', () => {
  test('frames from different longitude zones give no position', () => {
    const even = encode(positionOf(10_450_000, 20_000_000), false, 17);
    const odd = encode(positionOf(10_490_000, 20_000_000), true, 17);
    const out = fresh();
    expect(cprGlobalAirborne(even.lat, even.lon, odd.lat, odd.lon, true, out)).toBe(false);
    expect(out).toEqual(fresh());
  });

  test('latitudes beyond a pole are distinguished from different zones', () => {
    const even = encode(positionOf(50_000_000, 8_000_000), false, 17);
    const far = encode(positionOf(48_500_000, 8_000_000), true, 17);
    const near = encode(positionOf(50_050_000, 8_000_000), true, 17);
    expect(cprGlobalAirborne(even.lat, even.lon, far.lat, far.lon, true, fresh())).toBe(false);
    expect([isPairOffEarth(even.lat, far.lat), isPairOffEarth(even.lat, near.lat)]).toEqual([true, false]);
    const south = encode(positionOf(-89_900_000, 8_000_000), false, 17);
    expect(isPairOffEarth(south.lat, encode(positionOf(-89_900_000, 8_000_000), true, 17).lat)).toBe(false);
  });

  test('a pair from the air over Amsterdam, 2008 (8d40621d58c382d690c8ac2863a7, 8d40621d58c386435cc412692ad6)', () => {
    const out = fresh();
    expect(cprGlobalAirborne(93_000, 51_372, 74_158, 50_194, false, out)).toBe(true);
    expect(out).toEqual({ latitudeMicrodeg: 52_257_202, longitudeMicrodeg: 3_919_373 });
  });
});

test('global surface: the reference selects one of eight positions', () => {
  const even = encode(positionOf(52_300_000, 4_760_000), false, 19);
  const odd = encode(positionOf(52_300_000, 4_760_000), true, 19);
  const out = fresh();
  const positions = new Set<string>();
  for (const lat of [50_000_000, -40_000_000]) {
    for (const lon of [0, 90_000_000, 179_000_000, -90_000_000]) {
      expect(cprGlobalSurface(even.lat, even.lon, odd.lat, odd.lon, true, lat, lon, out)).toBe(true);
      positions.add(`${Math.round(out.latitudeMicrodeg / 1e4)},${Math.round(out.longitudeMicrodeg / 1e4)}`);
    }
  }
  // South of the equator the same field is another latitude, with other zones: 4.76° becomes 5.58°.
  const north = ['5230,-17524', '5230,-8524', '5230,476', '5230,9476'];
  const south = ['-3770,-17442', '-3770,-8442', '-3770,558', '-3770,9558'];
  expect([...positions].sort()).toEqual([...south, ...north].sort());
});

test('local: a candidate beyond the pole is refused', () => {
  const out = fresh();
  expect(cprLocalAirborne(20_000, 0, false, 89_000_000, 0, out)).toBe(false);
  expect(out).toEqual(fresh());
});
