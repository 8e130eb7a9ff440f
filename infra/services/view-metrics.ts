// Metrics of the view: age of the data, duration of rebuilds, compression.
import { Counter, Gauge, type Registry } from 'prom-client';
import { Metrics } from '../../pipeline/runtime/metrics.ts';
import type { EncodingStats } from '../../pipeline/view/encodings.ts';
import type { FeedWatch } from '../../pipeline/view/feed-watch.ts';
import type { FollowedView } from '../../pipeline/view/live-view.ts';
import { snapshotAgeMs } from '../../query-api/queries/freshness.ts';

/** Exported if the data have not advanced since the start, so that their age is unknown. */
const AGE_MS_MAX = 86_400_000;

export interface Clocks {
  readonly clock: () => number;
  readonly steadyMs: () => number;
  readonly feeds: FeedWatch;
}

/** Registers the metrics of the view. A scrape reads them. */
export function registerViewMetrics(registry: Registry, view: FollowedView, { clock, steadyMs, feeds }: Clocks): void {
  const gauge = (name: string, help: string, read: () => number | null): void => {
    new Gauge({
      name: `squitter_view_${name}`,
      help,
      registers: [registry],
      collect() {
        const value = read();
        if (value !== null) this.set(value);
      },
    });
  };
  const counter = (name: string, help: string, read: () => number): void =>
    new Metrics(registry).counter(`squitter_view_${name}_total`, help, read);
  const { stats, table } = view.follower;
  const snapshot = view.current;
  gauge('aircraft', 'Aircraft listed', () => snapshot()?.totals.total ?? null);
  gauge('aircraft_with_position', 'Aircraft listed with a valid position', () => snapshot()?.totals.withPosition ?? null);
  gauge('aircraft_known', 'Aircraft in the table, listed or not', () => table.size);
  gauge('data_age_seconds', 'Age of the newest snapshot', () => {
    const current = snapshot();
    return current === null ? null : Math.min(AGE_MS_MAX, snapshotAgeMs(current, clock(), steadyMs())) / 1000;
  });
  gauge('ahead_seconds', 'Event time of the newest snapshot minus the wall clock of this machine; 0 while it is not ahead', () => {
    const current = snapshot();
    return current === null ? null : Math.max(0, current.times.nowMs - clock()) / 1000;
  });
  gauge('fed', '1 while the ingests report a feeder; 0 after 60 s without one', () => (feeds.isFeedless(steadyMs()) ? 0 : 1));
  counter(
    'messages',
    'Messages that changed a state since the log began, as of the newest snapshot',
    () => snapshot()?.totals.messages ?? 0,
  );
  counter('snapshots', 'Snapshots built', () => stats.snapshots);
  counter('states', 'Aircraft states applied', () => stats.states);
  counter('malformed', 'Malformed records', () => stats.malformed);
  counter('reloads', 'Partitions read again from their start because records were missing', () => stats.reloads);
  gauge('build_seconds', 'Duration of the newest rebuild', () => stats.lastBuildMs / 1000);
  gauge('receivers_measured', 'Receivers with measured coverage, the source of the coverage headers', () => view.receivers.count);
  gauge('arenas', 'Allocated arenas; more than 2 only while clients are slower than ticks, and for a minute after', () => view.arenas());
  const bodies = (): { labels: { view: string; encoding: string }; figures: EncodingStats }[] =>
    [...view.bodies.stats()].map(([name, figures]) => {
      const [bodyView = '', encoding = ''] = name.split(' ');
      return { labels: { view: bodyView, encoding }, figures };
    });
  new Gauge({
    name: 'squitter_view_encode_seconds',
    help: 'Duration of the newest compression of a complete response body',
    labelNames: ['view', 'encoding'],
    registers: [registry],
    collect() {
      for (const { labels, figures } of bodies()) if (figures.made > 0) this.set(labels, figures.lastMs / 1000);
    },
  });
  new Counter({
    name: 'squitter_view_encodings_total',
    help: 'Compressions of complete response bodies, by outcome; skipped: the compressor was still busy with an earlier tick',
    labelNames: ['view', 'encoding', 'outcome'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, figures } of bodies())
        for (const outcome of ['made', 'skipped', 'failed'] as const) this.inc({ ...labels, outcome }, figures[outcome]);
    },
  });
}
