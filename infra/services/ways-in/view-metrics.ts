// Metrics of the read model: the view (age of the data, rebuilds, compression), flights, tracks, reference data, requests to the history store.
import type { Registry } from 'prom-client';
import type { FollowedFlights } from '../../../pipeline/flights/follower.ts';
import type { ReferenceStats } from '../../../pipeline/reference/open-reference.ts';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import type { FollowedTracks } from '../../../pipeline/tracks/follower.ts';
import type { FeedWatch } from '../../../pipeline/view/feed-watch.ts';
import type { FollowedView } from '../../../pipeline/view/live-view.ts';
import { snapshotAgeMs } from '../../../query-api/queries/freshness.ts';
import type { HistoryStore } from '../../../query-api/queries/history/history-store.ts';
import { limits } from '../../../schemas/limits/index.ts';

export interface Clocks {
  readonly clock: () => number;
  readonly steadyMs: () => number;
  readonly feeds: FeedWatch;
}

export function registerViewMetrics(registry: Registry, view: FollowedView, { clock, steadyMs, feeds }: Clocks): void {
  const { stats, table } = view.follower;
  const { current } = view;
  /** Figures of response bodies, by encoding and view. */
  const bodies = () =>
    [...view.bodies.stats()].map(([name, figures]) => {
      const [bodyView = '', encoding = ''] = name.split(' ');
      return { encoding, bodyView, figures };
    });
  exportMetrics(registry, {
    squitter_view_aircraft: () => current()?.totals.total ?? null,
    squitter_view_aircraft_with_position: () => current()?.totals.withPosition ?? null,
    squitter_view_aircraft_known: () => table.size,
    squitter_view_data_age_seconds() {
      const snapshot = current();
      return snapshot === null ? null : Math.min(limits.dataAgeShownMsMax, snapshotAgeMs(snapshot, clock(), steadyMs())) / 1000;
    },
    squitter_view_ahead_seconds() {
      const snapshot = current();
      return snapshot === null ? null : Math.max(0, snapshot.times.nowMs - clock()) / 1000;
    },
    squitter_view_fed: () => Number(!feeds.isFeedless(steadyMs())),
    squitter_view_messages_total: () => current()?.totals.messages,
    squitter_view_snapshots_total: () => stats.snapshots,
    squitter_view_states_total: () => stats.states,
    squitter_view_malformed_total: () => stats.malformed,
    squitter_view_reloads_total: () => stats.reloads,
    squitter_view_build_seconds: () => stats.lastBuildMs / 1000,
    squitter_view_receivers_measured: () => view.receivers.count,
    squitter_view_arenas: () => view.arenas(),
    squitter_view_encode_seconds: () =>
      bodies().flatMap(({ encoding, bodyView, figures }) =>
        figures.made > 0 ? [[encoding, bodyView, figures.lastMs / 1000] as const] : [],
      ),
    squitter_view_encodings_total: () =>
      bodies().flatMap(({ encoding, bodyView, figures }) =>
        (['made', 'skipped', 'failed'] as const).map((outcome) => [encoding, outcome, bodyView, figures[outcome]] as const),
      ),
  });
}

export function registerFlightMetrics(registry: Registry, { size, stats }: FollowedFlights): void {
  exportMetrics(registry, {
    squitter_flights_known: size,
    squitter_flights_newest_timestamp_seconds: () => stats.newestMs / 1000,
    squitter_flights_unread_total: () => stats.malformed,
  });
}

export function registerReferenceMetrics(registry: Registry, stats: Readonly<ReferenceStats>): void {
  exportMetrics(registry, {
    squitter_reference_rows: () => Object.entries(stats.rows),
    squitter_reference_loaded_timestamp_seconds: () => stats.loadedAtMs / 1000,
    squitter_reference_loads_total: () => stats.loads,
    squitter_reference_load_failures_total: () => stats.failures,
  });
}

export function registerTrackMetrics(registry: Registry, { memory, stats, isRestored }: FollowedTracks): void {
  exportMetrics(registry, {
    squitter_tracks_aircraft: () => memory.aircraft,
    squitter_tracks_points: () => memory.points,
    squitter_tracks_bytes: () => memory.bytes,
    squitter_tracks_restored: () => Number(isRestored()),
    squitter_tracks_positions_total: () => memory.stats.positions,
    squitter_tracks_late_total: () => memory.stats.late,
    squitter_tracks_displaced_total: () => memory.stats.displaced,
    squitter_tracks_malformed_total: () => stats.malformed,
    squitter_tracks_gaps_total: () => stats.gaps,
  });
}

export function registerHistoryRequestMetrics(registry: Registry, { stats }: HistoryStore): void {
  exportMetrics(registry, {
    squitter_http_history_requests_total: () => (['done', 'failed', 'refused'] as const).map((outcome) => [outcome, stats[outcome]]),
  });
}
