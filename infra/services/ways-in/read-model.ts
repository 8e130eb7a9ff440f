// The read model of a process: live view, flights, reference data and map files. It follows the log; HTTP and other interfaces share it.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AircraftFactsSource } from '../../../pipeline/aircraft/facts.ts';
import { followFlights } from '../../../pipeline/flights/follower.ts';
import type { Codecs } from '../../../pipeline/log/codec.ts';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { type OpenReference, openReference } from '../../../pipeline/reference/open-reference.ts';
import type { Reference } from '../../../pipeline/reference/reference.ts';
import { LogLimiter } from '../../../pipeline/runtime/log-limiter.ts';
import type { Readiness } from '../../../pipeline/runtime/readiness.ts';
import { remembered, settledWithin, Turns } from '../../../pipeline/runtime/waiting.ts';
import type { HistoryClient } from '../../../pipeline/store/client.ts';
import { type FollowedTracks, followTracks } from '../../../pipeline/tracks/follower.ts';
import { TrackMemory } from '../../../pipeline/tracks/track-memory.ts';
import { type FeedReasons, FeedWatch, followFeeds } from '../../../pipeline/view/feed-watch.ts';
import { type FollowedView, openLiveView } from '../../../pipeline/view/live-view.ts';
import { SignalHistory } from '../../../pipeline/view/signal-history.ts';
import { restoreSignal } from '../../../pipeline/view/signal-restore.ts';
import { flightsOf } from '../../../query-api/queries/flights.ts';
import { HistoryStore } from '../../../query-api/queries/history/history-store.ts';
import { storedSignal } from '../../../query-api/queries/history/signal-samples.ts';
import { MapFiles, type Site } from '../../../query-api/queries/maps/map-files.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { PastService } from '../../past/past-service.ts';
import type { Closer } from '../closing.ts';
import {
  registerFlightMetrics,
  registerHistoryRequestMetrics,
  registerReferenceMetrics,
  registerTrackMetrics,
  registerViewMetrics,
} from './view-metrics.ts';

/** The log loses its oldest frames by the minute. One that cannot be read is reported where its records are needed. */
const FIRST_MOMENT_MS = 60_000;
/** Data further ahead of our clock than this cause a warning. */
const AHEAD_WARNING_MS = 2000;

export interface ReadModelOptions extends FeedReasons {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly registry: Registry;
  readonly logger: Logger;
  /** Receives the checks of flights and clock for `/readyz`. */
  readonly readiness: Readiness;
  /** Position of the receiver if it is published, otherwise null. */
  readonly site: Site | null;
  /** Folder of imported reference data; null if none are imported. */
  readonly referenceFolder: string | null;
  /** True if the process serves tracks and the signal history; without them it reads less of the log. */
  readonly hasTracks: boolean;
  /** The client of the history, or of a store that is being started; null or absent without one. */
  readonly historyClient?: HistoryClient | null | Promise<HistoryClient | null>;
  /** Source of aircraft facts; without it, the reference data. */
  readonly factsOf?: (reference: Reference) => AircraftFactsSource;
  /** Folds the past; nothing does without it. */
  readonly past?: PastService;
}

/** Starts to follow the log. The model can be queried at once; `view.isReady` says when it is complete. Its closers are added at the front. */
export async function openReadModel(options: ReadModelOptions, closers: Closer[]) {
  const { log, codecs, registry, readiness } = options;
  const clock = (): number => Date.now();
  const steadyMs = (): number => performance.now();
  const { reference, stats, close } = await openReferenceData(options, clock);
  closers.unshift(close);
  registerReferenceMetrics(registry, stats);
  const stopView = new AbortController();
  const { signal } = stopView;
  const feeds = new FeedWatch(steadyMs(), options);
  const followed = followFeeds(feeds, { log, codecs, steadyMs, signal });
  const flights = followFlights(log, codecs, reference);
  closers.unshift(flights.close);
  registerFlightMetrics(registry, flights);
  readiness.require('flights', () => (flights.isReady() ? null : 'flights are still being read'));
  const maps = new MapFiles(options.site);
  const signals = new SignalHistory();
  // One for all: requests wait for one turn, not for one of each.
  const turns = new Turns(limits.viewTurnMsMax);
  const view = await openLiveView(log, codecs, {
    clock,
    steadyMs,
    signal,
    turns,
    facts: options.factsOf?.(reference) ?? reference,
    onTick: flights.onTick,
    onSnapshot: (snapshot) => {
      maps.note(snapshot);
      signals.note(snapshot);
    },
  });
  closers.unshift(() => {
    stopView.abort();
    return Promise.all([view.follower.done, settledWithin(followed, limits.feedsStopMsMax)]);
  });
  registerViewMetrics(registry, view, { clock, steadyMs, feeds });
  watchClock(readiness, view, clock);
  const history = openHistory(options, steadyMs);
  const tracks = options.hasTracks ? startTracks(options, view, turns, history, closers) : null;
  if (options.hasTracks) closers.unshift(startSignals(options, view, signals, history));
  /** Settles when following ends; rejects with the cause. */
  const ended = Promise.race([view.follower.done, flights.done, ...(tracks === null ? [] : [tracks.done])]);
  return {
    ...{ view, reference, maps, clock, steadyMs, feeds, signals, ended },
    past: options.past ?? null,
    firstMoment: options.past === undefined ? async () => null : remembered(() => firstMomentOf(log).catch(() => null), FIRST_MOMENT_MS),
    history,
    flights: flightsOf(flights.airports, flights.flightOf, flights.records),
    tracks: tracks?.memory ?? new TrackMemory(),
  };
}

