// The heat map has the filters of the map: each is a parameter of the service.
import { expect, test } from 'vitest';
import { filters, parametersOf } from '../../web/sky/filters.ts';
import { densityFilterProperties } from './density-filters.ts';

test('each filter is one of the service', () => {
  const values = {
    alt: '1000-20000',
    speed: '-250',
    type: 'A32',
    operator: 'KLM',
    route: 'AMS',
    squawk: '77',
    source: 'adsb',
    where: 'air',
    military: '1',
  };
  expect(Object.keys(values)).toEqual(filters.map(({ name }) => name));
  const parameters = parametersOf(values);
  expect(parameters).toEqual({
    ...{ min_altitude: '1000', max_altitude: '20000', max_speed: '250', type: 'A32', operator: 'KLM', route: 'AMS', squawk: '77' },
    ...{ source: 'adsb_icao', on_ground: 'false', military: 'true' },
  });
  expect(Object.keys(densityFilterProperties)).toEqual(expect.arrayContaining(Object.keys(parameters)));
  expect(parametersOf({ alt: '', type: '' })).toEqual({});
});
