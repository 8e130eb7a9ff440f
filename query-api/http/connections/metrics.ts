// Prometheus metrics of HTTP connections.
import type { Registry } from 'prom-client';
import { Metrics } from '../../../pipeline/runtime/metrics.ts';
import type { HandOver } from './hand-over.ts';
import type { HttpGuard } from './http-guard.ts';

export function registerConnectionMetrics(
  registry: Registry,
  guard: HttpGuard,
  downloads: { readonly open: number; readonly refused: number },
  handOver: HandOver,
): void {
  const metrics = new Metrics(registry);
  metrics.gauge('squitter_http_connections', 'HTTP connections of clients', () => guard.open);
  metrics.gauge('squitter_http_connections_max', 'HTTP connections that are accepted at a time', () => guard.connectionsMax);
  metrics.gauge('squitter_http_queued_bytes', 'Memory that responses hold until their clients have taken them', () => guard.memory.count());
  metrics.gauge(
    'squitter_http_queued_max_bytes',
    'Memory that responses may hold; long lists get a 503 beyond half of it, short ones beyond all',
    () => guard.memory.bytesMax,
  );
  metrics.gauge('squitter_http_downloads', 'Downloads of daily files', () => downloads.open);
  metrics.counters('squitter_http_refused_total', 'Connections and requests refused, by reason', 'reason', () =>
    Object.entries({ ...guard.refused, memory: guard.memory.refused, downloads: downloads.refused }),
  );
  metrics.counters('squitter_http_ended_total', 'Connections ended by the service, by reason', 'reason', () => Object.entries(guard.ended));
  metrics.gauge('squitter_http_handed_over', 'Connections that are handed over to the push port', () => handOver.open);
  metrics.gauge('squitter_http_handed_over_max', 'Connections that may be handed over at a time', () => handOver.connectionsMax);
  metrics.counters('squitter_http_hand_over_refused_total', 'Requests for streams that were not handed over, by reason', 'reason', () =>
    Object.entries(handOver.refused),
  );
}
