// Whether the newest snapshot may still be shown: frozen planes are worse than an error (decisions G14).
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits.ts';
import { QueryError } from './errors.ts';
import type { ReadModel } from './read-model.ts';

/** Event time further back than this is a recording being replayed, not a service that lags behind. */
const RECORDING_MS_MIN = 86_400_000;
const RETRY_AFTER_S = 5;
const SHOWN_AGE_S_MAX = 3600;
/** Data that are ahead of our clock by less are as current as two clocks can tell. */
const AHEAD_MS_MIN = 2000;

/** What of the read model tells how old data are. */
export type Freshness = Pick<ReadModel, 'view' | 'clock' | 'steadyMs' | 'feeds'>;

/**
 * Age of a snapshot in ms: by our clock since its tick, but never less than the time in which no new tick came, which is the only measure while data
 * are ahead of our clock. Of a recording, whose event time was more than a day old when it was folded, only the latter: its own age says nothing of the service.
 */
export function snapshotAgeMs({ times }: Snapshot, clockMs: number, steadyMs: number): number {
  const standsMs = times.advancedAtMs === null ? Number.POSITIVE_INFINITY : steadyMs - times.advancedAtMs;
  const isRecording = times.ptimeMs - times.nowMs > RECORDING_MS_MIN;
  return isRecording ? standsMs : Math.max(standsMs, clockMs - times.nowMs);
}

/**
 * The newest snapshot. Errors: `api.no_feed` when nobody has fed the service for `limits.feedlessMsMax`; `api.no_snapshot` when there is none yet,
 * or when it is older than `limits.snapshotAgeMsMax`.
 */
export function freshSnapshot({ view, clock, steadyMs, feeds }: Freshness): Snapshot {
  const snapshot = view.current();
  const nowMs = steadyMs();
  const isFeedless = feeds?.isFeedless(nowMs) ?? false;
  if (snapshot !== null && !isFeedless && snapshotAgeMs(snapshot, clock(), nowMs) <= limits.snapshotAgeMsMax) return snapshot;
  const retry = { retryAfterS: RETRY_AFTER_S };
  if (feeds !== null && (isFeedless || feeds.isIngestless(nowMs)))
    throw new QueryError('api.no_feed', { detail: feeds.reason(nowMs) }, retry);
  throw new QueryError('api.no_snapshot', { seconds: limits.snapshotAgeMsMax / 1000 }, retry);
}

/** `X-Service-Data-Age`: whole seconds since the tick, or since one came last, at most an hour. */
export function shownAgeS({ times }: Snapshot, clockMs: number, steadyMs: number): number {
  const standsMs = steadyMs - (times.advancedAtMs ?? Number.NEGATIVE_INFINITY);
  return Math.min(SHOWN_AGE_S_MAX, Math.floor(Math.max(0, standsMs, clockMs - times.nowMs) / 1000));
}

/** `X-Service-Data-Ahead`: whole seconds by which a tick is ahead of our clock; null where it is not. */
export function shownAheadS({ times }: Snapshot, clockMs: number): number | null {
  const aheadMs = times.nowMs - clockMs;
  return aheadMs < AHEAD_MS_MIN ? null : Math.floor(aheadMs / 1000);
}
