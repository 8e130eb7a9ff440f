// Airports: OurAirports' airports.csv and the airports of VRS standing data.
import type { Airport } from '../reference.ts';
import { airportTypes } from '../tables/airports.ts';
import { cell, columnsOf, type Format, headedBy, NO_NUMBER } from './format.ts';

const ourAirports: Format = {
  name: 'airports (OurAirports)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('id', 'ident', 'type', 'name', 'latitude_deg', 'longitude_deg'),
  begin(header, { airports }) {
    const at = columnsOf(
      header,
      'ident',
      'type',
      'name',
      'latitude_deg',
      'longitude_deg',
      'elevation_ft',
      'iso_country',
      'municipality',
      'icao_code',
      'gps_code',
      'iata_code',
      'local_code',
    );
    return (cells) => {
      const coordinates = coordinatesOf(cell(cells, at.latitude_deg), cell(cells, at.longitude_deg), cell(cells, at.elevation_ft));
      if (coordinates === null) return NO_NUMBER;
      const codes = [cell(cells, at.icao_code), cell(cells, at.gps_code), cell(cells, at.ident)];
      return airports().put({
        ...optional('icao', codes.find((code) => /^[A-Z]{4}$/.test(code)) ?? ''),
        ...optional('iata', cell(cells, at.iata_code)),
        ...optional('local', cell(cells, at.local_code)),
        name: cell(cells, at.name),
        ...optional('city', cell(cells, at.municipality)),
        ...optional('country', cell(cells, at.iso_country)),
        ...coordinates,
        ...optional('type', airportTypes.find((type) => type === cell(cells, at.type)) ?? ''),
      } as Airport);
    };
  },
};

const vrs: Format = {
  name: 'airports (VRS)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('Code', 'Name', 'ICAO', 'IATA', 'Location', 'CountryISO2', 'Latitude'),
  begin(header, { airports }) {
    const at = columnsOf(header, 'Name', 'ICAO', 'IATA', 'Location', 'CountryISO2', 'Latitude', 'Longitude', 'AltitudeFeet');
    return (cells) => {
      const coordinates = coordinatesOf(cell(cells, at.Latitude), cell(cells, at.Longitude), cell(cells, at.AltitudeFeet));
      if (coordinates === null) return NO_NUMBER;
      return airports().put({
        ...optional('icao', cell(cells, at.ICAO)),
        ...optional('iata', cell(cells, at.IATA)),
        name: cell(cells, at.Name),
        ...optional('city', cell(cells, at.Location)),
        ...optional('country', cell(cells, at.CountryISO2)),
        ...coordinates,
      } as Airport);
    };
  },
};

export const airportFormats: readonly Format[] = [ourAirports, vrs];

function optional(name: keyof Airport, text: string): Partial<Airport> {
  return text === '' ? {} : { [name]: text };
}

function coordinatesOf(lat: string, lon: string, elevation: string): { latDeg: number; lonDeg: number; elevationFt?: number } | null {
  const [latDeg, lonDeg, elevationFt] = [lat, lon, elevation].map(Number);
  if (lat === '' || lon === '' || ![latDeg, lonDeg, elevationFt].every(Number.isFinite)) return null;
  return { latDeg: latDeg!, lonDeg: lonDeg!, ...(elevation !== '' && { elevationFt: Math.round(elevationFt!) }) };
}
