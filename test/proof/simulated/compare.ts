// Compares one aircraft in the fold with what a perfect observer must see, field by field, and derived values with what was flown.

import { aircraftObject } from '../../../pipeline/aircraft/plain.ts';
import type { AircraftState } from '../../../schemas/avro/aircraft-state.ts';
import { degreesApart } from '../observer/coding.ts';
import { type Flown, flownAt } from '../observer/flown.ts';
import type { Value } from '../observer/message-content.ts';
import type { ObservedAircraft } from '../observer/observed-aircraft.ts';
import type { Observer } from '../observer/observer.ts';
import type { TruthCase, TruthField, TruthTally } from './tally.ts';

/** Tolerance of shown values: half a unit of the last decimal, or a unit where a formula rounds. */
const NEAR: Readonly<Record<string, number>> = {
  ...{ gs: 0.0501, mach: 0.0006, track_rate: 0.011, roll: 0.011, nav_qnh: 0.051, ws: 1, oat: 1, tat: 1, rssi: 0.101, rc: 0 },
};
const NEAR_DEG: Readonly<Record<string, number>> = {
  track: 0.011,
  mag_heading: 0.011,
  nav_heading: 0.011,
  true_heading: 0.06,
  wd: 1,
  calc_track: 1,
};
const CALM_KT_DEG = 12;
/** Microdegrees are rounded on both sides. */
const POSITION_NEAR_DEG = 1.6e-6;

/** Coding step of the inputs of a derived value, plus the declination to a fifth of a degree. */
const HEADING_WITHIN_DEG = 0.4;
/** Reason when several rules hold back the inputs of a value. */
const SEVERAL = 'a rule delays an input of the value';
const LAST_MOVE =
  'a calculated track uses the last two positions 100 m apart: slow aircraft have them only where positions in between are lost';
const MOMENTS = 'a derived value combines messages of different times, and the aircraft turned, climbed or changed speed in between';

/** Members of /v2 that no aircraft sends. */
export const notFromTheAir: Readonly<Record<string, string>> = {
  hex: 'the address: the key of the comparison',
  source: 'the value of `type` in the readsb view',
  lat: 'in `position`',
  lon: 'in `position`',
  r: 'reference data',
  t: 'reference data',
  desc: 'reference data',
  ownOp: 'reference data',
  year: 'reference data',
  dbFlags: 'reference data',
  route_origin: 'a flight plan',
  route_dest: 'a flight plan',
  gpsOkLat: 'with `gpsOkBefore`',
  gpsOkLon: 'with `gpsOkBefore`',
  dst: 'the question',
  dir: 'the question',
  emergency_reasons: 'squawk and emergency',
};

/** Compares every field of an aircraft at one time. */
export function compareAircraft(observer: Observer, known: ObservedAircraft, state: AircraftState, nowMs: number, tally: TruthTally): void {
  const shown = shownValues(state, nowMs);
  let flown: Flown | null = null;
  const flownThen = (timeMs: number): Flown => {
    if (flown?.timeMs !== timeMs) flown = flownAt(observer.traffic, known.aircraft, timeMs);
    return flown;
  };
  for (const [name, expected] of observer.expected(known, nowMs)) {
    const value = shown.get(name);
    const { ideal, ruled, rule } = expected;
    if (value === undefined && ideal === undefined && ruled === undefined) continue;
    const field = tally.field(name);
    const same = (other: Value | undefined): boolean =>
      isSame(name, value, other) || (name === 'wd' && isSameWind(value, other, shown.get('ws')));
    if (!same(ideal) && !same(ruled)) field.addUnexplained({ hex: state.hex, timeMs: nowMs, shown: value, ideal, ruled });
    else if (value !== undefined && derived[name] !== undefined && same(ruled))
      derived[name](known, Number(value), flownThen, field, { hex: state.hex, timeMs: nowMs, shown: value, ideal, ruled });
    else if (same(ideal)) field.equal += 1;
    else field.explain(rule ?? SEVERAL);
  }
}

type FlownThen = (timeMs: number) => Flown;
type CompareDerived = (known: ObservedAircraft, shown: number, flownThen: FlownThen, field: TruthField, found: TruthCase) => void;

