// The recent track of one aircraft: its points in memory, thinned to the requested number.
import { Points } from '../../../pipeline/tracks/points.ts';
import { thinned } from '../../../pipeline/tracks/thin.ts';
import { keyHex } from '../../../pipeline/view/hex-key.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { unknownName } from '../errors.ts';
import type { ReadModel } from '../read-model.ts';

export interface TrackQuery {
  /** `hexKey` of the aircraft. */
  readonly key: number;
  /** The span ends at the snapshot. */
  readonly minutes: number;
  /** Greatest number of points. */
  readonly limit: number;
}

export interface Track {
  readonly fromMs: number;
  readonly toMs: number;
  readonly points: Points;
  /** Numbers of the points to show, in order of time. */
  readonly numbers: Int32Array;
  readonly isThinned: boolean;
}

const MINUTE_MS = 60_000;

/** Error: `api.unknown_aircraft` for one that was never heard, or is forgotten. */
export function requireKnown({ tracks, view }: Pick<ReadModel, 'tracks' | 'view'>, key: number): void {
  if (!tracks.has(key) && !view.isKnown(key)) throw unknownName('api.unknown_aircraft', 'hex', keyHex(key));
}

/** The track up to the snapshot's time, so that a response is not newer than its `now`. */
export function recentTrack({ tracks }: Pick<ReadModel, 'tracks'>, { times }: Snapshot, { key, minutes, limit }: TrackQuery): Track {
  const toMs = times.nowMs;
  const fromMs = toMs - minutes * MINUTE_MS;
  const points = new Points();
  tracks.read(key, fromMs, toMs, points);
  const numbers = thinned(points, limit);
  return { fromMs, toMs, points, numbers, isThinned: numbers.length < points.count };
}
