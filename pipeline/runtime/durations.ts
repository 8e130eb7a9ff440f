// Durations as a Prometheus histogram, counted without allocation; samples are made only at a scrape.

/** Upper bounds of the buckets, s. */
const BOUNDS_S = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

export class Durations {
  private readonly buckets = new Float64Array(BOUNDS_S.length);
  private sumS = 0;
  private count = 0;

  observe(durationS: number): void {
    this.count += 1;
    this.sumS += durationS;
    const bucket = BOUNDS_S.findIndex((bound) => durationS <= bound);
    if (bucket >= 0) this.buckets[bucket] = this.buckets[bucket]! + 1;
  }

  /** Samples of a histogram of this name. Prometheus buckets count everything up to their bound. */
  samples(name: string, labels: Sample['labels']): Sample[] {
    let upTo = 0;
    const samples: Sample[] = BOUNDS_S.map((bound, i) => {
      upTo += this.buckets[i]!;
      return { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: upTo };
    });
    samples.push({ metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: this.count });
    samples.push({ metricName: `${name}_sum`, labels, value: this.sumS });
    samples.push({ metricName: `${name}_count`, labels, value: this.count });
    return samples;
  }
}
