// Planned legs: no jumps, no impossible speeds, and each leg begins where the previous one ended.
import { describe, expect, test } from 'vitest';
import { distanceM } from '../../geo/great-circle.ts';
import { airports } from './airports.ts';
import { type AircraftClass, FLIGHT_ROUTE } from './classes.ts';
import { createFleet } from './fleet.ts';
import { emptyLeg, LegPlanner } from './leg.ts';
import { PIECE_END, PIECE_NUMBERS, pieceState } from './pieces.ts';
import { createNetwork } from './routes.ts';
import { type FlightState, flightState, PHASE_CRUISE, PHASE_TAXI } from './state.ts';

const SEED = 7;
const network = createNetwork(airports);
const fleet = createFleet(600, SEED, airports);
const planner = new LegPlanner(network, SEED);
const leg = emptyLeg();
const before = flightState();
const after = flightState();

function faultOf(state: FlightState, aircraftClass: AircraftClass): string {
  if (Object.values(state).some((value) => Number.isNaN(value))) return 'not a number';
  if (state.groundSpeedKt > aircraftClass.cruiseTasKt + 150) return 'too fast';
  if (Math.abs(state.rateFpm) > 7000) return 'too steep';
  if (state.phase <= PHASE_TAXI && state.groundSpeedKt >= 30) return 'taxi too fast';
  if (state.phase === PHASE_CRUISE && state.rateFpm !== 0) return 'cruise not level';
  if (!state.onGround && state.groundSpeedKt < 15) return 'too slow to fly';
  return '';
}

describe('legs', () => {
  test('are continuous in position, altitude and speed between pieces and between legs', () => {
    for (const flyer of fleet) {
      let first = true;
      for (let number = 0; number < 3; number += 1) {
        planner.plan(flyer, number, leg);
        const { numbers, count } = leg.pieces;
        for (let i = 0; i < count; i += 1) {
          const at = i * PIECE_NUMBERS;
          pieceState(numbers, at, i === 0 ? 0 : numbers[at - PIECE_NUMBERS + PIECE_END]!, after);
          if (!first) {
            const where = `${flyer.aircraftClass.name} ${flyer.index}, leg ${number}, piece ${i} of ${count}`;
            expect(distanceM(before, after), where).toBeLessThan(0.5);
            expect(Math.abs(before.groundSpeedKt - after.groundSpeedKt), where).toBeLessThan(0.01);
            expect(Math.abs(before.altitudeFt - after.altitudeFt), where).toBeLessThan(0.01);
            // An aircraft may change its heading only between two legs and while it stands.
            if (after.groundSpeedKt > 1) expect(before.east * after.east + before.north * after.north, where).toBeGreaterThan(0.9999);
          }
          first = false;
          pieceState(numbers, at, numbers[at + PIECE_END]!, before);
        }
      }
    }
  });

  test('stay within the limits of their class', () => {
    const wrong: string[] = [];
    for (const flyer of fleet) {
      planner.plan(flyer, 0, leg);
      const { numbers, durationS } = leg.pieces;
      const { aircraftClass } = flyer;
      let highest = 0;
      for (let seconds = 0; seconds < durationS; seconds += 7) {
        pieceState(numbers, leg.pieces.find(seconds) * PIECE_NUMBERS, seconds, after);
        const fault = faultOf(after, aircraftClass);
        if (fault !== '')
          wrong.push(`${fault}: ${aircraftClass.name} ${flyer.index} at ${seconds} s of ${durationS} ${JSON.stringify(after)}`);
        highest = Math.max(highest, after.altitudeFt);
      }
      if (aircraftClass.flight !== FLIGHT_ROUTE || leg.origin === leg.destination) continue;
      if (Math.abs(leg.cruiseFt - highest) > 1 || durationS > 14 * 3600) wrong.push(`${flyer.index}: ${highest} ft, ${durationS} s`);
    }
    expect(wrong).toEqual([]);
  });
});
