// Parses Prometheus' text format.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parseMetrics(page: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of page.split('\n')) {
    const match = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (match === null) continue;
    const labels = [...(match[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!] as const);
    samples.push({ name: match[1]!, labels: Object.fromEntries(labels), value: Number(match[3]) });
  }
  return samples;
}

/** Sum over all labels; 0 without samples. */
export function sumOf(samples: readonly Sample[], name: string): number {
  return samples.reduce((sum, sample) => sum + (sample.name === name ? sample.value : 0), 0);
}

/** Largest value over all labels; 0 without samples. */
export function largestOf(samples: readonly Sample[], name: string): number {
  return samples.reduce((largest, sample) => Math.max(largest, sample.name === name ? sample.value : 0), 0);
}
