// Figures of a benchmark: how they are timed and printed. Every figure has a reference run on the same input.
import { performance } from 'node:perf_hooks';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The reference run, in the same unit. */
  readonly reference: number;
  /** How many times better than the reference: above 1 is better, whatever the unit. */
  readonly ratio: number;
  /** What was measured on which input, and the reference. */
  readonly input: string;
}

export interface Bench {
  readonly name: string;
  readonly summary: string;
  run(): Promise<Figure[]>;
}

/** CPU and wall seconds of a piece of work in this process. */
export interface Cost {
  readonly cpuS: number;
  readonly wallS: number;
}

/** Runs `work` once to warm up, then `rounds` times, each after `prepare`, which is not measured; returns the round with the median CPU time. */
export async function measure(work: () => unknown, prepare: () => unknown = () => {}, rounds = 5): Promise<Cost> {
  await prepare();
  await work();
  const costs: Cost[] = [];
  for (let i = 0; i < rounds; i += 1) {
    await prepare();
    const cpu = process.cpuUsage();
    const start = performance.now();
    await work();
    const wallS = (performance.now() - start) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    costs.push({ cpuS: (user + system) / 1e6, wallS });
  }
  costs.sort((a, b) => a.cpuS - b.cpuS);
  return costs[Math.floor(costs.length / 2)]!;
}

/** A figure where more is better. */
export function rateFigure(name: string, unit: string, value: number, reference: number, input: string): Figure {
  return { name, value, unit, reference, ratio: value / reference, input };
}

/** A figure where less is better. */
export function costFigure(name: string, unit: string, value: number, reference: number, input: string): Figure {
  return { name, value, unit, reference, ratio: reference / value, input };
}

/** One line for people. */
export function figureText({ name, value, unit, reference, ratio, input }: Figure): string {
  return `${name.padEnd(30)} ${number(value).padStart(12)} ${unit.padEnd(16)} reference ${number(reference).padStart(12)}   ratio ${ratio.toFixed(2)}\n${' '.repeat(31)}${input}`;
}

function number(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
