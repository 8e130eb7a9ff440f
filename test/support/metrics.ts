// Metrics that a service serves, compared with the table of metrics.
import { expect } from 'vitest';
import { describedMetrics } from '../../pipeline/runtime/metrics.ts';
import { parseMetrics } from '../runner/metrics-page.ts';

/** Our own metrics in a response of `/metrics`: name, type and help as a row, and the labels of its samples; null without samples. */
export function servedMetrics(page: string) {
  const all = parseMetrics(page);
  return [...page.matchAll(/^# HELP (squitter_\w+) (.*)\n# TYPE \1 (\w+)$/gm)].map(([, name = '', help, type]) => {
    const names = type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
    const samples = all.filter((sample) => names.includes(sample.name));
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'));
    return { name, row: `${name} ${type} ${help}`, labels: samples.length === 0 ? null : [...labels].sort() };
  });
}

/** Expects a page to have just those metrics of the table that are served here, by the services and the name of each; labels are compared where there are samples. */
export function expectDocumented(what: string, page: string, isServed: (services: string, name: string) => boolean): void {
  const served = servedMetrics(page);
  const documented = [...describedMetrics].filter(([name, { services }]) => isServed(services, name));
  expect(served.map(({ row }) => row).sort(), what).toEqual(documented.map(([name, { type, help }]) => `${name} ${type} ${help}`).sort());
  for (const { name, labels } of served) if (labels !== null) expect([name, labels]).toEqual([name, describedMetrics.get(name)!.labels]);
}
