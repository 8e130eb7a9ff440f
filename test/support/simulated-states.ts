// Simulated flights as a perfect fold would give them: true states at the times that a test chooses.

import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import type { Truth } from '../proof/observer/flown.ts';
import { bareState } from './full-state.ts';

/** `hex` is the aircraft's number in the fleet. */
export function stateOf(aircraft: number, truth: Truth, timeMs: number): AircraftState {
  return bareState((0x48_0000 + aircraft).toString(16), {
    tickMs: timeMs,
    source: 0,
    seenMs: timeMs,
    messages: 100,
    positionMs: timeMs,
    positionValid: true,
    latitudeMicrodeg: Math.round(truth.latDeg * 1e6),
    longitudeMicrodeg: Math.round(truth.lonDeg * 1e6),
    nic: 8,
    rcM: 186,
    onGround: truth.onGround,
    flight: truth.flight.padEnd(8),
    category: 'A3',
    altitudeBaroFt: truth.onGround ? null : Math.round(truth.altitudeFt / 25) * 25,
    groundSpeedDeciKt: Math.round(truth.groundSpeedKt * 10),
    trackCentideg: Math.round(truth.trackDeg * 100) % 36_000,
    baroRateFpm: Math.round(truth.rateFpm / 64) * 64,
  });
}
