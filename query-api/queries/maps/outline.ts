// Range of reception in each direction, measured over 24 hours, as readsb's web maps draw it around the receiver. It reveals the position of
// the receiver, so it is kept only if the operator publishes that. Kept in memory of this process, from its start.

import { MICRODEG_PER_DEG } from '../../../pipeline/geo/earth.ts';
import { Compass, distanceNm, positionVector } from '../../../pipeline/geo/sphere.ts';
import type { Vector } from '../../../pipeline/geo/vector.ts';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { sourceKinds } from '../../../schemas/avro/aircraft-state.ts';

const SECTORS = 360;
const HOURS = 24;
const HOUR_MS = 3_600_000;
/** A greater distance is an error, not reception by one receiver. */
const FARTHEST_NM = 400;
/** Positions that the receiver itself decoded: those from other networks do not show its range. */
const OWN_SOURCES = new Set(sourceKinds.flatMap((kind, i) => (kind.startsWith('adsb_') ? [i] : [])));

interface Sector {
  readonly distanceNm: number;
  readonly lat: number;
  readonly lon: number;
  /** ft; 0 on the ground or when unknown. */
  readonly altitudeFt: number;
}

export class RangeOutline {
  private readonly centre: Vector;
  private readonly compass: Compass;
  /** The farthest position of each sector in each of the last hours, the newest last. */
  private readonly hours: { readonly startMs: number; readonly sectors: (Sector | undefined)[] }[] = [];

  constructor({ lat, lon }: { readonly lat: number; readonly lon: number }) {
    this.centre = positionVector(lat, lon);
    this.compass = new Compass(lat, lon);
  }

  /** Call it at each snapshot. */
  note({ listing, times: { nowMs } }: Snapshot): void {
    const sectors = this.sectorsAt(nowMs);
    const { columns, x, y, z } = listing;
    for (let i = 0; i < listing.count; i += 1) {
      if (!listing.hasPosition(i) || !OWN_SOURCES.has(columns.source[i]!)) continue;
      const nm = distanceNm(this.centre, { x: x[i]!, y: y[i]!, z: z[i]! });
      if (nm > FARTHEST_NM) continue;
      const sector = Math.floor(this.compass.bearingDeg(x[i]!, y[i]!, z[i]!)) % SECTORS;
      if (nm <= (sectors[sector]?.distanceNm ?? 0)) continue;
      const altitudeFt = columns.onGround[i] === 1 ? 0 : Math.max(0, columns.altitudeBaroFt[i]!);
      sectors[sector] = {
        distanceNm: nm,
        lat: listing.latitudesMicrodeg[i]! / MICRODEG_PER_DEG,
        lon: listing.longitudesMicrodeg[i]! / MICRODEG_PER_DEG,
        altitudeFt,
      };
    }
  }

  /** `[lat, lon, ft]` of the farthest position of each direction, clockwise from the north. */
  points(): (readonly [lat: number, lon: number, altitudeFt: number])[] {
    const farthest: (Sector | undefined)[] = [];
    for (const { sectors } of this.hours)
      for (const [number, sector] of sectors.entries())
        if (sector !== undefined && sector.distanceNm > (farthest[number]?.distanceNm ?? 0)) farthest[number] = sector;
    return farthest.flatMap((sector) => (sector === undefined ? [] : [[sector.lat, sector.lon, sector.altitudeFt] as const]));
  }

  private sectorsAt(nowMs: number): (Sector | undefined)[] {
    const startMs = nowMs - (nowMs % HOUR_MS);
    let newest = this.hours.at(-1);
    if (newest === undefined || startMs > newest.startMs) {
      newest = { startMs, sectors: new Array(SECTORS).fill(undefined) };
      this.hours.push(newest);
      while (this.hours[0]!.startMs <= startMs - HOURS * HOUR_MS) this.hours.shift();
    }
    return newest.sectors;
  }
}
