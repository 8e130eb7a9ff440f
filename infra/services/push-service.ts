// The push service, in every profile: the hub over a read model, and its transport.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { type Labelled, Metrics } from '../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint } from '../../pipeline/runtime/options.ts';
import { type Encoding, encodings } from '../../push/hub/encodings.ts';
import { Hub } from '../../push/hub/hub.ts';
import type { ServiceClass } from '../../push/hub/service-class.ts';
import { openTransport, type TransportPreference } from '../../push/transport/open-transport.ts';
import type { Refusal, Transport, TransportEvents } from '../../push/transport/transport.ts';
import type { CallerAccess } from '../../query-api/access/access.ts';
import type { Upstream } from '../../query-api/http/connections/hand-over.ts';
import { type Problem, problem } from '../../query-api/http/errors/problems.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import { closeCodes } from '../../schemas/push.ts';
import type { Closer } from './closing.ts';

/** What an operator sets. */
export interface PushSettings {
  readonly address: Endpoint;
  readonly tickS: number;
  readonly pageTickS: number;
  /** Bytes a second of deltas to all pages together. */
  readonly pageEgress: number;
  readonly prefer: TransportPreference;
}

export interface PushServiceOptions extends PushSettings {
  /** Maximum number of subscribers. */
  readonly socketsMax: number;
  /** Secret of the HTTP port that hands connections over; without it a new one. */
  readonly hop?: string | null;
  readonly registry: Registry;
  readonly logger: Logger;
  readonly access: CallerAccess;
}

export interface PushService {
  readonly address: Endpoint;
  /** Product and version of the transport, and why it is not the preferred one. */
  readonly transport: string;
  /** Where an HTTP port of this process hands connections over to. */
  readonly upstream: Upstream;
}

/** Starts to serve at once; without live data clients get 503. Its closers are added at the front. Errors: `listen.port_in_use`, `listen.failed`. */
export async function startPush(model: ReadModel, options: PushServiceOptions, closers: Closer[]): Promise<PushService> {
  const { address, tickS, pageTickS, pageEgress, socketsMax, prefer, registry, logger, access } = options;
  const hop = options.hop ?? randomBytes(24).toString('base64url');
  const hub = new Hub({
    ...{ model, access, logger, pageEgress },
    tickMs: tickS * 1000,
    pageTickMs: pageTickS * 1000,
    epoch: randomBytes(6).toString('base64url'),
    // Without credentials: pages of any origin may read it.
    refusal: (error, path) => withAnyOrigin(problem(error, path, 'push')),
  });
  closers.unshift(async () => hub.close());
  const { host, port } = address;
  const { transport, reason } = await openTransport({ host, port, flag: '--push', socketsMax, hop, prefer }, eventsOf(hub));
  hub.attach(transport);
  closers.unshift(() => transport.close());
  registerMetrics(registry, hub, transport, socketsMax);
  return {
    address: endpoint(host, transport.port),
    transport: reason === null ? transport.name : `${transport.name} (${reason})`,
    upstream: { addresses: [{ host: reachable(host), port: transport.port }], hop },
  };
}

/** Where a service that listens on all addresses can be reached from the same machine. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  return host === '::' ? '::1' : host;
}

function withAnyOrigin({ status, headers, body }: Problem): Refusal {
  return { status, headers: { ...headers, 'access-control-allow-origin': '*' }, body };
}

/** The transport may report before it is attached: it starts to listen first. */
function eventsOf(hub: Hub): TransportEvents {
  return {
    opening: (opening) => hub.opening(opening),
    message: (socket, text) => hub.message(socket, text),
    behind: (socket) => hub.behind(socket),
    drained: (socket) => hub.drained(socket),
    closed: (socket) => hub.closed(socket),
  };
}

/** Exported from the start: `increase()` would miss the first count of a series that appears with it. */
const REFUSALS: Labelled = ['api.no_snapshot', 'push.too_many_filters', 'access.too_many_sockets', '503'].map((code) => [code, 0]);
const ENDS: Labelled = [1006, ...closeCodes.map(({ code }) => code)].map((code) => [String(code), 0]);

function registerMetrics(registry: Registry, hub: Hub, transport: Transport, socketsMax: number): void {
  const metrics = new Metrics(registry);
  metrics.gauges('squitter_push_subscribers', 'Subscribers by encoding of their frames', 'encoding', () =>
    encodings.map((encoding: Encoding) => [encoding, hub.counts()[encoding]] as const),
  );
  const classes = (read: (one: ServiceClass) => number): Labelled => Object.entries(hub.classes).map(([name, one]) => [name, read(one)]);
  const sumOf = (read: (one: ServiceClass) => number): number => Object.values(hub.classes).reduce((sum, one) => sum + read(one), 0);
  const byClass = (name: string, help: string, read: (one: ServiceClass) => number): void =>
    metrics.gauges(name, help, 'class', () => classes(read));
  byClass('squitter_push_topics', 'Different filters that are followed, by service class', ({ topics }) => topics.size);
  byClass('squitter_push_interval_seconds', 'Interval between ticks, by service class', ({ intervalMs }) => intervalMs / 1000);
  byClass('squitter_push_tick_seconds', 'Duration of the last tick, by service class', ({ stats }) => stats.lastTickMs / 1000);
  byClass('squitter_push_resume_bytes', 'Bytes of frames that are kept for clients that resume, by service class', (one) => one.resumeBytes);
  metrics.counters('squitter_push_ticks_total', 'Ticks, by service class', 'class', () => classes(({ stats }) => stats.ticks));
  metrics.counters('squitter_push_delta_bytes_total', 'Bytes of deltas for all subscribers together, by service class', 'class', () =>
    classes(({ stats }) => stats.deltaBytes),
  );
  metrics.counters(
    'squitter_push_refused_total',
    'Connections and subscriptions refused, by code of the error, or by HTTP status where the transport refused the request',
    'code',
    () => [...REFUSALS, ...hub.refused, ...Object.entries(transport.stats().refused)],
  );
  const counter = (name: string, help: string, read: () => number): void => metrics.counter(name, help, read);
  counter('squitter_push_overruns_total', 'Ticks left out because the previous one was not finished', () =>
    sumOf(({ stats }) => stats.overruns),
  );
  counter('squitter_push_resumes_forgotten_total', 'Ticks whose frames were kept for less than 60 s, because their memory was needed', () =>
    sumOf(({ stats }) => stats.resumesForgotten),
  );
  counter('squitter_push_connections_total', 'Connections', () => transport.stats().openings);
  counter('squitter_push_frames_total', 'Frames sent', () => transport.stats().framesSent);
  counter('squitter_push_bytes_total', 'Bytes sent', () => transport.stats().bytesSent);
  counter('squitter_push_skipped_total', 'Frames not sent because a client read too slowly', () => transport.stats().framesSkipped);
  metrics.counters('squitter_push_ended_total', 'Connections that the service ended, by close code', 'code', () => [
    ...ENDS,
    ...Object.entries(transport.stats().ended),
  ]);
  metrics.gauge('squitter_push_sockets', 'Connections now, also those that wait for their response', () => transport.stats().sockets);
  metrics.gauge('squitter_push_queued_bytes', 'Bytes queued for subscribers', () => transport.stats().queuedBytes);
  metrics.gauge('squitter_push_sockets_max', 'Maximum number of connections', () => socketsMax);
}
