// Where a receiver hears aircraft, if its operator shows its position: the greatest range of the last 24 hours in each direction.
import { getJson } from '../page/parts.ts';

const SECTORS = 36;
const NM_PER_RADIAN = 3440.065;
const RADIANS = Math.PI / 180;

interface Outline {
  readonly actualRange?: { readonly last24h: { readonly points: readonly (readonly [lat: number, lon: number, altitudeFt: number])[] } };
}

/** Ranges by direction, nm, north first, clockwise; null while no position is shown. Errors: those of `getJson`. */
export async function loadCoverage(): Promise<number[] | null> {
  const { lat, lon } = await getJson<{ lat?: number; lon?: number }>('data/receiver.json');
  if (lat === undefined || lon === undefined) return null;
  const { actualRange } = await getJson<Outline>('data/outline.json');
  const ranges = new Array<number>(SECTORS).fill(0);
  for (const [pointLat, pointLon] of actualRange?.last24h.points ?? []) {
    const { nm, bearing } = pathOf(lat * RADIANS, lon * RADIANS, pointLat * RADIANS, pointLon * RADIANS);
    const sector = Math.floor((SECTORS * bearing) / (2 * Math.PI)) % SECTORS;
    ranges[sector] = Math.max(ranges[sector]!, nm);
  }
  return ranges;
}

/** Great circle between two positions in radians; the bearing is from 0 to 2π. */
function pathOf(lat: number, lon: number, toLat: number, toLon: number): { nm: number; bearing: number } {
  const along = Math.sin(lat) * Math.sin(toLat) + Math.cos(lat) * Math.cos(toLat) * Math.cos(toLon - lon);
  const east = Math.sin(toLon - lon) * Math.cos(toLat);
  const north = Math.cos(lat) * Math.sin(toLat) - Math.sin(lat) * Math.cos(toLat) * Math.cos(toLon - lon);
  return { nm: NM_PER_RADIAN * Math.acos(Math.min(1, along)), bearing: (Math.atan2(east, north) + 2 * Math.PI) % (2 * Math.PI) };
}
