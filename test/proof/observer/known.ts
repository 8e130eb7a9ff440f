// The state of an aircraft at a time: the last value of each field, its source, and the rules of precedence. These are the field rules of
// `/v2`, written independently: sources by rank, 15 s until a lower one may take over, 60 s (180 s) until a value expires.
import { rounded } from './coding.ts';
import type { Value } from './message-content.ts';

/** Ranks of sources; only the order matters. */
export const rank = { derived: 1, mlat: 2, reply: 3, allCall: 4, tisb: 5, adsr: 6, adsb: 7 } as const;
export type Rank = (typeof rank)[keyof typeof rank];

const TAKE_OVER_MS = 15_000;
const LIFETIME_MS = 60_000;
const LONG_LIFETIME_MS = 180_000;
const ADVISORY_MS = 15_000;
const DELTA_MS = 1000;

export interface Known {
  readonly value: Value;
  readonly source: Rank;
  readonly timeMs: number;
  /** The number before coding; null for exact values. */
  readonly flown: number | null;
  /** Tolerance of the shown value: half a step. */
  readonly within: number;
}

export function lifetimeMs(name: string): number {
  if (name === 'acas_ra') return ADVISORY_MS;
  return name === 'flight' || name === 'air_ground' ? LONG_LIFETIME_MS : LIFETIME_MS;
}

/** True when a message of this source and time may replace the known value. */
export function mayReplace(known: Pick<Known, 'source' | 'timeMs'> | undefined, source: Rank, timeMs: number): boolean {
  if (known === undefined) return true;
  return timeMs >= known.timeMs && (source >= known.source || timeMs - known.timeMs >= TAKE_OVER_MS);
}

export class Knowledge {
  readonly known = new Map<string, Known>();
  /** Speed and track come from coarse TIS-B, in steps of 32 kt and 11 degrees: no wind is derived from them. */
  isCoarse = false;

  put(name: string, value: Value, source: Rank, timeMs: number, flown: number | null = null, step = 0): boolean {
    if (!mayReplace(this.known.get(name), source, timeMs)) return false;
    this.known.set(name, { value, source, timeMs, flown, within: step / 2 });
    return true;
  }

  /** The entry of a field until it expires. */
  at(name: string, nowMs: number): Known | undefined {
    const known = this.known.get(name);
    return known !== undefined && nowMs - known.timeMs <= lifetimeMs(name) ? known : undefined;
  }

  number(name: string): number {
    return Number(this.known.get(name)?.value ?? 0);
  }

  ageMs(name: string, nowMs: number): number {
    const known = this.known.get(name);
    return known === undefined ? Number.POSITIVE_INFINITY : Math.max(0, nowMs - known.timeMs);
  }

  forget(...names: string[]): void {
    for (const name of names) this.known.delete(name);
  }

  /** A received geometric altitude updates the difference when the barometric altitude is of the same second. */
  deriveDelta(nowMs: number, isTrusted: boolean): void {
    const baro = this.at('alt_baro', nowMs);
    const geom = this.at('alt_geom', nowMs);
    const delta = this.known.get('geom_delta');
    if (baro === undefined || geom === undefined || !isTrusted) return;
    if (geom.timeMs <= (delta?.timeMs ?? Number.NEGATIVE_INFINITY) || nowMs - baro.timeMs >= DELTA_MS) return;
    const source = Math.min(baro.source, geom.source) as Rank;
    const timeMs = Math.max(baro.timeMs, geom.timeMs);
    if (!mayReplace(delta, geom.source, nowMs)) return;
    const flown = (geom.flown ?? 0) - (baro.flown ?? 0);
    this.known.set('geom_delta', {
      value: Number(geom.value) - Number(baro.value),
      source,
      timeMs,
      flown,
      within: baro.within + geom.within,
    });
  }

  /**
   * Derives the geometric altitude from the barometric one and the difference in velocities, with the lower source and the later time of
   * both. `isBelieved`: the barometric altitude may be shown.
   */
  deriveAltitude(nowMs: number, isTrusted: boolean): void {
    const baro = this.at('alt_baro', nowMs);
    const delta = this.at('geom_delta', nowMs);
    if (baro === undefined || delta === undefined || !isTrusted) return;
    const now = this.at('alt_geom', nowMs);
    const before = this.known.get('alt_geom')?.timeMs ?? Number.NEGATIVE_INFINITY;
    if (baro.timeMs <= before && delta.timeMs <= before) return;
    if (now !== undefined) {
      if (delta.source < now.source) return;
      const fresher = baro.source > now.source && nowMs - baro.timeMs <= TAKE_OVER_MS;
      if (!fresher && ((baro.source < now.source && nowMs - now.timeMs <= TAKE_OVER_MS) || baro.timeMs < now.timeMs)) return;
    }
    this.known.set('alt_geom', {
      value: Number(baro.value) + Number(delta.value),
      source: Math.min(baro.source, delta.source) as Rank,
      timeMs: Math.max(baro.timeMs, delta.timeMs),
      flown: (baro.flown ?? 0) + (delta.flown ?? 0),
      within: baro.within + delta.within + 0.5,
    });
  }
}