/** Comparison of a value derived from several messages with what was flown at the time of derivation. */
const derived: Readonly<Record<string, CompareDerived>> = {
  wd: (known, shown, flownThen, field, found) => {
    const { wind } = known.ruled;
    compareDerived(shown, flownThen(wind!.timeMs).windDeg, wind!.flownFirst, wind!.withinFirst, true, field, found);
  },
  ws: (known, shown, flownThen, field, found) => {
    const { wind } = known.ruled;
    compareDerived(shown, flownThen(wind!.timeMs).windKt, wind!.flownSecond, wind!.withinSecond, false, field, found);
  },
  oat: (known, shown, flownThen, field, found) => {
    const { temperature } = known.ruled;
    compareDerived(shown, flownThen(temperature!.timeMs).oatC, temperature!.flownFirst, temperature!.withinFirst, false, field, found);
  },
  tat: (known, shown, flownThen, field, found) => {
    const { temperature } = known.ruled;
    compareDerived(shown, flownThen(temperature!.timeMs).tatC, temperature!.flownSecond, temperature!.withinSecond, false, field, found);
  },
  true_heading: (known, shown, flownThen, field, found) => {
    const { timeMs, flown } = known.ruled.known.get('true_heading')!;
    compareDerived(shown, flownThen(timeMs).truth.headingTrueDeg, flown!, HEADING_WITHIN_DEG, true, field, found);
  },
  alt_geom: (known, shown, flownThen, field, found) => {
    const { timeMs, flown, within } = known.ruled.known.get('alt_geom')!;
    compareDerived(shown, flownThen(timeMs).truth.altitudeGeomFt, flown!, within, false, field, found);
  },
  calc_track: (known, shown, flownThen, field, found) => {
    const { deg, withinDeg } = known.positions.roundedMove!;
    const { trackDeg } = flownThen(found.timeMs).truth;
    if (degreesApart(shown, trackDeg) <= 0.5) field.equal += 1;
    else if (degreesApart(shown, trackDeg) <= withinDeg) field.within += 1;
    else if (degreesApart(shown, deg) <= 1) field.explain(LAST_MOVE);
    else field.addUnexplained({ ...found, flown: trackDeg });
  },
};

/** `flown` is the flown value, `exact` the result of the same formula for the numbers before coding, each at its own time. */
function compareDerived(
  shown: number,
  flown: number,
  exact: number,
  within: number,
  isAngle: boolean,
  field: TruthField,
  found: TruthCase,
): void {
  const apart = (a: number, b: number): number => (isAngle ? degreesApart(a, b) : Math.abs(a - b));
  if (apart(shown, flown) <= 0.5) field.equal += 1;
  else if (apart(shown, flown) <= within) field.within += 1;
  else if (apart(shown, exact) <= within) field.explain(MOMENTS);
  else field.addUnexplained({ ...found, flown });
}

/** The fold's state under the observer's names. */
function shownValues(state: AircraftState, nowMs: number): Map<string, Value> {
  const object = aircraftObject(state, nowMs, 'readsb');
  const values = new Map<string, Value>();
  for (const [name, value] of Object.entries(object)) {
    if (name in notFromTheAir) continue;
    if (name === 'acas_ra') values.set(name, advisoryText(value as Readonly<Record<string, string>>));
    else if (Array.isArray(value)) values.set(name, value.join(' '));
    else values.set(name, value as Value);
  }
  if (state.positionValid) values.set('position', `${state.latitudeMicrodeg! / 1e6} ${state.longitudeMicrodeg! / 1e6}`);
  if (state.positionValid) values.set('seen_pos', state.positionMs!);
  if (values.has('lastPosition')) values.set('lastPosition', 'shown');
  if (state.onGround !== null) values.set('on_ground', String(state.onGround));
  values.set('seen', state.seenMs);
  return values;
}

function advisoryText(shown: Readonly<Record<string, string>>): string {
  const threat = shown['threat_id_hex'] === undefined ? '' : ` ${shown['threat_id_hex']}`;
  return `${shown['ARA']} ${shown['RAC']} ${shown['RAT']} ${shown['TTI']}${threat}`;
}

function isSame(name: string, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (name === 'position') return isSamePosition(String(a), String(b));
  if (typeof a !== 'number' || typeof b !== 'number') return false;
  const nearDeg = NEAR_DEG[name];
  return nearDeg === undefined ? Math.abs(a - b) <= (NEAR[name] ?? 0) : degreesApart(a, b) <= nearDeg;
}

/** The weaker the wind, the more its direction depends on the last decimal of the inputs. */
function isSameWind(a: Value | undefined, b: Value | undefined, speedKt: Value | undefined): boolean {
  return a !== undefined && b !== undefined && degreesApart(Number(a), Number(b)) <= 1 + CALM_KT_DEG / Math.max(1, Number(speedKt));
}

function isSamePosition(a: string, b: string): boolean {
  const [latA, lonA] = a.split(' ').map(Number);
  const [latB, lonB] = b.split(' ').map(Number);
  return Math.abs(latA! - latB!) <= POSITION_NEAR_DEG && degreesApart(lonA!, lonB!) <= POSITION_NEAR_DEG;
}
