// A track as a trace file of readsb: an array per point, of which some have an object with details. docs/use/web-maps.md has the format.
import type { AircraftFacts } from '../../../pipeline/aircraft/facts.ts';
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { MICRODEG_PER_DEG } from '../../../pipeline/geo/earth.ts';
import {
  ALTITUDE,
  GEOMETRIC,
  LATITUDE,
  LEG,
  LONGITUDE,
  ON_GROUND,
  type Points,
  RATE,
  SOURCE,
  SPEED,
  STALE,
  TRACK,
} from '../../../pipeline/tracks/points.ts';
import { ABSENT } from '../../../schemas/absent.ts';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';
import type { CallSigns } from './call-signs.ts';
import { CENTI, DECI, member } from './track-text.ts';

/** Bits of a point's flags. 4, a geometric vertical rate, is never set: positions have the barometric one. */
export const traceFlags = { stale: 1, leg: 2, geometricRate: 4, geometricAltitude: 8 } as const;

/** One point in so many has details, besides the first, the last, starts of legs, and changes of call sign and squawk. */
const DETAILS_EVERY = 4;
const MS_PER_S = 1000;
/** Geometric rate, indicated airspeed and roll: positions have none. */
const UNKNOWN_TAIL = 'null,null,null';

export interface Trace {
  readonly points: Points;
  /** Numbers of the points to show, in order of time. */
  readonly numbers: Int32Array;
  readonly callSigns: CallSigns;
  /** Zero of the times of points, ms since 1970; not later than the first point. */
  readonly baseMs: number;
}

/** The file of an aircraft. */
export function traceFile(key: number, facts: AircraftFacts | null, trace: Trace): string {
  const about = JSON.stringify({ icao: keyHex(key), ...factMembers(facts), timestamp: trace.baseMs / MS_PER_S });
  return `${about.slice(0, -1)},"trace":[${pointsText(trace)}]}\n`;
}

function factMembers(facts: AircraftFacts | null): Record<string, unknown> {
  const { registration: r, typeDesignator: t, description: desc, operator: ownOp, year, dbFlags = 0 } = facts ?? {};
  if (r === undefined && t === undefined && dbFlags === 0) return { noRegData: true };
  return { r, t, desc, ownOp, year, dbFlags };
}

function pointsText({ points, numbers, callSigns, baseMs }: Trace): string {
  let text = '';
  let shown: string | null = null;
  for (let n = 0; n < numbers.length; n += 1) {
    const i = numbers[n]!;
    const callSign = callSigns.at(points.timeMs[i]!);
    const isDue = n % DETAILS_EVERY === 0 || n === numbers.length - 1 || points.hasFlag(i, LEG) || callSign !== shown;
    shown = callSign;
    text += `${n === 0 ? '' : ','}\n${pointText(points, i, baseMs, isDue ? detailsText(points, i, callSign) : 'null')}`;
  }
  return text;
}

function pointText(points: Points, i: number, baseMs: number, details: string): string {
  const barometricFt = points.get(i, ALTITUDE);
  const geometricFt = points.get(i, GEOMETRIC);
  const isOnGround = points.hasFlag(i, ON_GROUND);
  const isGeometric = !isOnGround && barometricFt === ABSENT && geometricFt !== ABSENT;
  const altitude = isOnGround ? '"ground"' : known(isGeometric ? geometricFt : barometricFt, 1);
  const flags =
    (points.hasFlag(i, STALE) ? traceFlags.stale : 0) |
    (points.hasFlag(i, LEG) ? traceFlags.leg : 0) |
    (isGeometric ? traceFlags.geometricAltitude : 0);
  const where = `${points.get(i, LATITUDE) / MICRODEG_PER_DEG},${points.get(i, LONGITUDE) / MICRODEG_PER_DEG},${altitude}`;
  const motion = `${known(points.get(i, SPEED), DECI)},${known(points.get(i, TRACK), CENTI)},${flags},${known(points.get(i, RATE), 1)}`;
  const tail = `${details},"${sourceKinds[points.get(i, SOURCE)] ?? 'unknown'}",${known(geometricFt, 1)},${UNKNOWN_TAIL}`;
  return `[${(points.timeMs[i]! - baseMs) / MS_PER_S},${where},${motion},${tail}]`;
}

/** An aircraft object with what is known at this point; maps forget what it does not have. */
function detailsText(points: Points, i: number, callSign: string): string {
  const altitude = member('alt_geom', points.get(i, GEOMETRIC), 1);
  const rate = member('baro_rate', points.get(i, RATE), 1);
  return `{"type":"${sourceKinds[points.get(i, SOURCE)] ?? 'unknown'}"${callSign}${altitude}${member('track', points.get(i, TRACK), CENTI)}${rate}}`;
}

function known(value: number, scale: number): string {
  return value === ABSENT ? 'null' : String(value / scale);
}
