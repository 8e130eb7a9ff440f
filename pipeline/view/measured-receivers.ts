// Where there are receivers, measured: the fold tells of each partition from where each receiver's positions come, here they become one
// place per receiver. These places never leave the process: they say how near the nearest is and how many are near.

import type { CoverageRow } from '../../schemas/avro/fold-progress.ts';
import { DEGREES_PER_RADIAN, EARTH_RADIUS_NM } from '../geo/earth.ts';
import { chordOfNm, nmOfChord, positionVector } from '../geo/sphere.ts';
import type { Vector } from '../geo/vector.ts';

/** Fewer positions, a second apart, may all be of one aircraft far away. */
const SAMPLES_MIN = 200;
/** What one receiver hears lies closer together; farther apart are the positions of many receivers under one id, whose middle is no place of any. */
const SPREAD_NM_MAX = 150;
/** A partition that tells nothing for so long tells nothing of now. */
const LIST_AGE_MS_MAX = 600_000;
/** Places are rounded to a grid this wide, so that asking for distances from everywhere finds a receiver to 15 nm at best. */
const GRID_DEG = 0.25;

interface List {
  readonly tickMs: number;
  readonly reaches: readonly CoverageRow[];
}

/** What is known of receivers around a place. */
export interface Surroundings {
  /** Distance of the nearest; infinite where none is measured. */
  readonly nearestNm: number;
  /** Receivers within the radius. */
  readonly count: number;
}

export class MeasuredReceivers {
  private readonly lists = new Map<number, List>();
  private newestMs = Number.NEGATIVE_INFINITY;
  /** Of all receivers that are measured; null after a list came, until somebody asks: partitions tell theirs one after the other. */
  private known: readonly Vector[] | null = [];

  /** What a partition tells at a tick; it takes the place of what it told before. */
  take(partition: number, tickMs: number, reaches: readonly CoverageRow[]): void {
    this.lists.set(partition, { tickMs, reaches });
    this.newestMs = Math.max(this.newestMs, tickMs);
    this.known = null;
  }

  /** Receivers that are measured. */
  get count(): number {
    return this.places().length;
  }

  around({ x, y, z }: Vector, radiusNm: number): Surroundings {
    const within = chordOfNm(radiusNm) ** 2;
    let nearest = Number.POSITIVE_INFINITY;
    let count = 0;
    const places = this.places();
    for (const place of places) {
      const square = (place.x - x) ** 2 + (place.y - y) ** 2 + (place.z - z) ** 2;
      if (square < nearest) nearest = square;
      if (square <= within) count += 1;
    }
    return { nearestNm: places.length === 0 ? Number.POSITIVE_INFINITY : nmOfChord(Math.sqrt(nearest)), count };
  }

  private places(): readonly Vector[] {
    this.known ??= [...this.sums().values()].flatMap((sum) => sum.place() ?? []);
    return this.known;
  }

  private sums(): Map<number, ReachSum> {
    const sums = new Map<number, ReachSum>();
    for (const { tickMs, reaches } of this.lists.values()) {
      if (this.newestMs - tickMs > LIST_AGE_MS_MAX) continue;
      for (const reach of reaches) {
        const sum = sums.get(reach.receiver) ?? new ReachSum();
        sum.add(reach);
        sums.set(reach.receiver, sum);
      }
    }
    return sums;
  }
}

/** One receiver over the partitions. The spread of a mean of unit vectors is what it is shorter than 1, so sums of them have the whole's. */
class ReachSum {
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

  /** Null where too little is known, or what is known is no one receiver. */
  place(): Vector | null {
    const { samples, x, y, z } = this;
    if (samples < SAMPLES_MIN) return null;
    const length = Math.hypot(x, y, z) / samples;
    const spreadNm = EARTH_RADIUS_NM * Math.sqrt(Math.max(0, 1 - length ** 2));
    if (spreadNm > SPREAD_NM_MAX) return null;
    return gridVector(Math.atan2(z, Math.hypot(x, y)) * DEGREES_PER_RADIAN, Math.atan2(y, x) * DEGREES_PER_RADIAN);
  }
}

/** The grid's point for a place: as wide in longitude as it is in latitude. */
function gridVector(latDeg: number, lonDeg: number): Vector {
  const lat = GRID_DEG * Math.round(latDeg / GRID_DEG);
  const columns = Math.max(1, Math.floor((360 / GRID_DEG) * Math.cos(lat / DEGREES_PER_RADIAN)));
  return positionVector(lat, (Math.round((lonDeg / 360) * columns) / columns) * 360);
}
