// Synthetic airports where coordinates are difficult: around both poles, along the antimeridian, and at 0° N 0° E. For tests: three or four
// of each, close enough to fly between.
import type { Airport } from '../../../pipeline/simulate/flights/airports.ts';

type Row = readonly [icao: string, name: string, country: string, latDeg: number, lonDeg: number, elevationFt: number];

// biome-ignore format: a table, one airport per line
const rows: readonly Row[] = [
  ['XNPA', 'North Pole', 'CA', 89.98, 30, 0],
  ['XNPB', 'North Pole Greenwich', 'NO', 88.4, 0, 0],
  ['XNPC', 'North Pole Date Line', 'US', 88.2, 179, 0],
  ['XNPD', 'North Pole Amerasia', 'CA', 87.2, -100, 0],
  ['XSPA', 'South Pole', 'NZ', -89.95, -139, 9300],
  ['XSPB', 'South Pole Plateau', 'NZ', -87.9, 120, 9000],
  ['XSPC', 'South Pole Ridge', 'US', -87.3, -20, 7000],
  ['XAMA', 'Antimeridian', 'NZ', -17.0, 180, 50],
  ['XAMB', 'Antimeridian West', 'NZ', -16.7, 178.1, 120],
  ['XAMC', 'Antimeridian East', 'US', -18.1, -178.3, 30],
  ['XAMD', 'Antimeridian North', 'US', -14.6, 179.9, 10],
  ['XNIA', 'Null Island', 'GB', 0.003, 0.003, 10],
  ['XNIB', 'Null Island North', 'FR', 1.9, 0.4, 30],
  ['XNIC', 'Null Island South', 'GB', -1.6, -0.9, 20],
  ['XNID', 'Null Island East', 'FR', -0.2, 2.2, 20],
];

export const edgeAirports: readonly Airport[] = rows.map(([icao, name, country, latDeg, lonDeg, elevationFt]) => ({
  ...{ icao, iata: icao.slice(1), name, country, latDeg, lonDeg, elevationFt },
}));
