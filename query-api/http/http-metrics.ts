// HTTP metrics by route, counted without allocation and formatted as Prometheus text only at a scrape.
import type { Registry } from 'prom-client';
import { Durations, registerSamples, type Sample } from '../../pipeline/runtime/durations.ts';

interface RouteCounts {
  readonly requests: Map<number, number>;
  readonly durations: Durations;
  bytes: number;
}

export interface HttpMetrics {
  /** One request with its response: route pattern, status, seconds from its head to its last byte, body bytes. */
  observe(route: string, status: number, durationS: number, bytes: number): void;
}

/** Counts requests and registers the metrics: `squitter_http_requests_total`, `…_request_duration_seconds`, `…_response_bytes_total`. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const routes = new Map<string, RouteCounts>();
  const perRoute = (samples: (route: string, counts: RouteCounts) => Sample[]): Sample[] =>
    [...routes].flatMap(([route, counts]) => samples(route, counts));
  registerSamples(registry, 'squitter_http_requests_total', 'HTTP requests with a response, by route and status', 'counter', () =>
    perRoute((route, { requests }) => [...requests].map(([status, value]) => ({ labels: { route, status }, value }))),
  );
  registerSamples(registry, 'squitter_http_response_bytes_total', 'Bytes of response bodies, by route', 'counter', () =>
    perRoute((route, { bytes }) => [{ labels: { route }, value: bytes }]),
  );
  const duration = 'squitter_http_request_duration_seconds';
  registerSamples(registry, duration, 'Time from the request to the end of its response, by route', 'histogram', () =>
    perRoute((route, { durations }) => durations.samples(duration, { route })),
  );
  return {
    observe(route, status, durationS, bytes) {
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
