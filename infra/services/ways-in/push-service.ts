// The push service, in every profile: the hub over a read model, and its transport.
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { exportMetrics, type LabelledRow } from '../../../pipeline/runtime/metrics.ts';
import { type Endpoint, endpoint, type OptionValues } from '../../../pipeline/runtime/options.ts';
import { type Encoding, encodings } from '../../../push/hub/encodings.ts';
import { Hub } from '../../../push/hub/hub.ts';
import type { ServiceClass } from '../../../push/hub/service-class.ts';
import { openTransport } from '../../../push/transport/open-transport.ts';
import type { Refusal, Transport, TransportEvents } from '../../../push/transport/transport.ts';
import type { CallerAccess } from '../../../query-api/access/access.ts';
import type { Upstream } from '../../../query-api/http/connections/hand-over.ts';
import { type Problem, problem } from '../../../query-api/http/errors/problems.ts';
import type { ReadModel } from '../../../query-api/queries/read-model.ts';
import { closeCodes } from '../../../schemas/push.ts';
import type { Closer } from '../closing.ts';
import type { pushOptions } from '../options/output-options.ts';

export interface PushServiceOptions {
  readonly values: OptionValues<typeof pushOptions>;
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
  const { values, socketsMax, registry, logger, access } = options;
  const { pageEgress } = values;
  const { host, port } = values.push;
  const hop = options.hop ?? randomBytes(24).toString('base64url');
  const hub = new Hub({
    ...{ model, access, logger, pageEgress },
    tickMs: values.pushTick * 1000,
    pageTickMs: values.pageTick * 1000,
    epoch: randomBytes(6).toString('base64url'),
    // Without credentials: pages of any origin may read it.
    refusal: (error, path) => withAnyOrigin(problem(error, path, 'push')),
  });
  closers.unshift(async () => hub.close());
  const { transport, reason } = await openTransport(
    { host, port, flag: '--push', socketsMax, hop, prefer: values.pushTransport },
    eventsOf(hub),
  );
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

const REFUSALS: readonly LabelledRow[] = ['api.no_snapshot', 'push.too_many_filters', 'access.too_many_sockets', '503'].map((code) => [
  code,
  0,
]);
const ENDS: readonly LabelledRow[] = [1006, ...closeCodes.map(({ code }) => code)].map((code) => [String(code), 0]);

function registerMetrics(registry: Registry, hub: Hub, transport: Transport, socketsMax: number): void {
  const byClass = (read: (one: ServiceClass) => number) => (): LabelledRow[] =>
    Object.entries(hub.classes).map(([name, one]) => [name, read(one)]);
  const sumOf = (read: (one: ServiceClass) => number) => (): number => Object.values(hub.classes).reduce((sum, one) => sum + read(one), 0);
  exportMetrics(registry, {
    squitter_push_subscribers: () => encodings.map((encoding: Encoding) => [encoding, hub.counts()[encoding]] as const),
    squitter_push_topics: byClass(({ topics }) => topics.size),
    squitter_push_interval_seconds: byClass(({ intervalMs }) => intervalMs / 1000),
    squitter_push_tick_seconds: byClass(({ stats }) => stats.lastTickMs / 1000),
    squitter_push_resume_bytes: byClass(({ resumeBytes }) => resumeBytes),
    squitter_push_ticks_total: byClass(({ stats }) => stats.ticks),
    squitter_push_delta_bytes_total: byClass(({ stats }) => stats.deltaBytes),
    squitter_push_refused_total: () => [...REFUSALS, ...hub.refused, ...Object.entries(transport.stats().refused)],
    squitter_push_overruns_total: sumOf(({ stats }) => stats.overruns),
    squitter_push_resumes_forgotten_total: sumOf(({ stats }) => stats.resumesForgotten),
    squitter_push_connections_total: () => transport.stats().openings,
    squitter_push_frames_total: () => transport.stats().framesSent,
    squitter_push_bytes_total: () => transport.stats().bytesSent,
    squitter_push_skipped_total: () => transport.stats().framesSkipped,
    squitter_push_ended_total: () => [...ENDS, ...Object.entries(transport.stats().ended)],
    squitter_push_sockets: () => transport.stats().sockets,
    squitter_push_queued_bytes: () => transport.stats().queuedBytes,
    squitter_push_sockets_max: () => socketsMax,
  });
}
