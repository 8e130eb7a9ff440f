// HTTP metrics by route, counted without allocation and formatted as Prometheus text only at a scrape.
import type { Metric, Registry } from 'prom-client';

/** Upper bounds of the duration buckets, s. */
const BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

interface RouteCounts {
  readonly requests: Map<number, number>;
  readonly buckets: Float64Array;
  sumS: number;
  count: number;
  bytes: number;
}

interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
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
  register(registry, 'squitter_http_requests_total', 'HTTP requests with a response, by route and status', 'counter', () =>
    perRoute((route, { requests }) => [...requests].map(([status, value]) => ({ labels: { route, status }, value }))),
  );
  register(registry, 'squitter_http_response_bytes_total', 'Bytes of response bodies, by route', 'counter', () =>
    perRoute((route, { bytes }) => [{ labels: { route }, value: bytes }]),
  );
  const duration = 'squitter_http_request_duration_seconds';
  register(registry, duration, 'Time from the request to the end of its response, by route', 'histogram', () =>
    perRoute((route, counts) => histogramSamples(duration, route, counts)),
  );
  return {
    observe(route, status, durationS, bytes) {
      let counts = routes.get(route);
      if (counts === undefined) {
        counts = { requests: new Map(), buckets: new Float64Array(BOUNDS_S.length), sumS: 0, count: 0, bytes: 0 };
        routes.set(route, counts);
      }
      counts.requests.set(status, (counts.requests.get(status) ?? 0) + 1);
      counts.count += 1;
      counts.sumS += durationS;
      counts.bytes += bytes;
      const bucket = BOUNDS_S.findIndex((bound) => durationS <= bound);
      if (bucket >= 0) counts.buckets[bucket] = counts.buckets[bucket]! + 1;
    },
  };
}

/** Prometheus buckets count everything up to their bound. */
function histogramSamples(name: string, route: string, { buckets, sumS, count }: RouteCounts): Sample[] {
  let upTo = 0;
  const samples: Sample[] = BOUNDS_S.map((bound, i) => {
    upTo += buckets[i]!;
    return { metricName: `${name}_bucket`, labels: { route, le: bound }, value: upTo };
  });
  samples.push({ metricName: `${name}_bucket`, labels: { route, le: '+Inf' }, value: count });
  samples.push({ metricName: `${name}_sum`, labels: { route }, value: sumS });
  samples.push({ metricName: `${name}_count`, labels: { route }, value: count });
  return samples;
}

/** The only method of a metric that prom-client calls is `get`. */
function register(registry: Registry, name: string, help: string, type: 'counter' | 'histogram', samples: () => Sample[]): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    reset: () => {},
    get: async () => ({ name, help, type, aggregator: 'sum', values: samples() }),
  };
  registry.registerMetric(metric as unknown as Metric<string>);
}
