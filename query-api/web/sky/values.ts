// Values of an aircraft, or of a point of its track, by their kind: undefined if they are missing.
import type { Position } from './mercator.ts';

export type Values = Readonly<Record<string, unknown>>;

const SIGNAL_NONE_DBFS = -49.4;

export const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
export const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined);
/** Feet. */
export const altitudeOf = ({ alt_baro: barometric, alt_geom: geometric }: Values): number | 'ground' | undefined =>
  barometric === 'ground' ? 'ground' : (numberOf(barometric) ?? numberOf(geometric));
/** Feet; an aircraft on the ground is at `ground`. */
export function heightOf(aircraft: Values, ground = 0): number | undefined {
  const altitude = altitudeOf(aircraft);
  return altitude === 'ground' ? ground : altitude;
}
/** Feet per minute. */
export const rateOf = ({ baro_rate: barometric, geom_rate: geometric }: Values): number | undefined =>
  numberOf(barometric) ?? numberOf(geometric);
/** A level that is measured, dBFS; the weakest stands for none. */
export const signalOf = ({ rssi }: Values): number | undefined => (typeof rssi === 'number' && rssi > SIGNAL_NONE_DBFS ? rssi : undefined);
/** Degrees. */
export const trackOf = ({ track, calc_track: calculated }: Values): number | undefined => numberOf(track) ?? numberOf(calculated);
/** A current position. */
export const positionOf = ({ lat, lon }: Values): Position | undefined =>
  typeof lat === 'number' && typeof lon === 'number' ? { lat, lon } : undefined;
