// Points of tracks, and the lines they make: one per stretch with one colour.
import type { Aircraft } from '../sky/picture.ts';
import { unwrapped, wrapped } from './mercator.ts';

/** As `/v2/aircraft/{hex}/track` has it; `rssi` is known of points that came while the page was open. */
export interface TrackPoint {
  /** Unix s. */
  readonly time: number;
  readonly lat: number;
  readonly lon: number;
  readonly alt_baro?: number | 'ground';
  readonly alt_geom?: number;
  readonly gs?: number;
  readonly track?: number;
  readonly rssi?: number;
  readonly type?: string;
  /** Nothing was heard for more than 20 s before it. */
  readonly stale: boolean;
  /** A leg starts here. */
  readonly leg: boolean;
}
export interface TrackLine {
  readonly colour: string;
  /** Nothing was heard on it for long. */
  readonly isGap: boolean;
  readonly line: readonly (readonly [lon: number, lat: number])[];
}

/** Points of a track at most; the oldest go first. */
export const POINTS_MAX = 6000;
/** Seconds without a point after which a line is a gap: steady flight has a point in 20 s. */
const GAP_S = 60;
const TURN_DEGREES = 1;
const CLIMB_FT = 75;
const STEADY_S = 20;

/** Lines of points in order of time. A line goes from each point in the colour of its end; there is none to the start of a leg. */
export function linesOf(points: readonly TrackPoint[], colourOf: (point: TrackPoint) => string): TrackLine[] {
  const lines: { colour: string; isGap: boolean; line: [number, number][] }[] = [];
  for (let i = 1; i < points.length; i += 1) {
    const [from, to] = [points[i - 1]!, points[i]!];
    if (to.leg) continue;
    const isGap = to.stale || to.time - from.time > GAP_S;
    const colour = colourOf(to);
    const last = lines.at(-1);
    const isSame = last !== undefined && last.colour === colour && last.isGap === isGap && !from.leg;
    if (isSame) last.line.push([to.lon, to.lat]);
    else lines.push({ colour, isGap, line: [[from.lon, from.lat], [to.lon, to.lat]] }); // biome-ignore format: a pair
  }
  return lines.map((each) => ({ ...each, line: unwrapped(each.line) }));
}

/** The point that an aircraft is at; null without a current position. */
export function pointOf(aircraft: Aircraft, nowMs: number): TrackPoint | null {
  const { lat, lon, seen_pos: ageS } = aircraft;
  if (typeof lat !== 'number' || typeof lon !== 'number') return null;
  const time = nowMs / 1000 - (typeof ageS === 'number' ? ageS : 0);
  return { ...(aircraft as object), time, lat, lon, stale: false, leg: false };
}

/** Adds a newer point. In steady flight it takes the last one's turn, so that a track grows by a point in 20 s. */
export function grow(points: TrackPoint[], next: TrackPoint): void {
  const [last, before] = [points.at(-1), points.at(-2)];
  if (last !== undefined && next.time - last.time < 0.5) return;
  const isSteady =
    last !== undefined &&
    before !== undefined &&
    next.time - before.time < STEADY_S &&
    Math.abs(360 * wrapped(((next.track ?? 0) - (before.track ?? 0)) / 360)) < TURN_DEGREES &&
    Math.abs(heightOf(next) - heightOf(before)) < CLIMB_FT;
  if (isSteady) points.pop();
  points.push(next);
  if (points.length > POINTS_MAX) points.splice(0, points.length - POINTS_MAX);
}
const heightOf = ({ alt_baro: barometric, alt_geom: geometric }: TrackPoint): number =>
  typeof barometric === 'number' ? barometric : (geometric ?? 0);
