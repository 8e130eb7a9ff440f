// Samples over the time of a soak, and whether they grow.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from '../support/service.ts';

/** Values by name at a time. */
export type Sample = Readonly<Record<string, number>> & { readonly atS: number };

const SAMPLE_S = 10;
/** With more samples that failed the run fails. */
const MISSED_MAX = 6;

/** Samples for this time, and prints one a minute. */
export async function watched(service: RunningService, totalS: number, measure: () => Promise<Record<string, number>>): Promise<Sample[]> {
  const startMs = performance.now();
  const rows: Sample[] = [];
  let missed = 0;
  for (let atS = 0; atS < totalS; ) {
    await sleep(1000 * SAMPLE_S);
    const values = await measure().catch(() => null);
    // A request may fail, for instance after this machine was suspended.
    if (values === null) missed += 1;
    if (!service.running || missed > MISSED_MAX) throw service.failure(`${missed} samples failed`);
    const minute = Math.floor(atS / 60);
    atS = Math.round((performance.now() - startMs) / 1000);
    if (values === null) continue;
    rows.push({ atS, ...values });
    if (Math.floor(atS / 60) > minute) process.stderr.write(`minute ${minute + 1} of ${totalS / 60}: ${JSON.stringify(values)}\n`);
  }
  return rows;
}

/** Change of a value each second. */
export function rateOf(rows: readonly Sample[], name: string): number {
  const [first, last] = [rows[0]!, rows.at(-1)!];
  return Number(((last[name]! - first[name]!) / (last.atS - first.atS)).toFixed(2));
}

/**
 * Prints the growth a minute of these values, by least squares, with its standard error. False if one grows by more than its bound even at the lower end of
 * that error.
 */
export function isSteady(rows: readonly Sample[], boundsPerMinute: Readonly<Record<string, number>>): boolean {
  const verdicts = Object.entries(boundsPerMinute).map(([name, bound]) => {
    const points = rows.flatMap(({ atS, [name]: value }) => (value === undefined ? [] : [{ minute: atS / 60, value }]));
    const sum = (term: (point: (typeof points)[number]) => number): number => points.reduce((total, point) => total + term(point), 0);
    const [meanMinute, mean] = [sum(({ minute }) => minute) / points.length, sum(({ value }) => value) / points.length];
    const spread = sum(({ minute }) => (minute - meanMinute) ** 2);
    const slope = sum(({ minute, value }) => (minute - meanMinute) * (value - mean)) / spread;
    const squares = sum(({ minute, value }) => (value - mean - slope * (minute - meanMinute)) ** 2);
    const error = Math.sqrt(squares / (points.length - 2) / spread);
    const isFlat = slope - 2 * error <= bound;
    const text = `${slope.toFixed(3)} ± ${error.toFixed(3)} a minute (bound ${bound}), ${points[0]?.value} to ${points.at(-1)?.value}`;
    process.stdout.write(`${name}: ${text}: ${isFlat ? 'flat' : 'GROWS'}\n`);
    return isFlat;
  });
  return verdicts.every(Boolean);
}
