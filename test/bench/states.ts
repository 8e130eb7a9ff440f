// Aircraft states for the benchmarks of view and HTTP: any number, from a fold of simulated traffic.
import { Random } from '../../pipeline/simulate/flights/random.ts';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { fullState } from '../support/full-state.ts';
import { simulatedFold } from './frames.ts';

const SIMULATED_AIRCRAFT = 4000;
const SIMULATED_S = 30;
const FIRST_ADDRESS = 0x40_0000;
/** Spreads addresses; odd, so that they stay unique. */
const ADDRESS_STEP = 0x2545;

/**
 * `count` listed aircraft with a position and their folded values. Beyond the simulated ones (about 2,900) they are variations
 * with other values in the same fields, so that a compressor finds no repetitions.
 */
export function locatedAircraft(count: number): AircraftState[] {
  const states = new Map<string, AircraftState>();
  const advance = simulatedFold(SIMULATED_AIRCRAFT, (tick) => {
    for (const state of tick.aircraft.build()) states.set(state.hex, state);
  });
  for (let second = 0; second < SIMULATED_S; second += 1) advance();
  const located = [...states.values()].filter(({ positionValid, messages }) => positionValid && messages > 1);
  return Array.from({ length: count }, (_, i) => varied(located[i % located.length]!, i));
}

function varied(state: AircraftState, i: number): AircraftState {
  const hex = ((FIRST_ADDRESS + i * ADDRESS_STEP) & 0xff_ffff).toString(16).padStart(6, '0');
  const numbers = new Random(1, i);
  const random = (span: number): number => numbers.below(span);
  const shifted = (value: number | null, span: number, step: number): number | null => value && value + step * (random(span) - (span >> 1));
  const turned = (centideg: number | null): number | null => centideg && (centideg + random(36_000)) % 36_000;
  const longitude = state.longitudeMicrodeg! + random(10_000_000);
  return {
    ...state,
    hex,
    messages: state.messages + random(10_000),
    rssiDeciDbfs: -20 - random(300),
    seenMs: state.seenMs - random(3000),
    positionMs: state.positionMs! - random(3000),
    latitudeMicrodeg: Math.round(state.latitudeMicrodeg! * 0.9) + random(9_000_000),
    longitudeMicrodeg: longitude > 180e6 ? longitude - 360e6 : longitude,
    flight: state.flight && state.flight.slice(0, 3) + String(100 + random(9900)).padEnd(5),
    squawk: state.squawk && random(4096).toString(8).padStart(4, '0'),
    altitudeBaroFt: shifted(state.altitudeBaroFt, 80, 25),
    altitudeGeomFt: shifted(state.altitudeGeomFt, 80, 25),
    groundSpeedDeciKt: state.groundSpeedDeciKt && state.groundSpeedDeciKt + random(300),
    trackCentideg: turned(state.trackCentideg),
    baroRateFpm: shifted(state.baroRateFpm, 8, 64),
    geomRateFpm: shifted(state.geomRateFpm, 8, 64),
    navHeadingCentideg: turned(state.navHeadingCentideg),
  };
}

/** The same state with a value in every field: missing ones are filled in. */
export function completed(state: AircraftState, i: number): AircraftState {
  const known = Object.fromEntries(Object.entries(state).filter(([, value]) => value !== null));
  return { ...fullState(i), calcTrackDeg: i % 360, ...known };
}
