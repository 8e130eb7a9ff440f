// Metrics as METRICS.md lists them, and as a service serves them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const helps = [...text.matchAll(/^# HELP (squitter_\w+) (.*)$/gm)];
  return helps.map(([, name = '', help = '']) => {
    const type = new RegExp(`^# TYPE ${name} (\\w+)$`, 'm').exec(text)?.[1] ?? '';
    const samples = [
      ...text.matchAll(new RegExp(`^${name}${type === 'histogram' ? '_(?:bucket|sum|count)' : ''}(?:\\{(.*)\\})? \\S+$`, 'gm')),
    ];
    const labels = new Set(samples.flatMap(([, set = '']) => [...set.matchAll(/(\w+)="/g)].map((match) => match[1]!)));
    labels.delete('le');
    return { name, type, help, labels: [...labels].sort(), samples: samples.length };
  });
}
