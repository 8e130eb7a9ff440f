// A track as a trace file of readsb: an array per point. README-json of readsb has the format.
import { MICRODEG_PER_DEG } from '../../../pipeline/geo/earth.ts';
import { LEG, ON_GROUND, type Points, STALE } from '../../../pipeline/tracks/points.ts';
import { ABSENT } from '../../../schemas/absent.ts';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';

/** Bits of a point's flags. */
const IS_STALE = 1;
const IS_LEG = 2;
const IS_GEOMETRIC_ALTITUDE = 8;
const DECI = 10;
const CENTI = 100;
const MS_PER_S = 1000;

/** Members of the file besides its points. */
export interface TraceAbout {
  readonly icao: string;
  readonly r?: string | undefined;
  readonly t?: string | undefined;
  readonly desc?: string | undefined;
  readonly dbFlags?: number | undefined;
}

/** The file; null without points. `flight`: call sign of the newest point, if it is known. */
export function traceFile(about: TraceAbout, points: Points, numbers: Int32Array, flight: string | null): string | null {
  const first = numbers[0];
  const last = numbers.at(-1);
  if (first === undefined || last === undefined) return null;
  const baseMs = points.timeMs[first]!;
  const lines = Array.from(numbers, (number) => {
    const type = sourceKinds[points.source[number]!];
    const details = number === last && flight !== null ? { type, flight } : null;
    return JSON.stringify(pointOf(points, number, baseMs, details, type));
  });
  return `${JSON.stringify({ ...about, timestamp: baseMs / MS_PER_S }).slice(0, -1)},"trace":[\n${lines.join(',\n')}]}\n`;
}

function pointOf(points: Points, i: number, baseMs: number, details: object | null, type: string | undefined): unknown[] {
  const barometricFt = known(points.altitudeBaroFt[i]!, 1);
  const geometricFt = known(points.altitudeGeomFt[i]!, 1);
  const isOnGround = points.hasFlag(i, ON_GROUND);
  const isGeometric = !isOnGround && barometricFt === null && geometricFt !== null;
  return [
    (points.timeMs[i]! - baseMs) / MS_PER_S,
    points.latitudeMicrodeg[i]! / MICRODEG_PER_DEG,
    points.longitudeMicrodeg[i]! / MICRODEG_PER_DEG,
    isOnGround ? 'ground' : (barometricFt ?? geometricFt),
    known(points.groundSpeedDeciKt[i]!, DECI),
    known(points.trackCentideg[i]!, CENTI),
    (points.hasFlag(i, STALE) ? IS_STALE : 0) | (points.hasFlag(i, LEG) ? IS_LEG : 0) | (isGeometric ? IS_GEOMETRIC_ALTITUDE : 0),
    known(points.baroRateFpm[i]!, 1),
    details,
    type,
    geometricFt,
    // Positions have no geometric rate, airspeed and roll.
    null,
    null,
    null,
  ];
}

function known(value: number, scale: number): number | null {
  return value === ABSENT ? null : value / scale;
}
