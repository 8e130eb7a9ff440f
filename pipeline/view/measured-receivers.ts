// Positions of receivers, measured: the fold writes each receiver's coverage per partition; here these become one position per
// receiver. The positions never leave the process: responses only say how near the nearest one is and how many are near.

import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';
import { limits } from '../../schemas/limits/index.ts';
import { DEGREES_PER_RADIAN, EARTH_RADIUS_NM } from '../geo/earth.ts';
import { chordOfNm, nmOfChord, positionVector } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';

/** Positions are rounded to a grid of this width: asking for distances from everywhere finds a receiver to 15 nm at best. */
const GRID_DEG = 0.25;

interface List {
  readonly tickMs: number;
  readonly rows: readonly CoverageRow[];
}

/** Receivers around a position. */
export interface Surroundings {
  /** Distance of the nearest; infinite when none is measured. */
  readonly nearestNm: number;
  /** Receivers within the radius. */
  readonly count: number;
}

export class MeasuredReceivers {
  private readonly lists = new Map<number, List>();
  private newestMs = Number.NEGATIVE_INFINITY;
  /** Positions of all measured receivers; null after new coverage, until the next request: partitions write theirs one after the other. */
  private known: readonly Vector[] | null = [];

  /** Replaces the coverage of a partition. */
  replace(partition: number, tickMs: number, rows: readonly CoverageRow[]): void {
    this.lists.set(partition, { tickMs, rows });
    this.newestMs = Math.max(this.newestMs, tickMs);
    this.known = null;
  }

  /** Number of measured receivers. */
  get count(): number {
    return this.positions().length;
  }

  around({ x, y, z }: Vector, radiusNm: number): Surroundings {
    const within = chordOfNm(radiusNm) ** 2;
    let nearest = Number.POSITIVE_INFINITY;
    let count = 0;
    const positions = this.positions();
    for (const position of positions) {
      const square = (position.x - x) ** 2 + (position.y - y) ** 2 + (position.z - z) ** 2;
      if (square < nearest) nearest = square;
      if (square <= within) count += 1;
    }
    return { nearestNm: positions.length === 0 ? Number.POSITIVE_INFINITY : nmOfChord(Math.sqrt(nearest)), count };
  }

  private positions(): readonly Vector[] {
    this.known ??= [...this.sums().values()].flatMap((sum) => sum.position() ?? []);
    return this.known;
  }

  private sums(): Map<number, CoverageSum> {
    const sums = new Map<number, CoverageSum>();
    for (const { tickMs, rows } of this.lists.values()) {
      if (this.newestMs - tickMs > limits.receiverCoverageAgeMsMax) continue;
      for (const row of rows) {
        const sum = sums.get(row.receiver) ?? new CoverageSum();
        sum.add(row);
        sums.set(row.receiver, sum);
      }
    }
    return sums;
  }
}

/** One receiver over the partitions. The spread of a mean of unit vectors follows from its length, so the sum of means gives the total spread. */
class CoverageSum {
  private samples = 0;
  private x = 0;
  private y = 0;
  private z = 0;

  add({ latitudeDecideg, longitudeDecideg, spreadNm, samples }: CoverageRow): void {
    const middle = positionVector(latitudeDecideg / 10, longitudeDecideg / 10);
    const weight = samples * Math.sqrt(Math.max(0, 1 - (spreadNm / EARTH_RADIUS_NM) ** 2));
    this.samples += samples;
    this.x += weight * middle.x;
    this.y += weight * middle.y;
    this.z += weight * middle.z;
  }

  /** Null without enough samples, or when they cannot be of one receiver. */
  position(): Vector | null {
    const { samples, x, y, z } = this;
    if (samples < limits.receiverSamplesMin) return null;
    const length = Math.hypot(x, y, z) / samples;
    const spreadNm = EARTH_RADIUS_NM * Math.sqrt(Math.max(0, 1 - length ** 2));
    if (spreadNm > limits.receiverSpreadNmMax) return null;
    return gridVector(Math.atan2(z, Math.hypot(x, y)) * DEGREES_PER_RADIAN, Math.atan2(y, x) * DEGREES_PER_RADIAN);
  }
}

/** The nearest point of the grid, which is as wide in longitude as in latitude. */
function gridVector(latDeg: number, lonDeg: number): Vector {
  const lat = GRID_DEG * Math.round(latDeg / GRID_DEG);
  const columns = Math.max(1, Math.floor((360 / GRID_DEG) * Math.cos(lat / DEGREES_PER_RADIAN)));
  return positionVector(lat, (Math.round((lonDeg / 360) * columns) / columns) * 360);
}
