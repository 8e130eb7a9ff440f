// The other files of VRS standing data: routes, airlines, aircraft types, address blocks; and known files that are not needed.
import { operatorOf } from '../tables/operators.ts';
import { cell, columnsOf, type Format, headedBy, NO_ADDRESS } from './format.ts';

const routes: Format = {
  name: 'routes (VRS)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('Callsign', 'Code', 'Number', 'AirlineCode', 'AirportCodes'),
  begin(header, { routes: into }) {
    const { Callsign, AirportCodes } = columnsOf(header, 'Callsign', 'AirportCodes');
    return (cells) => into().put(cell(cells, Callsign), cell(cells, AirportCodes).split('-'));
  },
};

const airlines: Format = {
  name: 'operators (VRS airlines)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('Code', 'Name', 'ICAO', 'IATA', 'PositioningFlightPattern'),
  begin(header, { operators }) {
    const { Name, ICAO, IATA } = columnsOf(header, 'Name', 'ICAO', 'IATA');
    return (cells) => {
      const icao = cell(cells, ICAO);
      if (!/^[A-Z]{3}$/.test(icao)) return 'no ICAO code';
      operators().put(operatorOf(icao, cell(cells, IATA), cell(cells, Name), '', ''));
      return null;
    };
  },
};

const types: Format = {
  name: 'types (VRS)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('ICAO', 'Manufacturer', 'Model', 'Engines'),
  begin(header, { types: into }) {
    const at = columnsOf(header, 'ICAO', 'Manufacturer', 'Model', 'SpeciesCode', 'WakeTurbulenceCode');
    return (cells) => {
      const designator = cell(cells, at.ICAO);
      if (!/^[A-Z][A-Z0-9]{1,3}$/.test(designator)) return 'not a type designator';
      const category = categoryOf(cell(cells, at.SpeciesCode), cell(cells, at.WakeTurbulenceCode));
      into().vote(designator, cell(cells, at.Manufacturer), cell(cells, at.Model), category);
      return null;
    };
  },
};

const blocks: Format = {
  name: 'address blocks (VRS)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('Start', 'Finish', 'Count', 'Bitmask'),
  begin(header, { blocks: into }) {
    const at = columnsOf(header, 'Start', 'Finish', 'IsMilitary', 'CountryISO2');
    return (cells) => {
      const [first, last] = [cell(cells, at.Start), cell(cells, at.Finish)].map((text) =>
        /^[0-9a-fA-F]{6}$/.test(text) ? Number.parseInt(text, 16) : -1,
      );
      if (first! < 0 || last! < first!) return NO_ADDRESS;
      const country = cell(cells, at.CountryISO2);
      // ZZ is unassigned; XA to XZ are organizations without an ISO country: ICAO, NATO.
      into().push({
        first: first!,
        last: last!,
        country: /^(ZZ|X[A-JL-Z])$/.test(country) ? '' : country,
        military: cell(cells, at.IsMilitary) === '1',
      });
      return null;
    };
  },
};

const notNeeded = (name: string, why: string, ...header: string[]): Format => ({
  name,
  delimiter: ',',
  headed: true,
  recognises: headedBy(...header),
  begin: () => why,
});

export const otherFormats: readonly Format[] = [
  routes,
  airlines,
  types,
  blocks,
  notNeeded('countries (VRS)', 'the names of countries are built in', 'ISO', 'Name'),
  notNeeded('registration prefixes (VRS)', 'countries are derived from addresses', 'Prefix', 'CountryISO2', 'HasHyphen'),
  notNeeded('countries or regions (OurAirports)', 'the names of countries are built in', 'id', 'code', 'name'),
  notNeeded('frequencies (OurAirports)', 'no query needs them', 'id', 'airport_ref'),
];

/** Emitter category by species and wake turbulence; '' for medium, which may be small or large. */
function categoryOf(species: string, wake: string): string {
  if (species === 'H') return 'A7';
  if (wake === 'L') return 'A1';
  return wake === 'H' || wake === 'J' ? 'A5' : '';
}
