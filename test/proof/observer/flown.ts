// The flown motion of an aircraft and the air around it, at any time. Derived values are compared with both.
import { temperatureRatio, type Wind, windAt } from '../../../pipeline/simulate/flights/atmosphere.ts';
import type { Traffic, Truth } from '../../../pipeline/simulate/traffic.ts';

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
  const truth = traffic.truth(aircraft, timeMs * 1000);
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
