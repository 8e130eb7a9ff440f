// Aircraft with a position as GeoJSON (RFC 7946): for maps and general geographic tools.
import { type Snapshot, seconds } from '../../pipeline/view/snapshot.ts';
import type { AircraftObject } from './objects.ts';

export const GEO_JSON_TYPE = 'application/geo+json';
const METRES_PER_FOOT = 0.3048;

/** Keeps the requested members. */
type Keep = (object: AircraftObject) => AircraftObject;

/** A FeatureCollection up to its first feature, with the times of the snapshot as foreign members. `ENVELOPE_END` closes it. */
export function geoOpening({ times: { nowMs, ctimeMs } }: Snapshot, total: number, isStored: boolean): string {
  const members = { type: 'FeatureCollection', now: Number(seconds(nowMs)), ctime: Number(seconds(ctimeMs)), total };
  return `${JSON.stringify(isStored ? { ...members, from_history: true } : members).slice(0, -1)},"features":[`;
}

/** Those with a position. Altitude is metres above the ellipsoid, if known. */
export function geoFeatures(aircraft: readonly AircraftObject[], wanted: Keep | null): object[] {
  const located = aircraft.filter(({ lat }) => lat !== undefined);
  return located.map(({ lat, lon, ...members }) => {
    const { hex: id, alt_geom: altitudeFt } = members;
    const height = typeof altitudeFt === 'number' ? [Math.round(altitudeFt * METRES_PER_FOOT * 10) / 10] : [];
    const geometry = { type: 'Point', coordinates: [lon, lat, ...height] };
    return { type: 'Feature', id, geometry, properties: wanted === null ? members : wanted(members) };
  });
}
