// Decides whether the newest snapshot may still be shown: frozen aircraft are worse than an error (decisions G14).
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits/index.ts';
import { QueryError } from './errors.ts';
import type { ReadModel } from './read-model.ts';

/** The parts of the read model that determine the age of the data. */
export type Freshness = Pick<ReadModel, 'view' | 'clock' | 'steadyMs' | 'feeds'>;

/**
 * Age of a snapshot in ms: local clock minus tick, and at least the time without a new tick, which is the only measure while data
 * are ahead of the local clock. For a recording, whose event time was more than a day old when it was folded, only the latter: its own age has no meaning.
 */
export function snapshotAgeMs({ times }: Snapshot, clockMs: number, steadyMs: number): number {
  const standsMs = times.advancedAtMs === null ? Number.POSITIVE_INFINITY : steadyMs - times.advancedAtMs;
  const isRecording = times.ptimeMs - times.nowMs > limits.recordingAgeMsMin;
  return isRecording ? standsMs : Math.max(standsMs, clockMs - times.nowMs);
}

/**
 * The newest snapshot. Errors: `api.no_feed` without a feed for `limits.feedlessMsMax`; without a snapshot, or when it is older than
 * `limits.snapshotAgeMsMax`, `api.no_feed` if a reason is known, and `api.no_snapshot` if not.
 */
export function freshSnapshot({ view, clock, steadyMs, feeds }: Freshness): Snapshot {
  const snapshot = view.current();
  const nowMs = steadyMs();
  const isFeedless = feeds?.isFeedless(nowMs) ?? false;
  if (snapshot !== null && !isFeedless && snapshotAgeMs(snapshot, clock(), nowMs) <= limits.snapshotAgeMsMax) return snapshot;
  const detail = feeds?.reason(nowMs) ?? null;
  if (detail !== null) throw new QueryError('api.no_feed', { detail });
  throw new QueryError('api.no_snapshot', { seconds: limits.snapshotAgeMsMax / 1000 });
}

/** The error of `freshSnapshot`; null when there is a snapshot. */
export function notFresh(model: Freshness): QueryError | null {
  try {
    freshSnapshot(model);
    return null;
  } catch (error) {
    if (error instanceof QueryError) return error;
    throw error;
  }
}

/** The error of a service that is not ready, for every protocol: `api.not_ready`, or one of `freshSnapshot`. Null when it is ready. */
export function whyNotReady(model: Freshness, readiness: Readiness): QueryError | null {
  const reasons = [...(model.view.isReady() ? [] : ['the view is still reading the log']), ...readiness.reasons()];
  return reasons.length > 0 ? new QueryError('api.not_ready', { detail: reasons.join('; ') }) : notFresh(model);
}

/** `X-Service-Data-Age`: whole seconds since the newest message of an aircraft, at most an hour. Ticks without messages make data no younger. */
export function shownAgeS({ times }: Snapshot, clockMs: number, steadyMs: number): number {
  const standsMs = steadyMs - (times.advancedAtMs ?? Number.NEGATIVE_INFINITY);
  const tickAgeMs = Math.max(0, standsMs, clockMs - times.nowMs);
  return Math.min(limits.dataAgeShownSMax, Math.floor((tickAgeMs + times.nowMs - times.heardMs) / 1000));
}

/** `X-Service-Data-Ahead`: whole seconds by which a tick is ahead of the local clock; null when it is not. */
export function shownAheadS({ times }: Snapshot, clockMs: number): number | null {
  const aheadMs = times.nowMs - clockMs;
  return aheadMs < limits.dataAheadMsMin ? null : Math.floor(aheadMs / 1000);
}
