// Airports and runways of the reference data as GeoJSON, for the page of the map.
import type { Airport, Reference } from '../../../pipeline/reference/reference.ts';

export const airportSizes = ['large', 'medium', 'small'] as const;
export type AirportSize = (typeof airportSizes)[number];

/** A type that is not known ranks as a medium airport, as elsewhere. Others are not on the map. */
function sizeOf({ type = 'medium_airport' }: Airport): AirportSize | undefined {
  return type === 'seaplane_base' ? 'small' : airportSizes.find((size) => type === `${size}_airport`);
}

/** Coordinates to 1e-5 of a degree, a metre. */
const metre = (degrees: number): number => Math.round(degrees * 1e5) / 1e5;
const collection = (features: readonly object[]): string => JSON.stringify({ type: 'FeatureCollection', features });

/** Points with `code`, by which the API finds the airport, `name` and, if it has one, `iata`. */
export function airportsText(reference: Reference, size: AirportSize): string {
  const features: object[] = [];
  for (const airport of reference.airports()) {
    const { icao, iata, local, name, latDeg, lonDeg } = airport;
    if (sizeOf(airport) !== size) continue;
    features.push({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [metre(lonDeg), metre(latDeg)] },
      properties: { code: icao ?? iata ?? local, name, iata },
    });
  }
  return collection(features);
}

/** Lines with `name`, `airport` and `width` in metres. */
export function runwaysText(reference: Reference): string {
  const features: object[] = [];
  for (const { airport, name, widthFt, fromLatDeg, fromLonDeg, toLatDeg, toLonDeg } of reference.runways())
    features.push({
      type: 'Feature',
      geometry: { type: 'LineString', coordinates: [[metre(fromLonDeg), metre(fromLatDeg)], [metre(toLonDeg), metre(toLatDeg)]] }, // biome-ignore format: pairs
      properties: { airport, name, width: Math.round((widthFt === 0 ? WIDTH_FT : widthFt) * METRES_PER_FOOT) },
    });
  return collection(features);
}
/** The width of a runway whose width is not known. */
const WIDTH_FT = 100;
const METRES_PER_FOOT = 0.3048;