const SPEED_AGE_MS = 2500;
const DIRECTION_AGE_MS = 1250;
const SOUND_KT = 661.47;

/** Air data computed from other values: the shown value, and the result of the same formula for the numbers before coding. */
export interface Computed {
  readonly timeMs: number;
  readonly first: number;
  readonly second: number;
  readonly flownFirst: number;
  readonly flownSecond: number;
  /** Tolerance of both shown numbers, from the coding steps of the inputs. */
  readonly withinFirst: number;
  readonly withinSecond: number;
  readonly altitudeFt: number;
}

/** Wind by the triangle of speeds, direction first; null when the inputs are too old. */
export function windOf(knownOf: Knowledge, nowMs: number): Computed | null {
  if (knownOf.isCoarse) return null;
  if (knownOf.ageMs('tas', nowMs) > SPEED_AGE_MS || knownOf.ageMs('gs', nowMs) > SPEED_AGE_MS) return null;
  if (knownOf.ageMs('track', nowMs) > DIRECTION_AGE_MS || knownOf.ageMs('true_heading', nowMs) > DIRECTION_AGE_MS) return null;
  const flown = (name: string): number => knownOf.known.get(name)?.flown ?? knownOf.number(name);
  const shown = triangle(knownOf.number('tas'), knownOf.number('true_heading'), knownOf.number('gs'), knownOf.number('track'));
  const exact = triangle(flown('tas'), flown('true_heading'), flown('gs'), flown('track'));
  // Steps of at most 2 kt and 0.18 degrees, and the declination to a tenth of a degree.
  const withinKt = 2.5 + (0.25 * Math.PI * Math.max(knownOf.number('tas'), knownOf.number('gs'))) / 180;
  const withinDeg = exact.speedKt <= withinKt ? 180 : (Math.asin(withinKt / exact.speedKt) * 180) / Math.PI + 0.5;
  return {
    ...{ timeMs: nowMs, first: Math.round(shown.directionDeg) % 360, second: Math.round(shown.speedKt) },
    ...{ flownFirst: exact.directionDeg, flownSecond: exact.speedKt, withinFirst: withinDeg, withinSecond: withinKt + 0.5 },
    altitudeFt: knownOf.number('alt_baro'),
  };
}

function triangle(tasKt: number, headingDeg: number, gsKt: number, trackDeg: number): { directionDeg: number; speedKt: number } {
  const rad = Math.PI / 180;
  const east = gsKt * Math.sin(trackDeg * rad) - tasKt * Math.sin(headingDeg * rad);
  const north = gsKt * Math.cos(trackDeg * rad) - tasKt * Math.cos(headingDeg * rad);
  return { directionDeg: (Math.atan2(-east, -north) / rad + 360) % 360, speedKt: Math.hypot(east, north) };
}

/** Static and total air temperature by the speed of sound, °C; null when the inputs are too old or the speed too low. */
export function temperatureOf(knownOf: Knowledge, nowMs: number): Computed | null {
  if (knownOf.ageMs('tas', nowMs) > SPEED_AGE_MS || knownOf.ageMs('mach', nowMs) > SPEED_AGE_MS || knownOf.number('mach') < 0.395)
    return null;
  const shown = temperatures(knownOf.number('tas'), knownOf.number('mach'));
  const exact = temperatures(
    knownOf.known.get('tas')?.flown ?? knownOf.number('tas'),
    knownOf.known.get('mach')?.flown ?? knownOf.number('mach'),
  );
  // Half a step each of true airspeed and Mach number, doubled because they are squared.
  const within = 2 * (exact.oatC + 273.15) * (1 / knownOf.number('tas') + 0.002 / knownOf.number('mach')) + 0.5;
  return {
    ...{ timeMs: nowMs, first: rounded(shown.oatC, 0), second: rounded(shown.tatC, 0), flownFirst: exact.oatC, flownSecond: exact.tatC },
    ...{ withinFirst: within, withinSecond: within * 1.2, altitudeFt: 0 },
  };
}

function temperatures(tasKt: number, mach: number): { oatC: number; tatC: number } {
  const kelvin = 288.15 * (tasKt / SOUND_KT / mach) ** 2;
  return { oatC: kelvin - 273.15, tatC: kelvin * (1 + 0.2 * mach * mach) - 273.15 };
}
