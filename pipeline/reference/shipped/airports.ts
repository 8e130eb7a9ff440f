// Large and medium airports of the world, from OurAirports (public domain): `airports.tsv` in this folder, which the build packs.
import { packageFile } from '../../runtime/package-root.ts';
import type { Airport, AirportType } from '../reference.ts';
import { unpackTable } from '../store/column-file.ts';
import { AirportTable } from '../tables/airports.ts';

/** The packed table: to read and pack the text takes 50 ms of the start, in each thread that needs it. */
export function shippedAirportTable(): AirportTable {
  return new AirportTable(unpackTable({ pieces: [packageFile('dist/airports.table')] }));
}

/** Reads the text, for the build. Its columns are those of the block APT. */
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
