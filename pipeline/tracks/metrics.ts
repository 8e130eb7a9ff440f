// Metrics of the tracks in memory.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { FollowedTracks } from './follower.ts';

/** Registers the metrics; they are read at each scrape. */
export function registerTrackMetrics(registry: Registry, { memory, stats, isRestored }: FollowedTracks): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name: `squitter_tracks_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void => {
    new Counter({
      name: `squitter_tracks_${name}_total`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  };
  gauge('aircraft', 'Aircraft with a track in memory', () => memory.aircraft);
  gauge('points', 'Points of tracks in memory', () => memory.points);
  gauge('bytes', 'Memory of the points', () => memory.bytes);
  gauge('restored', '1 once the recent positions of the log are read after a start', () => Number(isRestored()));
  counter('positions', 'Positions read for tracks', () => memory.stats.positions);
  counter('late', 'Positions that were left out of tracks because a newer one came before', () => memory.stats.late);
  counter('displaced', 'Points that left the memory early because it was full', () => memory.stats.displaced);
  counter('malformed', 'Malformed records of positions', () => stats.malformed);
  counter('gaps', 'Times that following continued at the first record because records were missing', () => stats.gaps);
}
