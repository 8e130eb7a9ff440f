// HTTP metrics by route, counted without allocation and formatted as Prometheus text only at a scrape; and those of connections.
import type { Registry } from 'prom-client';
import { Durations } from '../../pipeline/runtime/durations.ts';
import { exportMetrics } from '../../pipeline/runtime/metrics.ts';
import type { HandOver } from './connections/hand-over.ts';
import type { HttpGuard } from './connections/http-guard.ts';

interface RouteCounts {
  readonly requests: Map<number, number>;
  readonly durations: Durations;
  bytes: number;
}

/** Counts requests and registers the metrics: `squitter_http_requests_total`, `…_request_duration_seconds`, `…_response_bytes_total`. */
export function createHttpMetrics(registry: Registry) {
  const routes = new Map<string, RouteCounts>();
  const duration = 'squitter_http_request_duration_seconds';
  exportMetrics(registry, {
    squitter_http_requests_total: () =>
      [...routes].flatMap(([route, { requests }]) => [...requests].map(([status, count]) => [route, status, count] as const)),
    squitter_http_response_bytes_total: () => [...routes].map(([route, { bytes }]) => [route, bytes]),
    [duration]: () => [...routes].flatMap(([route, { durations }]) => durations.samples(duration, { route })),
  });
  return {
    /** One request with its response: route pattern, status, seconds from its head to its last byte, body bytes. */
    observe(route: string, status: number, durationS: number, bytes: number): void {
      let counts = routes.get(route);
      if (counts === undefined) {
        counts = { requests: new Map(), durations: new Durations(), bytes: 0 };
        routes.set(route, counts);
      }
      counts.requests.set(status, (counts.requests.get(status) ?? 0) + 1);
      counts.durations.observe(durationS);
      counts.bytes += bytes;
    },
  };
}

export function registerConnectionMetrics(
  registry: Registry,
  guard: HttpGuard,
  downloads: { readonly open: number; readonly refused: number },
  handOver: HandOver,
): void {
  exportMetrics(registry, {
    squitter_http_connections: () => guard.open,
    squitter_http_connections_max: () => guard.connectionsMax,
    squitter_http_queued_bytes: () => guard.memory.count(),
    squitter_http_queued_max_bytes: () => guard.memory.bytesMax,
    squitter_http_downloads: () => downloads.open,
    squitter_http_refused_total: () => Object.entries({ ...guard.refused, memory: guard.memory.refused, downloads: downloads.refused }),
    squitter_http_ended_total: () => Object.entries(guard.ended),
    squitter_http_handed_over: () => handOver.open,
    squitter_http_handed_over_max: () => handOver.connectionsMax,
    squitter_http_hand_over_refused_total: () => Object.entries(handOver.refused),
  });
}
