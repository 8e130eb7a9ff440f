// The emitted state: the last position, the calculated track, and consistent times.
import { describe, expect, test } from 'vitest';
import { FLAG_REPAIRED_SHIFT } from '../../schemas/packed-frame.ts';
import { BenchFlight, FLIGHT_START_US } from '../../test/support/fold-flight.ts';

/** Degrees of longitude at 50° N. */
const degreesOf = (metres: number): number => metres / 71_474;

/** Positions only, one a second, `stepM` apart to the east, on the parallel `northM` north of 50°. */
function drift(flight: BenchFlight, seconds: number, stepM: number, firstM = 0, northM = 0): number {
  let atM = firstM;
  for (let i = 0; i < seconds; i += 1) {
    flight.airborne(50 + northM / 111_195, 8 + degreesOf(atM), i % 2 === 1);
    flight.timeS += 1;
    atM += stepM;
  }
  return atM;
}

describe('the calculated track', () => {
  test('is the bearing of the last move of 100 m or more between two positions', () => {
    const flight = new BenchFlight();
    const atM = drift(flight, 8, 240);
    expect(Math.abs(flight.state().calcTrackDeg! - 90)).toBeLessThanOrEqual(2);
    // 60 m steps to the north: too short to change it.
    for (let i = 1; i <= 6; i += 1) drift(flight, 1, 0, atM - 240, 60 * i);
    expect(Math.abs(flight.state().calcTrackDeg! - 90)).toBeLessThanOrEqual(2);
    for (let i = 1; i <= 2; i += 1) drift(flight, 1, 0, atM - 240, 360 + 200 * i);
    expect((flight.state().calcTrackDeg! + 5) % 360).toBeLessThanOrEqual(10);
  });

  test('is absent before the aircraft moved', () => {
    const flight = new BenchFlight();
    drift(flight, 8, 0);
    expect(flight.state()).toMatchObject({ positionValid: true, calcTrackDeg: null });
  });

  test('gives way to a reported track, until that expires', () => {
    const flight = new BenchFlight();
    drift(flight, 8, 240);
    flight.velocity(480, 0);
    expect(flight.state()).toMatchObject({ trackCentideg: 9000, calcTrackDeg: null });
    flight.timeS += 60;
    drift(flight, 2, 240, 16_000);
    expect(flight.state().trackCentideg).toBeNull();
    expect(flight.state().calcTrackDeg).not.toBeNull();
  });

  test('is absent on the ground and while the position is not valid', () => {
    const flight = new BenchFlight();
    drift(flight, 8, 240);
    flight.timeS += 61;
    flight.allCall();
    expect(flight.state()).toMatchObject({ positionValid: false, calcTrackDeg: null });
    const landed = new BenchFlight();
    const atM = drift(landed, 8, 240);
    landed.header.capability = 4;
    landed.surface(50, 8 + degreesOf(atM), false, 30);
    expect(landed.state()).toMatchObject({ onGround: true, positionValid: true, calcTrackDeg: null });
  });
});

describe('the position', () => {
  test('is valid for 60 s, then the last one while the aircraft is heard and an hour more', () => {
    const flight = new BenchFlight();
    drift(flight, 8, 240);
    const position = { latitudeMicrodeg: flight.state().latitudeMicrodeg, positionMs: FLIGHT_START_US / 1000 + 7000, nic: 8, rcM: 186 };
    flight.timeS = 67;
    expect(flight.state()).toMatchObject({ ...position, positionValid: true });
    flight.timeS = 67.001;
    expect(flight.state()).toMatchObject({ ...position, positionValid: false });
    for (flight.timeS = 600; flight.timeS <= 7200; flight.timeS += 600) flight.allCall();
    expect(flight.state()).toMatchObject({ ...position, positionValid: false });
    const gone: string[] = [];
    for (const second of [10_200, 10_801])
      flight.fold.advance(FLIGHT_START_US + second * 1e6, (tick) => {
        gone.push(...tick.gone.map((hex) => `${hex} ${second}`));
      });
    expect(gone).toEqual(['3c6586 10801']);
  });

  test('is absent after 14 days, even if the aircraft is heard all the time', () => {
    const flight = new BenchFlight();
    drift(flight, 8, 240);
    const days = (count: number) => 7 + 86_400 * count;
    for (flight.timeS = 1800; flight.timeS < days(15); flight.timeS += 1800) flight.allCall();
    expect(flight.state()).toMatchObject({ positionMs: null, latitudeMicrodeg: null, positionValid: false });
  });

  test('is never newer than the aircraft, with any repaired bits and any late frame', () => {
    const flight = new BenchFlight();
    const check = (): void => {
      const { seenMs, positionMs } = flight.state();
      expect(seenMs).toBeGreaterThanOrEqual(positionMs ?? 0);
      expect(seenMs).toBeLessThanOrEqual(flight.nowMs);
    };
    for (let i = 0; i < 40; i += 1) {
      flight.timeS = 1 + i + (i % 7 === 3 ? -0.4 : 0);
      const flags = i % 3 === 1 ? 1 << FLAG_REPAIRED_SHIFT : 0;
      flight.airborne(50, 8 + degreesOf(240 * flight.timeS), i % 2 === 1, { flags });
      flight.timeS = Math.max(flight.timeS, 1 + i);
      check();
    }
    expect(flight.state().positionValid).toBe(true);
  });
});
