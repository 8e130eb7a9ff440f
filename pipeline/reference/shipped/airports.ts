// Large and medium airports of the world, from OurAirports (public domain): `airports.tsv` in this folder, which is part of the package.
import { packageFile } from '../../runtime/package-root.ts';
import type { Airport, AirportType } from '../reference.ts';

/** Reads the table. Its columns are those of the block APT. */
export function shippedAirports(): Airport[] {
  const text = packageFile('pipeline/reference/shipped/airports.tsv').toString();
  return text.trimEnd().split('\n').slice(1).map(airportOf);
}

function airportOf(line: string): Airport {
  const [icao = '', iata = '', local = '', type, country = '', lat, lon, elevation = '', name = '', city = ''] = line.split('\t');
  return {
    ...(icao !== '' && { icao }),
    ...(iata !== '' && { iata }),
    ...(local !== '' && { local }),
    name,
    ...(city !== '' && { city }),
    country,
    latDeg: Number(lat),
    lonDeg: Number(lon),
    ...(elevation !== '' && { elevationFt: Number(elevation) }),
    type: type as AirportType,
  };
}
