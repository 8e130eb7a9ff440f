// Prometheus metrics of the guard.
import { Counter, Gauge, type Registry } from 'prom-client';
import { type ConnectionGuard, endReasons } from './connection-guard.ts';
import { type HandOver, handOverRefusals } from './hand-over.ts';

export function registerConnectionMetrics(
  registry: Registry,
  guard: ConnectionGuard,
  downloads: { readonly open: number; readonly refused: number },
): void {
  const { gauge, counter } = metricsOf(registry);
  gauge('squitter_http_connections', 'HTTP connections of clients', () => guard.open);
  gauge('squitter_http_connections_max', 'HTTP connections that are accepted at a time', () => guard.connectionsMax);
  gauge('squitter_http_queued_bytes', 'Memory that responses hold until their clients have taken them', () => guard.memory.count());
  gauge(
    'squitter_http_queued_max_bytes',
    'Memory that responses may hold; long lists get a 503 beyond half of it, short ones beyond all',
    () => guard.memory.bytesMax,
  );
  gauge('squitter_http_downloads', 'Downloads of daily files', () => downloads.open);
  counter('squitter_http_refused_total', 'Connections and requests refused, by reason', () => [
    ['connections', guard.refused],
    ['accept_failed', guard.acceptFailures],
    ['memory', guard.memory.refused],
    ['downloads', downloads.refused],
  ]);
  counter('squitter_http_ended_total', 'Connections ended by the service, by reason', () =>
    endReasons.map((reason) => [reason, guard.ended[reason]]),
  );
}

export function registerHandOverMetrics(registry: Registry, handOver: HandOver): void {
  const { gauge, counter } = metricsOf(registry);
  gauge('squitter_http_handed_over', 'Connections that are handed over to the push port', () => handOver.open);
  gauge('squitter_http_handed_over_max', 'Connections that may be handed over at a time', () => handOver.connectionsMax);
  counter('squitter_http_hand_over_refused_total', 'Requests for streams that were not handed over, by reason', () =>
    handOverRefusals.map((reason) => [reason, handOver.refused[reason]]),
  );
}

function metricsOf(registry: Registry) {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  };
  const counter = (name: string, help: string, read: () => readonly (readonly [reason: string, count: number])[]): void => {
    new Counter({
      name,
      help,
      registers,
      labelNames: ['reason'],
      collect() {
        this.reset();
        for (const [reason, count] of read()) this.inc({ reason }, count);
      },
    });
  };
  return { gauge, counter };
}
