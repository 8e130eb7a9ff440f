// Points of tracks, and the lines they make: one per stretch with one colour.

import { unwrapped, wrapped } from '../sky/mercator.ts';
import type { Aircraft } from '../sky/picture.ts';
import { heightOf, numberOf, positionOf, type Values } from '../sky/values.ts';

/** A point of `/v2/aircraft/{hex}/track`, with members of aircraft. */
export interface TrackPoint extends Values {
  /** Unix s. */
  readonly time: number;
  readonly lat: number;
  readonly lon: number;
  readonly track?: number;
  /** True after more than 20 s without a message. */
  readonly stale: boolean;
  /** A leg starts here. */
  readonly leg: boolean;
}
export interface TrackLine {
  readonly colour: string;
  /** It has no message for a long time. */
  readonly isGap: boolean;
  readonly line: [lon: number, lat: number][];
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
  const lines: TrackLine[] = [];
  for (const [i, to] of points.entries()) {
    const from = points[i - 1];
    if (from === undefined || to.leg) continue;
    const isGap = to.stale || to.time - from.time > GAP_S;
    const colour = colourOf(to);
    const last = lines.at(-1);
    if (last === undefined || last.colour !== colour || last.isGap !== isGap || from.leg)
      lines.push({ colour, isGap, line: [[from.lon, from.lat]] });
    lines.at(-1)!.line.push([to.lon, to.lat]);
  }
  return lines.map((each) => ({ ...each, line: unwrapped(each.line) }));
}

/** The point that an aircraft is at; null without a current position. */
export function pointOf(aircraft: Aircraft, nowMs: number): TrackPoint | null {
  const position = positionOf(aircraft);
  if (position === undefined) return null;
  return { ...aircraft, ...position, time: nowMs / 1000 - (numberOf(aircraft['seen_pos']) ?? 0), stale: false, leg: false };
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
    Math.abs((heightOf(next) ?? 0) - (heightOf(before) ?? 0)) < CLIMB_FT;
  if (isSteady) points.pop();
  points.push(next);
  if (points.length > POINTS_MAX) points.splice(0, points.length - POINTS_MAX);
}
