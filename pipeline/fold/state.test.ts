// The emitted state: the last position, the calculated track, and consistent times.
import { describe, expect, test } from 'vitest';
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
});
