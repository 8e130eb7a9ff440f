// The straight line through measured values by least squares: growth per minute and its standard error.

export interface Trend {
  readonly perMinute: number;
  /** Standard error of `perMinute`; 0 for fewer than three values. */
  readonly error: number;
  readonly min: number;
  readonly max: number;
}

export interface Measured {
  readonly atS: number;
  readonly value: number;
}

export function trendOf(values: readonly Measured[]): Trend {
  const count = values.length;
  const meanAtS = sum(values, ({ atS }) => atS) / count;
  const mean = sum(values, ({ value }) => value) / count;
  const spread = sum(values, ({ atS }) => (atS - meanAtS) ** 2);
  const slope = spread === 0 ? 0 : sum(values, ({ atS, value }) => (atS - meanAtS) * (value - mean)) / spread;
  const missed = sum(values, ({ atS, value }) => (value - mean - slope * (atS - meanAtS)) ** 2);
  const error = count < 3 || spread === 0 ? 0 : Math.sqrt(missed / (count - 2) / spread);
  const all = values.map(({ value }) => value);
  return { perMinute: 60 * slope, error: 60 * error, min: Math.min(...all), max: Math.max(...all) };
}

/** False when the values grow by more than that per minute even at the lower end of the standard error. */
export function isFlat({ perMinute, error }: Trend, perMinuteMax: number): boolean {
  return perMinute - 2 * error <= perMinuteMax;
}

/** One line with a verdict. */
export function trendText(name: string, trend: Trend, perMinuteMax: number): string {
  const verdict = isFlat(trend, perMinuteMax) ? 'flat' : 'GROWS';
  return `${name}: ${trend.perMinute.toFixed(3)} ± ${trend.error.toFixed(3)} a minute (bound ${perMinuteMax}), ${trend.min} to ${trend.max}: ${verdict}`;
}

function sum<T>(values: readonly T[], read: (value: T) => number): number {
  return values.reduce((total, value) => total + read(value), 0);
}
