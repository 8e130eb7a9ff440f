// The flown motion of an aircraft and the air around it, at any time. Derived values are compared with both.
import { decimalYear, declinationDeg } from '../../../pipeline/geo/magnetic-model.ts';
import { callSign, squawkOf } from '../../../pipeline/simulate/aircraft-table.ts';
import { temperatureRatio, type Wind, windAt } from '../../../pipeline/simulate/flights/atmosphere.ts';
import { emptyLeg } from '../../../pipeline/simulate/flights/leg.ts';
import { PIECE_NUMBERS, pieceState } from '../../../pipeline/simulate/flights/pieces.ts';
import {
  type AirData,
  airDataOf,
  airDataZero,
  type FlightState,
  flightState,
  headingMagneticDeg,
  trackDeg,
} from '../../../pipeline/simulate/flights/state.ts';
import type { Traffic } from '../../../pipeline/simulate/traffic.ts';

const DAY_US = 86_400e6;
const KM_PER_FT = 0.0003048;

/** The true state of an aircraft. */
export interface Truth extends FlightState, AirData {
  trackDeg: number;
  headingMagneticDeg: number;
  altitudeGeomFt: number;
  flight: string;
  squawk: number;
  /** DO-260B emergency code 0-7. */
  emergency: number;
  /** ICAO codes. */
  origin: string;
  destination: string;
}

const yearOf = ({ startUs }: Traffic): number => decimalYear(startUs / DAY_US);

/** The true state of an aircraft at any time from the start on, µs since the Unix epoch. Plans its flights again: some 20 µs. */
export function truthOf(traffic: Traffic, aircraft: number, timeUs: number): Truth {
  const { table } = traffic;
  const seconds = (timeUs - traffic.startUs) / 1e6;
  const [leg, state, air] = [emptyLeg(), flightState(), airDataZero()];
  const identity = traffic.fleet[aircraft]!;
  const legSeconds = seconds - table.legAt(aircraft, seconds, leg);
  pieceState(leg.pieces.numbers, leg.pieces.find(legSeconds) * PIECE_NUMBERS, legSeconds, state);
  airDataOf(state, air);
  const emergency = leg.emergency !== 0 && legSeconds >= leg.emergencyFromS && legSeconds < leg.emergencyToS ? leg.emergency : 0;
  return {
    ...state,
    ...air,
    headingMagneticDeg: headingMagneticDeg(state, air, yearOf(traffic)),
    trackDeg: trackDeg(state),
    altitudeGeomFt: state.altitudeFt + air.geomDeltaFt,
    flight: callSign(identity, leg),
    squawk: emergency !== 0 && leg.emergencySquawk !== 0 ? leg.emergencySquawk : squawkOf(identity, leg),
    emergency,
    origin: table.network.airports[leg.origin]!.icao,
    destination: table.network.airports[leg.destination]!.icao,
  };
}

/** Simulated magnetic declination at a position; east positive. */
export function declinationAt(traffic: Traffic, latDeg: number, lonDeg: number, altitudeFt: number): number {
  return declinationDeg(latDeg, lonDeg, altitudeFt * KM_PER_FT, yearOf(traffic));
}

const wind: Wind = { eastKt: 0, northKt: 0 };

export interface Flown {
  readonly timeMs: number;
  readonly truth: Truth;
  /** Direction from which the wind blows. */
  readonly windDeg: number;
  readonly windKt: number;
  readonly oatC: number;
  readonly tatC: number;
}

export function flownAt(traffic: Traffic, aircraft: number, timeMs: number): Flown {
  const truth = truthOf(traffic, aircraft, timeMs * 1000);
  windAt(truth.latDeg, truth.lonDeg, truth.altitudeFt, wind);
  const kelvin = 288.15 * temperatureRatio(truth.altitudeFt);
  return {
    timeMs,
    truth,
    windDeg: ((Math.atan2(-wind.eastKt, -wind.northKt) * 180) / Math.PI + 360) % 360,
    windKt: Math.hypot(wind.eastKt, wind.northKt),
    oatC: kelvin - 273.15,
    tatC: kelvin * (1 + 0.2 * truth.mach ** 2) - 273.15,
  };
}
