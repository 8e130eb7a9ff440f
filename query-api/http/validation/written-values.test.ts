// Parameter values that JavaScript would take for numbers, repeated parameters, and what their errors say.
import { expect, it } from 'vitest';
import { createTestApi } from '../../../test/support/live-view.ts';

const api = await createTestApi(5);

/** Status 400, and the one parameter at fault. */
async function fault(url: string): Promise<{ param: string; detail: string }> {
  const response = await api.app.inject(url);
  expect(response.statusCode, url).toBe(400);
  const { errors } = response.json<{ errors: { param: string; detail: string }[] }>();
  expect(errors).toHaveLength(1);
  return errors[0]!;
}

it.each(['%20', '+', '', '0x10', '1e400', '-1e400', 'Infinity', 'NaN', '1_0', '0b1', '1e', '--1', '1 2'])(
  '%j is no number',
  async (text) => {
    expect(await fault(`/v2/aircraft/nearest?lat=${text}&lon=4`)).toMatchObject({ param: 'lat' });
    expect(await fault(`/re-api/?circle=${text},4,10`)).toMatchObject({ param: 'circle' });
    expect(await fault(`/v2/all?limit=${text}`)).toMatchObject({ param: 'limit' });
    if (text !== '') expect(await fault(`/v2/lat/52/lon/${text}/dist/10`)).toMatchObject({ param: 'lon' });
  },
);

it.each(['52', '-52.5', '+52.5', '%2B52.5', '.5', '5.', '5.2e1'])('%j is a number', async (text) => {
  expect((await api.app.inject(`/v2/aircraft/nearest?lat=${text}&lon=4`)).statusCode).toBe(200);
});

it.each([
  ['/v2/aircraft/nearest?lat=52,3&lon=4', 'expected a decimal point, got a comma'],
  ['/v2/aircraft/nearest?lat=1e400&lon=4', 'the number is too large'],
  ['/v2/aircraft/nearest?lat=0x10&lon=4', 'expected a decimal number'],
  ['/v2/aircraft/nearest?lat=1&lon=1&limit=1.5', 'expected a whole number'],
  ['/v2/lat/95/lon/8/dist/10', 'expected at most 90'],
  ['/v2/lat/50/lon/-181/dist/10', 'expected at least -180'],
  ['/v2/all?limit=1&limit=2', expect.stringContaining('expected one value, got 2')],
  ['/v2/all?type=B738&type=A320', expect.stringContaining('lists have commas')],
  ['/v2/emergencies?include=all', 'expected one of lifeguard'],
  ['/v2/all?altitude=5', 'did you mean min_altitude or max_altitude?'],
  ['/v2/aircraft/nearest?latitude=5&lon=4', 'did you mean lat?'],
])('%s: %s', async (url, detail) => {
  expect((await fault(url)).detail).toEqual(detail);
});
