// The record service of every profile: its streams, which all protocols share, and Connect and gRPC-Web on the HTTP port.
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { Protocol } from '../../../query-api/protocol.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { recordProtocol } from '../../../query-api/rpc/http-protocol.ts';
import { AircraftWatch } from '../../../query-api/rpc/watch/aircraft-watch.ts';

/** Streams of WatchAircraft, with a tick of so many seconds. The gRPC port closes it. */
export function openWatch(model: ReadModel, tickS: number, registry: Registry): AircraftWatch {
  const watch = new AircraftWatch(model, tickS * 1000);
  exportMetrics(registry, {
    squitter_record_watches: () => watch.stats().watchers,
    squitter_record_watch_topics: () => watch.stats().topics,
    squitter_record_watch_skipped_total: () => watch.stats().skipped,
    squitter_record_watch_overruns_total: () => watch.stats().overruns,
    squitter_record_watch_ended_total: () => watch.stats().ended,
    squitter_record_watch_refused_total: () => Object.entries(watch.stats().refused),
  });
  return watch;
}

export function recordService(model: ReadModel, watch: AircraftWatch, access: CallerAccess, logger: Logger): Protocol {
  return recordProtocol({ model, watch, access, onFault: (err) => logger.error({ err }, 'a call of the record service failed') });
}