/** Loads the fold when somebody asks: the main thread needs it for nothing else, and it takes 3 MB and 50 ms of the start. */
async function firstMomentOf(log: EventLog): Promise<number | null> {
  return (await import('../../../pipeline/past/partition-past.ts')).firstMoment(log);
}

function openHistory({ log, historyClient = null, logger, registry }: ReadModelOptions, steadyMs: () => number): HistoryStore {
  const limiter = new LogLimiter((level, fields, message) => logger[level](fields, message));
  const history = new HistoryStore(historyClient, {
    partitions: log.partitions('positions'),
    steadyMs,
    onFailure: ({ code, message }) => limiter.line('warn', { code, error: message }, 'a request to the history failed', code),
  });
  registerHistoryRequestMetrics(registry, history);
  return history;
}

function startTracks(
  { log, codecs, registry }: ReadModelOptions,
  view: FollowedView,
  turns: Turns,
  history: HistoryStore,
  closers: Closer[],
): FollowedTracks {
  // After the view, which is more urgent, and when it is known whether there is a history.
  const started = Promise.allSettled([view.follower.ready, history.opened]);
  const restoreMs = started.then(() => (history.isKept ? limits.trackRestoreMsWithStore : limits.trackRestoreMs));
  const tracks = followTracks(log, codecs, { turns, restoreMs });
  closers.unshift(tracks.close);
  registerTrackMetrics(registry, tracks);
  return tracks;
}

/** Restores the signal history once the view is complete: from the store, and what that does not have from the log. A failure costs levels before the start only. */
function startSignals(
  { log, codecs, logger }: ReadModelOptions,
  view: FollowedView,
  signals: SignalHistory,
  history: HistoryStore,
): Closer {
  const stop = new AbortController();
  // A store that does not answer is logged where it is asked.
  const stored = (endMs: number) => (history.isKept ? storedSignal({ history }, endMs).catch(() => []) : Promise.resolve([]));
  const restored = Promise.all([view.follower.ready, history.opened])
    .then(() => restoreSignal(signals, { log, codecs, stored, signal: stop.signal }))
    .catch((error: unknown) => {
      if (!stop.signal.aborted) logger.warn({ error: String(error) }, 'the signal levels before the start cannot be read');
    });
  return () => {
    stop.abort();
    return restored;
  };
}

function openReferenceData({ referenceFolder: folder, logger }: ReadModelOptions, clock: () => number): Promise<OpenReference> {
  return openReference({
    folder,
    clock,
    onLoaded: (rows) => logger.info({ rows }, 'reference data loaded'),
    onError: (error) => logger.warn({ error: String(error) }, 'imported reference data cannot be read and are not used'),
  });
}

/** Data ahead of the clock are served with a warning. If they are more than a day ahead, the service is not ready: an operator must decide. */
function watchClock(readiness: Readiness, { current }: FollowedView, clock: () => number): void {
  const reasonBeyond = (msMin: number) => (): string | null => {
    const aheadMs = (current()?.times.nowMs ?? 0) - clock();
    if (aheadMs < msMin) return null;
    return `the data are ${Math.floor(aheadMs / 1000)} s ahead of the clock of this machine: a clock is or was wrong, and event time runs at half speed`;
  };
  readiness.warn('clock', reasonBeyond(AHEAD_WARNING_MS)).require('clock', reasonBeyond(limits.eventTimeAheadMsMax));
}
