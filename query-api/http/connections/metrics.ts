// Prometheus metrics of HTTP connections.
import type { Registry } from 'prom-client';
import { exportMetrics } from '../../../pipeline/runtime/metrics.ts';
import type { HandOver } from './hand-over.ts';
import type { HttpGuard } from './http-guard.ts';

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
