// Metrics as METRICS.md lists them, and as a service serves them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parseMetrics } from '../runner/metrics-page.ts';
import { projectDir } from './requirements.ts';

export interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  /** Services of the cluster profile that have it. */
  readonly service: string;
  readonly help: string;
}

/** Rows of infra/grafana/METRICS.md. */
export function documentedMetrics(): DocumentedMetric[] {
  const lines = readFileSync(join(projectDir, 'infra/grafana/METRICS.md'), 'utf8').split('\n');
  return lines
    .filter((line) => line.startsWith('| `squitter_'))
    .map((line) => {
      const [name = '', type = '', labels = '', service = '', help = ''] = line
        .split('|')
        .slice(1)
        .map((cell) => cell.trim());
      return { name: name.replaceAll('`', ''), type, labels: labels === '' ? [] : labels.split(', '), service, help };
    });
}

export interface ServedMetric {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** Labels of its samples; empty without samples. */
  readonly labels: readonly string[];
  readonly samples: number;
}

/** Our own metrics in a response of `/metrics`. */
export function servedMetrics(text: string): ServedMetric[] {
  const all = parseMetrics(text);
  return [...text.matchAll(/^# HELP (squitter_\w+) (.*)$/gm)].map(([, name = '', help = '']) => {
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)?.[1] ?? '';
    const names = type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name];
    const samples = all.filter((sample) => names.includes(sample.name));
    const labels = new Set(samples.flatMap((sample) => Object.keys(sample.labels)).filter((label) => label !== 'le'));
    return { name, type, help, labels: [...labels].sort(), samples: samples.length };
  });
}

/** Expects the served metrics to be these documented ones. Labels are compared where there are samples. */
export function expectDocumented(what: string, served: readonly ServedMetric[], documented: readonly DocumentedMetric[]): void {
  const row = ({ name, type, help }: DocumentedMetric | ServedMetric): string => `${name} ${type} ${help}`;
  expect(served.map(row).sort(), what).toEqual(documented.map(row).sort());
  for (const { name, labels, samples } of served)
    if (samples > 0) expect([name, labels]).toEqual([name, documented.find((metric) => metric.name === name)!.labels]);
}
