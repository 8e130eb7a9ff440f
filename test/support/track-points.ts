// Positions for tests of tracks: plain objects with readable units, and the columns that the code works on.
import { ON_GROUND, Points } from '../../pipeline/tracks/points.ts';
import { ABSENT } from '../../schemas/absent.ts';

export interface TestPosition {
  readonly timeMs: number;
  readonly lat?: number;
  readonly lon?: number;
  readonly altitudeFt?: number | null;
  readonly onGround?: boolean;
  readonly speedKt?: number | null;
  readonly trackDeg?: number | null;
  readonly rateFpm?: number | null;
  readonly signalDbfs?: number | null;
  readonly source?: number;
}

/** Columns with these positions. */
export function pointsOf(positions: readonly TestPosition[], flags: readonly number[] = []): Points {
  const points = new Points(Math.max(1, positions.length));
  positions.forEach((position, i) => {
    const scaled = (value: number | null | undefined, scale: number): number =>
      value === null || value === undefined ? ABSENT : Math.round(value * scale);
    points.timeMs[i] = position.timeMs;
    points.latitudeMicrodeg[i] = scaled(position.lat ?? 50, 1e6);
    points.longitudeMicrodeg[i] = scaled(position.lon ?? 5, 1e6);
    points.altitudeBaroFt[i] = scaled(position.altitudeFt, 1);
    points.altitudeGeomFt[i] = ABSENT;
    points.groundSpeedDeciKt[i] = scaled(position.speedKt, 10);
    points.trackCentideg[i] = scaled(position.trackDeg, 100);
    points.baroRateFpm[i] = scaled(position.rateFpm, 1);
    points.rssiDeciDbfs[i] = scaled(position.signalDbfs, 10);
    points.source[i] = position.source ?? 0;
    points.flags[i] = (position.onGround === true ? ON_GROUND : 0) | (flags[i] ?? 0);
  });
  points.count = positions.length;
  return points;
}

/** One position, as point 0. */
export const positionOf = (position: TestPosition): Points => pointsOf([position]);
