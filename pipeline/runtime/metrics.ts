// Metrics that a scrape reads from a service's own counts. Their names, helps and labels are in metric-table.ts.
import type { Metric, Registry } from 'prom-client';
import type { Sample } from './durations.ts';
import { metricTable } from './metric-table.ts';

type Table = typeof metricTable;
type MetricName = { [Services in keyof Table]: keyof Table[Services] }[keyof Table];

interface MetricDescription {
  readonly services: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Values of the labels in the order of the table, and the number. Numbers of rows with the same labels are added up. */
export type LabelledRow = readonly [...labels: (string | number)[], value: number];

/** Null: no sample, because a stale value would look current. Undefined: there are no statistics yet, so it is 0, or no rows. */
export type Reading = number | null | undefined | readonly LabelledRow[];

type Readings = { readonly [Name in MetricName]?: () => Reading | Promise<Reading> | readonly Sample[] };

export const describedMetrics: ReadonlyMap<string, MetricDescription> = new Map(
  Object.entries(metricTable).flatMap(([services, metrics]) =>
    Object.entries<string | readonly [string, ...string[]]>(metrics).map(([name, entry]) => {
      const [help, ...labels] = typeof entry === 'string' ? [entry] : entry;
      const type = name.endsWith('_total') ? 'counter' : name.endsWith('_duration_seconds') ? 'histogram' : 'gauge';
      return [name, { services, type, help, labels }];
    }),
  ),
);

/** Registers metrics that are read at each scrape. Export a counter from the start: `increase()` would miss the first count of a series that appears with it. */
export function exportMetrics(registry: Registry, readings: Readings): void {
  for (const [name, read] of Object.entries(readings)) {
    const { help, type, labels } = describedMetrics.get(name)!;
    const metric = {
      ...{ name, help, type, aggregator: 'sum' },
      reset: () => {},
      get: async () => ({ name, help, type, aggregator: 'sum', values: samplesOf(await read(), labels) }),
    };
    // The only method of a metric that prom-client calls is `get`.
    registry.registerMetric(metric as unknown as Metric<string>);
  }
}

function samplesOf(reading: Reading | readonly Sample[], labels: readonly string[]): Sample[] {
  if (reading === null) return [];
  if (typeof reading === 'number' || reading === undefined) return labels.length > 0 ? [] : [{ labels: {}, value: reading ?? 0 }];
  const samples = new Map<string, Sample>();
  for (const row of reading) {
    // A histogram makes its own samples.
    if (!Array.isArray(row)) return [...(reading as readonly Sample[])];
    const values = row.slice(0, -1);
    const key = values.join('\0');
    const value = (row.at(-1) as number) + (samples.get(key)?.value ?? 0);
    samples.set(key, { labels: Object.fromEntries(values.map((label, i) => [labels[i]!, label])), value });
  }
  return [...samples.values()];
}
