// The operations of the record service, for every protocol: arguments to rows of the newest snapshot. A result is valid until the next search in
// its snapshot, so it is encoded at once (record-objects.ts).
import { type NearestAircraft, nearestInCircle } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { badValue, missing, unknownName } from '../queries/errors.ts';
import { type Freshness, freshSnapshot } from '../queries/freshness.ts';
import { circleOf, parseHex } from '../queries/selections.ts';

export interface FoundAircraft {
  readonly snapshot: Snapshot;
  /** Number of the aircraft in the listing. */
  readonly index: number;
}

export interface NearbyAircraft extends NearestAircraft {
  readonly snapshot: Snapshot;
}

export interface NetworkStats {
  readonly snapshot: Snapshot;
  /** Time of this response, ms since the Unix epoch. */
  readonly servedAtMs: number;
}

type NearbyArguments = Readonly<Partial<Record<'lat' | 'lon' | 'radiusNm' | 'limit', number | undefined>>>;

/** One aircraft. Errors: `api.bad_value`; `api.unknown_aircraft`; those of `freshSnapshot`. */
export function getAircraft(model: Freshness, { hex }: { readonly hex: string }): FoundAircraft {
  const key = parseHex(hex);
  const snapshot = freshSnapshot(model);
  const index = snapshot.numberOf(key);
  if (index < 0) throw unknownName('api.unknown_aircraft', 'hex', hex);
  return { snapshot, index };
}

/** The nearest aircraft around a position, by distance, ties by hex. Errors: `api.missing_parameter`, `api.bad_value`; those of `freshSnapshot`. */
export function nearbyAircraft(model: Freshness, { lat, lon, radiusNm, limit }: NearbyArguments): NearbyAircraft {
  const { lat: latDeg, lon: lonDeg } = required({ lat, lon });
  inRange('lat', latDeg, -90, 90);
  inRange('lon', lonDeg, -180, 180);
  const radius = inRange('radius_nm', radiusNm ?? limits.aircraftRadiusNmMax, 0);
  const countMax = inRange('limit', limit ?? limits.nearbyRecordsDefault, 1, limits.nearbyRecordsMax);
  if (!Number.isInteger(countMax)) throw badValue('limit', String(limit), 'expected a whole number');
  const snapshot = freshSnapshot(model);
  const { total, selection } = nearestInCircle(snapshot.listing, circleOf(latDeg, lonDeg, radius), countMax);
  return { snapshot, selection, total };
}

/** Totals of the newest snapshot. Errors: those of `freshSnapshot`. */
export function networkStats(model: Freshness): NetworkStats {
  return { snapshot: freshSnapshot(model), servedAtMs: model.clock() };
}

/** Time of a snapshot, Unix seconds with one decimal, as `now` of `/v2`. */
export function sourceTimeS({ times }: Snapshot): number {
  return decimalSeconds(times.nowMs);
}

/** Seconds with one decimal, rounded down. */
export function decimalSeconds(ms: number): number {
  return Math.floor(ms / 100) / 10;
}

/** The same values, of which none is missing. Error: `api.missing_parameter`. */
export function required<Name extends string>(values: Readonly<Record<Name, number | undefined>>): Record<Name, number> {
  const names = Object.keys(values) as Name[];
  const absent = names.filter((name) => values[name] === undefined);
  if (absent.length === 0) return values as Record<Name, number>;
  throw missing(absent);
}

/** The value. Error: `api.bad_value` outside the range. */
export function inRange(param: string, value: number, least: number, greatest: number = Number.POSITIVE_INFINITY): number {
  if (Number.isNaN(value)) throw badValue(param, String(value), 'expected a decimal number');
  if (value < least) throw badValue(param, String(value), `expected at least ${least}`);
  if (value > greatest) throw badValue(param, String(value), `expected at most ${greatest}`);
  return value;
}
