// The read model of a process: follows the log into the live view, flights, reference data and map files, which HTTP and every other way in share.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { followFlights } from '../../pipeline/flights/follower.ts';
import { registerFlightMetrics } from '../../pipeline/flights/metrics.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { registerReferenceMetrics } from '../../pipeline/reference/metrics.ts';
import { type OpenReference, openReference } from '../../pipeline/reference/open-reference.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import type { AircraftFactsSource } from '../../pipeline/view/facts.ts';
import { FeedWatch, followFeeds } from '../../pipeline/view/feed-watch.ts';
import { type FollowedView, openLiveView } from '../../pipeline/view/live-view.ts';
import { flightsOf } from '../../query-api/queries/flights.ts';
import { MapFiles, type Site } from '../../query-api/queries/maps/map-files.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { Closer } from './closing.ts';
import { AHEAD_MS_MAX } from './ingest-clock.ts';
import { registerViewMetrics } from './view-metrics.ts';

/** How long a stop waits for what is being read of the feeders topic: the log may be away. */
const FEEDS_STOP_MS_MAX = 1000;

/** Data ahead of our clock by this much are worth a warning. */
const AHEAD_WARNED_MS = 2000;

export interface ReadModelOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Learns what `/readyz` asks of the clock. */
  readonly readiness: Readiness;
  /** Where the receiver stands, where everybody may know it. */
  readonly site: Site | null;
  /** Where reference data are imported to; null where they never are. */
  readonly referenceFolder: string | null;
  /** Facts of aircraft, where they are not just those of the reference data. */
  readonly factsOf?: (reference: Reference) => AircraftFactsSource;
}

export interface FollowedReadModel extends ReadModel {
  readonly view: FollowedView;
  readonly feeds: FeedWatch;
  /** Settles when the following has ended; rejects with what broke it. */
  readonly ended: Promise<void>;
}

/** Begins to follow the log; the model can be asked at once, `view.isReady` says when it is whole. What to close is put before the closers. */
export async function openReadModel(options: ReadModelOptions, closers: Closer[]): Promise<FollowedReadModel> {
  const { log, codecs, registry, readiness } = options;
  const clock = (): number => Date.now();
  const steadyMs = (): number => performance.now();
  const { reference, stats, close } = await openReferenceData(options, clock);
  closers.unshift(close);
  registerReferenceMetrics(registry, stats);
  const stopView = new AbortController();
  const { signal } = stopView;
  const feeds = new FeedWatch(steadyMs());
  const followed = followFeeds(feeds, { log, codecs, steadyMs, signal });
  const flights = followFlights(log, codecs, reference);
  closers.unshift(flights.close);
  registerFlightMetrics(registry, flights);
  readiness.require('flights', () => (flights.isReady() ? null : 'flights are still being read'));
  const maps = new MapFiles(options.site);
  const view = await openLiveView(log, codecs, {
    clock,
    steadyMs,
    signal,
    facts: options.factsOf?.(reference) ?? reference,
    onTick: flights.onTick,
    onSnapshot: maps.note,
  });
  closers.unshift(() => {
    stopView.abort();
    return Promise.all([view.follower.done, settledWithin(followed, FEEDS_STOP_MS_MAX)]);
  });
  registerViewMetrics(registry, view, { clock, steadyMs, feeds });
  watchClock(readiness, view, clock);
  const ended = Promise.race([view.follower.done, flights.done]);
  return { view, reference, flights: flightsOf(flights.airports, flights.flightOf), maps, clock, steadyMs, feeds, ended };
}

function openReferenceData({ referenceFolder: folder, logger }: ReadModelOptions, clock: () => number): Promise<OpenReference> {
  return openReference({
    folder,
    clock,
    onLoaded: (rows) => logger.info({ rows }, 'reference data taken up'),
    onError: (error) => logger.warn({ error: String(error) }, 'imported reference data cannot be read and are left out'),
  });
}

/** Data of the future are shown while they advance, with a warning; those of another day need somebody who decides. */
function watchClock(readiness: Readiness, { current }: FollowedView, clock: () => number): void {
  const said = (msMin: number) => (): string | null => {
    const aheadMs = (current()?.times.nowMs ?? 0) - clock();
    if (aheadMs < msMin) return null;
    return `the data are ${Math.floor(aheadMs / 1000)} s ahead of the clock here: a clock is or was wrong, and times go on at half speed`;
  };
  readiness.warn('clock', said(AHEAD_WARNED_MS)).require('clock', said(AHEAD_MS_MAX));
}
