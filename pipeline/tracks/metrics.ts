// Metrics of the tracks in memory.
import type { Registry } from 'prom-client';
import { exportMetrics } from '../runtime/metrics.ts';
import type { FollowedTracks } from './follower.ts';

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
