// The other files of VRS standing data: routes, airlines, aircraft types, address blocks; and known files that are not needed.
import { operatorOf } from '../tables/operators.ts';
import { type Format, headed, NO_ADDRESS } from './format.ts';

const routes = headed('routes (VRS)', ['Callsign', 'Code', 'Number', 'AirlineCode', 'AirportCodes'], (cell, { routes: into }) =>
  into().put(cell('Callsign'), cell('AirportCodes').split('-')),
);

const airlines = headed('operators (VRS airlines)', ['Code', 'Name', 'ICAO', 'IATA', 'PositioningFlightPattern'], (cell, { operators }) => {
  const icao = cell('ICAO');
  if (!/^[A-Z]{3}$/.test(icao)) return 'no ICAO code';
  operators().put(operatorOf(icao, cell('IATA'), cell('Name'), '', ''));
  return null;
});

const types = headed('types (VRS)', ['ICAO', 'Manufacturer', 'Model', 'Engines'], (cell, { types: into }) => {
  const designator = cell('ICAO');
  if (!/^[A-Z][A-Z0-9]{1,3}$/.test(designator)) return 'not a type designator';
  const category = categoryOf(cell('SpeciesCode'), cell('WakeTurbulenceCode'));
  into().vote(designator, cell('Manufacturer'), cell('Model'), category);
  return null;
});

const blocks = headed('address blocks (VRS)', ['Start', 'Finish', 'Count', 'Bitmask'], (cell, { blocks: into }) => {
  const [first, last] = [cell('Start'), cell('Finish')].map((text) => (/^[0-9a-fA-F]{6}$/.test(text) ? Number.parseInt(text, 16) : -1));
  if (first! < 0 || last! < first!) return NO_ADDRESS;
  const country = cell('CountryISO2');
  // ZZ is unassigned; XA to XZ are organizations without an ISO country: ICAO, NATO.
  into().push({
    first: first!,
    last: last!,
    country: /^(ZZ|X[A-JL-Z])$/.test(country) ? '' : country,
    military: cell('IsMilitary') === '1',
  });
  return null;
});

const notNeeded = (name: string, why: string, ...columns: string[]): Format => ({ ...headed(name, columns, () => null), begin: () => why });

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
