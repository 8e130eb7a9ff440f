// The state of an aircraft by one set of rules, with wind and temperature derived from it.
import { type Computed, Knowledge, temperatureOf, windOf } from './known.ts';

const WIND_INTERVAL_MS = 1000;
const WIND_KT_MAX = 250;
const POSITION_MS = 60_000;

export class Layer extends Knowledge {
  wind: Computed | null = null;
  temperature: Computed | null = null;
  declinationDeg = 0;
  declinationMs = Number.NEGATIVE_INFINITY;

  /** At most once a second, in the air, at a known position. */
  deriveWind(timeMs: number, lastPosition: { readonly timeMs: number } | null): void {
    if (this.wind !== null && timeMs < this.wind.timeMs + WIND_INTERVAL_MS) return;
    if (lastPosition === null || timeMs - lastPosition.timeMs > POSITION_MS || this.isOnGround(timeMs)) return;
    const wind = windOf(this, timeMs);
    if (wind !== null && wind.second <= WIND_KT_MAX) this.wind = wind;
  }

  deriveTemperature(timeMs: number): void {
    if (!this.isOnGround(timeMs)) this.temperature = temperatureOf(this, timeMs) ?? this.temperature;
  }

  private isOnGround(nowMs: number): boolean {
    return this.at('air_ground', nowMs)?.value === 'ground';
  }
}
