// Airports and runways: OurAirports' airports.csv and runways.csv, and the airports of VRS standing data.
import type { Airport } from '../reference.ts';
import { airportTypes } from '../tables/airports.ts';
import { type Format, headed, NO_NUMBER } from './format.ts';

const ourAirports = headed(
  'airports (OurAirports)',
  ['id', 'ident', 'type', 'name', 'latitude_deg', 'longitude_deg'],
  (cell, { airports }) => {
    const coordinates = coordinatesOf(cell('latitude_deg'), cell('longitude_deg'), cell('elevation_ft'));
    if (coordinates === null) return NO_NUMBER;
    const codes = [cell('icao_code'), cell('gps_code'), cell('ident')];
    return airports().put({
      ...optional('icao', codes.find((code) => /^[A-Z]{4}$/.test(code)) ?? ''),
      ...optional('iata', cell('iata_code')),
      ...optional('local', cell('local_code')),
      name: cell('name'),
      ...optional('city', cell('municipality')),
      ...optional('country', cell('iso_country')),
      ...coordinates,
      ...optional('type', airportTypes.find((type) => type === cell('type')) ?? ''),
    } as Airport);
  },
);

const vrs = headed('airports (VRS)', ['Code', 'Name', 'ICAO', 'IATA', 'Location', 'CountryISO2', 'Latitude'], (cell, { airports }) => {
  const coordinates = coordinatesOf(cell('Latitude'), cell('Longitude'), cell('AltitudeFeet'));
  if (coordinates === null) return NO_NUMBER;
  return airports().put({
    ...optional('icao', cell('ICAO')),
    ...optional('iata', cell('IATA')),
    name: cell('Name'),
    ...optional('city', cell('Location')),
    ...optional('country', cell('CountryISO2')),
    ...coordinates,
  } as Airport);
});

const runways = headed('runways (OurAirports)', ['id', 'airport_ref', 'airport_ident', 'length_ft'], (cell, { runways: into }) => {
  if (cell('closed') === '1') return 'closed';
  const from = coordinatesOf(cell('le_latitude_deg'), cell('le_longitude_deg'), '');
  const to = coordinatesOf(cell('he_latitude_deg'), cell('he_longitude_deg'), '');
  if (from === null || to === null) return 'no coordinates of its ends';
  if ([from, to].some(({ latDeg, lonDeg }) => Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180)) return 'invalid coordinates';
  const widthFt = Math.round(Number(cell('width_ft')));
  into().push({
    airport: cell('airport_ident'),
    name: [cell('le_ident'), cell('he_ident')].filter((name) => name !== '').join('/'),
    widthFt: widthFt > 0 && widthFt <= WIDEST_FT ? widthFt : 0,
    ...{ fromLatDeg: from.latDeg, fromLonDeg: from.lonDeg, toLatDeg: to.latDeg, toLonDeg: to.lonDeg },
  });
  return null;
});
/** Wider is an error of the file. */
const WIDEST_FT = 1000;

export const airportFormats: readonly Format[] = [ourAirports, vrs, runways];

function optional(name: keyof Airport, text: string): Partial<Airport> {
  return text === '' ? {} : { [name]: text };
}

function coordinatesOf(lat: string, lon: string, elevation: string): { latDeg: number; lonDeg: number; elevationFt?: number } | null {
  const [latDeg, lonDeg, elevationFt] = [lat, lon, elevation].map(Number);
  if (lat === '' || lon === '' || ![latDeg, lonDeg, elevationFt].every(Number.isFinite)) return null;
  return { latDeg: latDeg!, lonDeg: lonDeg!, ...(elevation !== '' && { elevationFt: Math.round(elevationFt!) }) };
}
