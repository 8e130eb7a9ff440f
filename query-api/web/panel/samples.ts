// Values of one aircraft over time, for plots: the track of the last hour, then those of each picture. A gap is a sample without values, so that no line goes
// across it.

import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf } from '../sky/values.ts';
import { numberOf, signalOf } from './facts.ts';

export interface TrackPoint {
  /** Unix s. */
  readonly time: number;
  readonly alt_baro?: number | 'ground';
  readonly alt_geom?: number;
  readonly gs?: number;
  /** True if nothing was heard for more than 20 s before. */
  readonly stale: boolean;
}
export interface Sample {
  readonly time: number;
  readonly values: readonly (number | null)[];
}

export const SPAN_S = 3600;
/** Pictures may be missing for so long without a gap. */
const GAP_S = 60;
/** A picture so much later, or any earlier one, is of another time. */
const JUMP_S = 120;
const NOTHING = [null, null, null];

export class Samples {
  /** Ascending. */
  list: Sample[] = [];
  private endS = Number.NaN;

  /** Removes all; what comes next is at this time, Unix s. */
  clear(nowS: number): void {
    [this.list, this.endS] = [[], nowS];
  }

  /** True if a picture of this time does not follow the samples. */
  isElsewhere(nowS: number): boolean {
    return !(nowS >= this.endS && nowS <= this.endS + JUMP_S);
  }

  /** Puts the track before the samples of pictures. */
  addTrack(points: readonly TrackPoint[]): void {
    const lastS = points.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
    const track = points.flatMap(({ time, stale, alt_baro: barometric, alt_geom: geometric, gs }, n) => {
      const altitude = barometric === 'ground' ? null : (barometric ?? geometric ?? null);
      const sample = { time, values: [altitude, gs ?? null, null] };
      return stale && n > 0 ? [{ time: time - 0.001, values: NOTHING }, sample] : [sample];
    });
    this.list = [...track, ...this.list.filter(({ time }) => time > lastS)];
  }

  /** Adds what a picture says. */
  add(nowS: number, aircraft: Aircraft): void {
    const last = this.list.at(-1)?.time ?? nowS;
    this.endS = nowS;
    if (nowS - last < 1 && this.list.length > 0) return;
    if (nowS - last > GAP_S) this.list.push({ time: nowS - 0.001, values: NOTHING });
    const altitude = altitudeOf(aircraft);
    const values = [altitude === 'ground' ? null : (altitude ?? null), numberOf(aircraft['gs']) ?? null, signalOf(aircraft) ?? null];
    this.list.push({ time: nowS, values });
    if (this.list[0]!.time < nowS - SPAN_S - GAP_S) this.list = this.list.filter(({ time }) => time >= nowS - SPAN_S);
  }
}

/** Least and greatest value of a series; null without one. */
export function rangeOf(samples: readonly Sample[], series: number): readonly [least: number, greatest: number] | null {
  const values = samples.flatMap((sample) => sample.values[series] ?? []);
  return values.length === 0 ? null : [Math.min(...values), Math.max(...values)];
}
