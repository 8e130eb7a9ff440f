// The track of one aircraft: its points in memory, before them those of the store, thinned to the requested number.
import { keyHex } from '../../../pipeline/aircraft/hex-key.ts';
import { Points } from '../../../pipeline/tracks/points.ts';
import { thinned } from '../../../pipeline/tracks/thin.ts';
import { flagsAfter, tracePoints } from '../../../pipeline/tracks/trace-point.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { QueryError, unknownName } from '../errors.ts';
import type { ReadModel } from '../read-model.ts';
import { storedPositions } from './positions.ts';
import type { Span } from './span.ts';

export interface Track extends Span {
  readonly points: Points;
  /** Numbers of the points to show, in order of time. */
  readonly numbers: Int32Array;
  readonly isThinned: boolean;
  /** Positions at the start of the span may be missing: there is no history, or it does not answer. */
  readonly isIncomplete: boolean;
  /** Why the history did not answer; null when it did, or was not asked. */
  readonly unanswered: QueryError | null;
}

type TrackModel = Pick<ReadModel, 'tracks' | 'view' | 'history'>;

/**
 * The track in a span that ends at present. A store that does not answer costs its older part only.
 * Errors: `api.unknown_aircraft` for one that was never heard, or is forgotten; that of the store where only the store could say so.
 */
export async function recentTrack(model: TrackModel, key: number, span: Span, limit: number): Promise<Track> {
  const { tracks, view, history } = model;
  const { fromMs, toMs } = span;
  const isKnown = tracks.has(key) || view.isKnown(key);
  const splitMs = Math.ceil(tracks.completeFromMs);
  const needsStore = fromMs < splitMs;
  const stored = needsStore && history.isKept ? await olderPoints(model, key, { fromMs, toMs: Math.min(toMs, splitMs - 1) }) : null;
  const unanswered = stored instanceof QueryError ? stored : null;
  const older = stored instanceof QueryError ? null : stored;
  if (!isKnown && (older === null || older.count === 0)) throw unanswered ?? unknownName('api.unknown_aircraft', 'hex', keyHex(key));
  const recent = new Points();
  tracks.read(key, older === null ? fromMs : Math.max(fromMs, splitMs), toMs, recent);
  const points = older === null || older.count === 0 ? recent : joined(older, recent);
  return { ...shown(points, limit), ...span, isIncomplete: needsStore && older === null, unanswered };
}

/** The track in any span, from the store. Errors: those of the store. */
export async function pastTrack({ history }: Pick<ReadModel, 'history'>, key: number, span: Span, limit: number): Promise<Track> {
  const points = await history.query(async (client, signal) => tracePoints(await storedPositions(client, signal, key, span)));
  return { ...shown(points, limit), ...span, isIncomplete: false, unanswered: null };
}

/** Points of the store, or why it does not answer. */
async function olderPoints({ history }: TrackModel, key: number, span: Span): Promise<Points | QueryError> {
  try {
    return await history.query(
      async (client, signal) => tracePoints(await storedPositions(client, signal, key, span)),
      limits.trackStoreMsMax,
    );
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}

/** Appends the points of the memory to those of the store. The memory did not have the position before its first point. */
function joined(older: Points, recent: Points): Points {
  if (recent.count > 0) recent.setFlags(0, flagsAfter(older, older.count - 1, recent, 0));
  for (let i = 0; i < recent.count; i += 1) older.push(recent, i);
  return older;
}

function shown(points: Points, limit: number): Pick<Track, 'points' | 'numbers' | 'isThinned'> {
  const numbers = thinned(points, limit);
  return { points, numbers, isThinned: numbers.length < points.count };
}
