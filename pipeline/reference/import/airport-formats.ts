// Airports and runways: OurAirports' airports.csv and runways.csv, and the airports of VRS standing data.
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

const runways: Format = {
  name: 'runways (OurAirports)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('id', 'airport_ref', 'airport_ident', 'length_ft'),
  begin(header, { runways: into }) {
    const at = columnsOf(header, 'airport_ident', 'width_ft', 'closed', 'le_ident', 'he_ident');
    const ends = columnsOf(header, 'le_latitude_deg', 'le_longitude_deg', 'he_latitude_deg', 'he_longitude_deg');
    return (cells) => {
      if (cell(cells, at.closed) === '1') return 'closed';
      const from = coordinatesOf(cell(cells, ends.le_latitude_deg), cell(cells, ends.le_longitude_deg), '');
      const to = coordinatesOf(cell(cells, ends.he_latitude_deg), cell(cells, ends.he_longitude_deg), '');
      if (from === null || to === null) return 'no coordinates of its ends';
      if ([from, to].some(({ latDeg, lonDeg }) => Math.abs(latDeg) > 90 || Math.abs(lonDeg) > 180)) return 'invalid coordinates';
      const widthFt = Math.round(Number(cell(cells, at.width_ft)));
      into().push({
        airport: cell(cells, at.airport_ident),
        name: [cell(cells, at.le_ident), cell(cells, at.he_ident)].filter((name) => name !== '').join('/'),
        widthFt: widthFt > 0 && widthFt <= WIDEST_FT ? widthFt : 0,
        ...{ fromLatDeg: from.latDeg, fromLonDeg: from.lonDeg, toLatDeg: to.latDeg, toLonDeg: to.lonDeg },
      });
      return null;
    };
  },
};
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
