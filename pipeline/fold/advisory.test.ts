// ACAS advisories: from each format that carries one, how long they are shown, and what is none.
import { expect, test } from 'vitest';
import { withParity } from '../../test/golden/frames.ts';
import { BenchFlight, FLIGHT_ADDRESS, FLIGHT_START_US } from '../../test/support/fold-flight.ts';

const START_MS = FLIGHT_START_US / 1000;
const squitterOf = (me: string) => withParity(`8d3c6586${me}`);
const airAirOf = (mv: string) => withParity(`80e19530${mv}`, FLIGHT_ADDRESS);

test('an air-air reply has no threat; the newest report counts, until the encounter ends', () => {
  const flight = new BenchFlight();
  flight.allCall();
  flight.frame(airAirOf('30e20200000000'));
  expect(flight.state().acasRa).toMatchObject({ df: 16, advisory: 'Descend', complement: 'Do not pass below', threatHex: null });
  expect(flight.state().altitudeBaroFt).toBe(null);
  flight.timeS = 1;
  flight.frame(squitterOf('e2c20026a9dfe4'));
  expect(flight.state().acasRa).toMatchObject({ timeMs: START_MS + 1000, df: 17, advisory: 'Clear of conflict', threatHex: 'aa77f9' });
  flight.timeS = 0.5;
  flight.frame(squitterOf('e2c00006a9dfe4'));
  expect(flight.state().acasRa).toMatchObject({ timeMs: START_MS + 1000 });
});

test('the state is emitted again when an advisory ends', () => {
  const flight = new BenchFlight();
  const shown: (string | undefined)[] = [];
  flight.frame(squitterOf('e2c00006a9dfe4'));
  for (let second = 1; second <= 20; second += 1)
    flight.fold.advance(FLIGHT_START_US + second * 1e6, ({ aircraft }) => {
      for (const state of aircraft.build()) shown.push(`${second} ${state.acasRa?.advisory ?? 'none'}`);
    });
  expect(shown).toEqual(['1 Level off', '16 none']);
});
