// The heat map has the filters of the map: each is a parameter of the service.
import { expect, test } from 'vitest';
import contract from '../../../schemas/api/openapi.json' with { type: 'json' };
import { filters, parametersOf } from '../sky/filters.ts';

test('each filter is one of the service', () => {
  const values = {
    ...{ alt: '1000-20000', speed: '-250', type: 'A32', operator: 'KLM', route: 'AMS', squawk: '77', source: 'adsb', where: 'air' },
    military: '1',
  };
  expect(Object.keys(values)).toEqual(filters.map(({ name }) => name));
  const parameters = parametersOf(values);
  expect(parameters).toEqual({
    ...{ min_altitude: '1000', max_altitude: '20000', max_speed: '250', type: 'A32', operator: 'KLM', route: 'AMS', squawk: '77' },
    ...{ source: 'adsb_icao', on_ground: 'false', military: 'true' },
  });
  const served = JSON.stringify(contract.paths['/v2/area/density'].get.parameters);
  for (const name of Object.keys(parameters)) expect(served).toMatch(new RegExp(`"name":"${name}"|/${name}Parameter"`));
  expect(parametersOf({ alt: '', type: '' })).toEqual({});
});
