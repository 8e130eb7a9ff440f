// Settings of the crew: altitude, pressure and modes of the autopilot, derived from the phase of the flight.
import { qnhHpa } from './flights/atmosphere.ts';
import { type FlightState, PHASE_APPROACH, PHASE_CRUISE, PHASE_DESCENT } from './flights/state.ts';

const MODE_AUTOPILOT = 1;
const MODE_VNAV = 2;
const MODE_ALTHOLD = 4;
const MODE_APPROACH = 8;
const MODE_LNAV = 16;
const MODE_TCAS = 32;
const TRANSITION_FT = 8000;

/** The next level that air traffic control would assign, in steps of 2000 ft. */
export function selectedAltitudeFt(state: FlightState, cruiseFt: number, destinationFt: number): number {
  const approachFt = Math.round(destinationFt / 100) * 100 + 3000;
  if (state.phase === PHASE_APPROACH) return approachFt;
  if (state.phase !== PHASE_DESCENT) return cruiseFt;
  return Math.max(approachFt, Math.floor((state.altitudeFt - 500) / 2000) * 2000);
}

export function settingHpa(state: FlightState): number {
  return state.altitudeFt < TRANSITION_FT ? qnhHpa(state.latDeg, state.lonDeg) : 1013.25;
}

/** Bits as in a target state. */
export function navModes({ phase, altitudeFt }: FlightState): number {
  if (phase === PHASE_APPROACH) return MODE_AUTOPILOT | MODE_APPROACH | MODE_TCAS;
  if (phase === PHASE_CRUISE) return MODE_AUTOPILOT | MODE_ALTHOLD | MODE_LNAV | MODE_TCAS;
  return (altitudeFt > 3000 ? MODE_AUTOPILOT : 0) | MODE_VNAV | MODE_LNAV | MODE_TCAS;
}

/** True for codes that raise the permanent alert. */
export function hasAlert(squawk: number): boolean {
  return squawk === 7500 || squawk === 7600 || squawk === 7700;
}
