// Figures of a benchmark: how they are measured, compared and printed. Each figure is a ratio to a reference run in the same minutes, and its ratio is
// compared with the stored one: values depend on the machine, ratios much less.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../pipeline/runtime/package-root.ts';
import { cpuSeconds } from './push/clock.ts';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The reference run; `better` says which of the two is the better one when it is larger. */
  readonly reference: number;
  readonly better: 'more' | 'less';
  /** The work that was measured, its input, and the reference. */
  readonly input: string;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  /** `turns`: for benches that compare programs. */
  run(turns: number): Promise<Figure[]>;
}

/** A reference run: its result in the unit of the figure, or of its own. */
export interface Reference {
  readonly value: number;
  readonly what: string;
}

/** Ratios of a run on the machine of docs/figures.md, by figure. */
export const BASELINES = join(packageRoot(), 'test/bench/baselines.json');

/** How many times better than the reference: a larger ratio is better, whatever the unit. */
export function ratioOf({ value, reference, better }: Figure): number {
  return better === 'more' ? value / reference : reference / value;
}

/** A figure where more is better. */
export function rateFigure(name: string, unit: string, value: number, input: string, { value: reference, what } = yardstick()): Figure {
  return { name, value, unit, reference, better: 'more', input: `${input}; reference: ${what}` };
}

/** A figure where less is better. */
export function costFigure(name: string, unit: string, value: number, input: string, { value: reference, what } = yardstickMs()): Figure {
  return { name, value, unit, reference, better: 'less', input: `${input}; reference: ${what}` };
}

/** Half and 99 % of latencies in ms, beside those of other ones. */
export function latencyFigures(
  name: string,
  values: readonly number[],
  input: string,
  reference: readonly number[],
  what: string,
): Figure[] {
  return [0.5, 0.99].map((share) =>
    costFigure(`${name}p${100 * share}`, 'ms', percentile(values, share), input, { value: percentile(reference, share), what }),
  );
}

const LOOKUPS = 20_000_000;
const TABLE_BYTES = 16 * 1024 * 1024;
let lookupsPerS = 0;

/** The speed of this machine at a bare loop of dependent look-ups in 16 MB, per CPU second. Measured once in a run. */
export function yardstick(): Reference {
  if (lookupsPerS === 0) {
    const table = new Uint32Array(TABLE_BYTES / 4).map((_, i) => Math.imul(i, 0x9e37_79b1) ^ (i >>> 3));
    let at = 1;
    const once = (): number => {
      const before = cpuSeconds();
      for (let i = 0; i < LOOKUPS; i += 1) at = (table[at & (table.length - 1)]! + i) >>> 0;
      return cpuSeconds() - before;
    };
    const seconds = [once(), once(), once(), once(), once()].sort((a, b) => a - b)[2]!;
    if (at < 0) throw new Error('the loop counted wrong');
    lookupsPerS = LOOKUPS / seconds;
  }
  return { value: lookupsPerS, what: 'look-ups of a bare loop in a table of 16 MB, per CPU second' };
}

function yardstickMs(): Reference {
  return { value: 1e9 / yardstick().value, what: 'a million look-ups of a bare loop in a table of 16 MB, ms of CPU time' };
}

const ROUNDS = 5;

/** Median CPU seconds of some rounds of `work` in this process, after one to warm up; each after `prepare`, which is not measured. */
export function measure(work: () => void, prepare = (): void => {}): number {
  const costs = Array.from({ length: 1 + ROUNDS }, () => {
    prepare();
    const before = cpuSeconds();
    work();
    return cpuSeconds() - before;
  });
  return median(costs.slice(1));
}

/** The value that this share of all does not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** Ratios that are stored in the repository. */
export function storedRatios(): Record<string, number> {
  return JSON.parse(readFileSync(BASELINES, 'utf8')) as Record<string, number>;
}

/** Two lines for people: the figure, and its input. */
export function figureText(figure: Figure, stored: Readonly<Record<string, number>>): string {
  const { name, value, unit, reference, input } = figure;
  const ratio = ratioOf(figure);
  const baseline = stored[name];
  const change = baseline === undefined ? 'none is stored' : `${numberText(baseline)}, ${percentText(ratio / baseline)}`;
  return `${name.padEnd(32)} ${numberText(value).padStart(12)} ${unit.padEnd(16)} reference ${numberText(reference)}, ratio ${numberText(ratio)} (baseline: ${change})\n    ${input}`;
}

/** A factor as a change: `+3.1 %`. */
export function percentText(factor: number): string {
  return `${factor >= 1 ? '+' : ''}${(100 * (factor - 1)).toFixed(1)} %`;
}

export function numberText(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
