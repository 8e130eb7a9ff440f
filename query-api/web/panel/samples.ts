// Values of one aircraft over time, for plots: the track of the last hour, then those of each picture. A gap is a row without values, so that no line goes across it.
import type { Row } from '../page/plot.ts';
import type { Aircraft } from '../sky/picture.ts';
import { altitudeOf, numberOf, signalOf, type Values } from '../sky/values.ts';

export const SPAN_S = 3600;
/** Pictures may be missing for so long without a gap. */
const GAP_S = 60;
/** A picture so much later, or any earlier one, is of another time. */
const JUMP_S = 120;

export class Samples {
  /** Ascending. */
  rows: Row[] = [];
  private endS = Number.NaN;

  /** Removes all; the next sample is at this time, Unix s. */
  clear(nowS: number): void {
    [this.rows, this.endS] = [[], nowS];
  }

  /** True if a picture of this time does not follow the samples. */
  isElsewhere(nowS: number): boolean {
    return !(nowS >= this.endS && nowS <= this.endS + JUMP_S);
  }

  /** Puts the track before the samples of pictures. */
  addTrack(points: readonly (Values & { readonly time: number; readonly stale: boolean })[]): void {
    const lastS = points.at(-1)?.time ?? Number.NEGATIVE_INFINITY;
    const track = points.flatMap((point, n) => {
      const row = rowOf(point.time, point);
      return point.stale && n > 0 ? [{ time: point.time - 0.001 }, row] : [row];
    });
    this.rows = [...track, ...this.rows.filter(({ time }) => time > lastS)];
  }

  /** Adds what a picture says. */
  add(nowS: number, aircraft: Aircraft): void {
    const last = this.rows.at(-1)?.time ?? nowS;
    this.endS = nowS;
    if (nowS - last < 1 && this.rows.length > 0) return;
    if (nowS - last > GAP_S) this.rows.push({ time: nowS - 0.001 });
    this.rows.push(rowOf(nowS, aircraft));
    if (this.rows[0]!.time < nowS - SPAN_S - GAP_S) this.rows = this.rows.filter(({ time }) => time >= nowS - SPAN_S);
  }
}

const rowOf = (time: number, values: Values): Row => ({
  ...{ time, altitude: numberOf(altitudeOf(values)), speed: numberOf(values['gs']), signal: signalOf(values) },
});
