// Receivers that disagree about one aircraft: which are used, which are refused, and which outvote others.
import { describe, expect, test } from 'vitest';
import { BenchFlight } from '../../test/support/fold-flight.ts';

/** Eastward at about 480 kt along 50° N: degrees of longitude in a second. */
const EAST_PER_S = 0.003_44;

/** Honest receivers hear the flight, each a little later than the previous one; both parities and the velocity, each second. */
function fly(flight: BenchFlight, seconds: number, receivers: readonly string[] = ['here']): void {
  for (let i = 0; i < 2 * seconds; i += 1) {
    const t = flight.timeS;
    for (const receiver of receivers) {
      flight.airborne(50, 8 + t * EAST_PER_S, i % 2 === 1, { receiver });
      flight.velocity(480, 0, { receiver });
      flight.timeS += 0.05;
    }
    flight.timeS = t + 0.5;
  }
}

const track = (flight: BenchFlight) => flight.state().trackCentideg;

describe('while a position is fresh, other data of a receiver', () => {
  test('that gave none of the positions are refused', () => {
    const flight = new BenchFlight();
    fly(flight, 10);
    flight.velocity(0, 480, { receiver: 'elsewhere' });
    expect(track(flight)).toBe(9000);
    flight.timeS += 1.6;
    flight.velocity(0, 480, { receiver: 'elsewhere' });
    expect(track(flight)).toBe(9000);
    flight.timeS += 0.2;
    flight.velocity(0, 480, { receiver: 'elsewhere' });
    expect(track(flight)).toBe(0);
  });

  test('that gives prompt duplicates of the positions are taken', () => {
    const flight = new BenchFlight();
    fly(flight, 10, ['here', 'elsewhere']);
    flight.velocity(0, 480, { receiver: 'elsewhere' });
    expect(track(flight)).toBe(0);
  });
});

/** Receivers of the accepted positions, in turn: one line of the honest ones, one of a receiver that invents positions, 100 km north. */
function contest(honest: readonly string[], madeUpPerS: number, madeUpFromS: number, honestFromS: number): string {
  const flight = new BenchFlight();
  const events: [timeS: number, run: () => void][] = [];
  let turns = '';
  const note = (who: string): void => {
    if (flight.outcome.positionAccepted && turns.at(-1) !== who) turns += who;
  };
  for (let i = 0; i < 120; i += 1) {
    const timeS = honestFromS + i / 2;
    honest.forEach((receiver, n) => {
      events.push([timeS + 0.03 * n, () => note(flight.airborne(50, 8 + timeS * EAST_PER_S, i % 2 === 1, { receiver }) && 'H')]);
      events.push([timeS + 0.1 + 0.03 * n, () => flight.velocity(480, 0, { receiver })]);
    });
  }
  for (let i = 0; i < 60 * madeUpPerS; i += 1) {
    const timeS = madeUpFromS + i / madeUpPerS;
    const receiver = 'liar';
    events.push([timeS + 0.013, () => note(flight.airborne(51, 8 + timeS * EAST_PER_S, i % 2 === 1, { receiver }) && 'L')]);
  }
  const endS = Math.min(honestFromS, madeUpFromS) + 60;
  events.sort(([a], [b]) => a - b);
  for (const [timeS, run] of events) {
    if (timeS >= endS) break;
    flight.timeS = timeS;
    run();
  }
  return turns;
}

describe('a receiver that invents positions', () => {
  test.each([
    // Against earlier ones it changes nothing.
    ...[[1, 6, 10, 0, 'H'] as const, [2, 6, 10, 0, 'H'] as const, [5, 2, 10, 0, 'H'] as const, [5, 6, 10, 0, 'H'] as const],
    // Several that come later outvote it for good; a single one does not.
    ...[[2, 2, 0, 10, 'LH'] as const, [2, 6, 0, 10, 'LH'] as const, [5, 6, 0, 10, 'LH'] as const, [1, 2, 0, 10, 'L'] as const],
  ])('with %i honest ones, %i times a second from %i s on, they from %i s on: %s', (honest, perS, madeUpFromS, honestFromS, turns) => {
    const names = Array.from({ length: honest }, (_, i) => `honest ${i}`);
    expect(contest(names, perS, madeUpFromS, honestFromS)).toBe(turns);
  });
});

test('a jump ahead is refused from another receiver; the same receiver may catch up', () => {
  for (const [receiver, taken] of [
    ['elsewhere', false],
    ['here', true],
  ] as const) {
    const flight = new BenchFlight();
    fly(flight, 10, ['here', 'elsewhere']);
    flight.timeS += 0.5;
    flight.airborne(50, 8 + flight.timeS * EAST_PER_S, false);
    flight.timeS += 0.5;
    expect(flight.airborne(50, 8 + (flight.timeS + 5) * EAST_PER_S, true, { receiver }).positionAccepted).toBe(taken);
  }
});

test('positions sent before the last one are refused, and make no pairs', () => {
  const flight = new BenchFlight();
  fly(flight, 10);
  const { timeS } = flight;
  const before = flight.state();
  flight.fold.advance((1_700_000_000 + timeS) * 1e6, null);
  flight.timeS = timeS - 0.7;
  flight.altitudeFt = 20_000;
  flight.airborne(50, 8 + (timeS - 0.7) * EAST_PER_S, true, { receiver: 'elsewhere' });
  expect([flight.outcome.positionResolved, flight.outcome.positionAccepted]).toEqual([false, false]);
  flight.timeS = timeS;
  expect(flight.state()).toMatchObject({ positionMs: before.positionMs, altitudeBaroFt: 35_000 });
});
