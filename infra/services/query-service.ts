// The query API as a service, whatever its profile: the live view of a log, served over HTTP.
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { openFlights } from '../../pipeline/flights/flights.ts';
import { registerFlightMetrics } from '../../pipeline/flights/metrics.ts';
import type { Codecs } from '../../pipeline/log/codec.ts';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { registerReferenceMetrics } from '../../pipeline/reference/metrics.ts';
import { type OpenReference, openReference } from '../../pipeline/reference/open-reference.ts';
import type { Reference } from '../../pipeline/reference/reference.ts';
import { type Address, address } from '../../pipeline/runtime/options.ts';
import type { Readiness } from '../../pipeline/runtime/readiness.ts';
import { settledWithin } from '../../pipeline/runtime/waiting.ts';
import type { AircraftFactsSource } from '../../pipeline/view/facts.ts';
import { FeedWatch, followFeeds } from '../../pipeline/view/feed-watch.ts';
import { type FollowedView, openLiveView } from '../../pipeline/view/live-view.ts';
import { createQueryApi } from '../../query-api/http/app.ts';
import { ConnectionGuard } from '../../query-api/http/connections/connection-guard.ts';
import type { ServiceInfo } from '../../query-api/http/context.ts';
import { flightsOf } from '../../query-api/queries/flights.ts';
import { MapFiles, type Site } from '../../query-api/queries/maps/map-files.ts';
import { SquitterError } from '../../schemas/errors.ts';
import type { Closer } from './closing.ts';
import { AHEAD_MS_MAX } from './ingest-clock.ts';
import { registerViewMetrics } from './view-metrics.ts';

/** How long a stop waits for what is being read of the feeders topic: the log may be away. */
const FEEDS_STOP_MS_MAX = 1000;

/** Data ahead of our clock by this much are worth a warning. */
const AHEAD_WARNED_MS = 2000;

export interface QueryServiceOptions {
  readonly log: EventLog;
  readonly codecs: Codecs;
  readonly http: Address;
  /** HTTP connections at a time. */
  readonly connectionsMax: number;
  readonly baseUrl: string;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly info: () => ServiceInfo;
  /** What `/readyz` asks beside the view. */
  readonly readiness: Readiness;
  /** Where the receiver stands, where everybody may know it. */
  readonly site: Site | null;
  /** Where reference data are imported to; null where they never are. */
  readonly referenceFolder: string | null;
  /** Facts of aircraft, where they are not just those of the reference data. */
  readonly factsOf?: (reference: Reference) => AircraftFactsSource;
}

export interface QueryService {
  /** Address that it answers on. */
  readonly address: string;
  readonly view: FollowedView;
  /** Settles when the view has ended; rejects with what broke it. */
  readonly ended: Promise<void>;
}

/** Follows the log and answers at once; `/readyz` says when the view is whole. What to close is put before the closers. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startQuery(options: QueryServiceOptions, closers: Closer[]): Promise<QueryService> {
  const { log, codecs, registry, logger, info, readiness, baseUrl } = options;
  const clock = (): number => Date.now();
  const { reference, stats, close } = await openReferenceData(options, clock);
  closers.unshift(close);
  registerReferenceMetrics(registry, stats);
  const steadyMs = (): number => performance.now();
  const stopView = new AbortController();
  const { signal } = stopView;
  const feeds = new FeedWatch(steadyMs());
  const followed = followFeeds(feeds, { log, codecs, steadyMs, signal });
  const flights = openFlights(log, codecs, reference);
  closers.unshift(flights.close);
  registerFlightMetrics(registry, flights);
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
  const guard = new ConnectionGuard({
    connectionsMax: options.connectionsMax,
    log: (level, fields, message) => logger[level](fields, message),
  });
  const model = { view, reference, flights: flightsOf(flights.fields, flights.trackOf), maps, clock, steadyMs, feeds };
  const app = createQueryApi(model, { guard, registry, baseUrl, info, readiness, logger });
  closers.unshift(() => app.close());
  return { address: await listen(app, options.http), view, ended: Promise.race([view.follower.done, flights.done]) };
}

function openReferenceData({ referenceFolder: folder, logger }: QueryServiceOptions, clock: () => number): Promise<OpenReference> {
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

async function listen(app: FastifyInstance, wanted: Address): Promise<string> {
  try {
    await app.listen({ host: wanted.host, port: wanted.port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new SquitterError('listen.port_in_use', { address: String(wanted), flag: '--http' }, error);
    throw new SquitterError('listen.failed', { address: String(wanted), detail: message }, error);
  }
  const { port } = app.server.address() as AddressInfo;
  return String(address(wanted.host, port));
}
