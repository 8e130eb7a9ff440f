// Whether the newest snapshot may still be shown: frozen planes are worse than an error (decisions G14).
import type { LiveView } from '../pipeline/view/live-view.ts';
import type { Snapshot } from '../pipeline/view/snapshot.ts';
import { limits } from '../schemas/limits.ts';
import { ApiError } from './problems.ts';

/** Event time further back than this is a recording being replayed, not a service that lags behind. */
const RECORDING_MS_MIN = 86_400_000;
const RETRY_AFTER_S = 5;
const SHOWN_AGE_S_MAX = 3600;

/**
 * Age of a snapshot in ms. Live data: our clock against the tick. A recording whose event time was more than a day old when it was
 * folded: the time since the snapshot last advanced, because its own age says nothing about the service.
 */
export function snapshotAgeMs({ times }: Snapshot, clockMs: number): number {
  const isRecording = times.advancedAtMs - times.nowMs > RECORDING_MS_MIN;
  return Math.max(0, clockMs - (isRecording ? times.advancedAtMs : times.nowMs));
}

/** The newest snapshot. Error: `api.no_snapshot` when there is none yet, or when it is older than `limits.snapshotAgeMsMax`. */
export function freshSnapshot(view: LiveView, clockMs: number): Snapshot {
  const snapshot = view.current();
  if (snapshot === null || snapshotAgeMs(snapshot, clockMs) > limits.snapshotAgeMsMax) {
    const seconds = limits.snapshotAgeMsMax / 1000;
    throw new ApiError('api.no_snapshot', { seconds }, { headers: { 'retry-after': String(RETRY_AFTER_S) } });
  }
  return snapshot;
}

/** `X-Service-Data-Age`: whole seconds since the tick, at most an hour. */
export function shownAgeS(snapshot: Snapshot, clockMs: number): number {
  return Math.min(SHOWN_AGE_S_MAX, Math.max(0, Math.floor((clockMs - snapshot.times.nowMs) / 1000)));
}
