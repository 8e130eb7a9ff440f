// Parameter values that JavaScript would take for numbers, repeated parameters, and what their errors say.
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi(5);
});
afterAll(() => api.app.close());

const get = (url: string): Promise<LightMyRequestResponse> => api.app.inject(url);

/** Status 400, and the one parameter at fault. */
async function fault(url: string): Promise<{ param: string; detail: string }> {
  const response = await get(url);
  expect(response.statusCode, url).toBe(400);
  const { errors } = response.json<{ errors: { param: string; detail: string }[] }>();
  expect(errors).toHaveLength(1);
  return errors[0]!;
}

describe('numbers', () => {
  it.each(['%20', '+', '', '0x10', '1e400', '-1e400', 'Infinity', 'NaN', '1_0', '0b1', '1e', '--1', '1 2'])('%j is none', async (text) => {
    expect(await fault(`/v2/aircraft/nearest?lat=${text}&lon=4`)).toMatchObject({ param: 'lat' });
    expect(await fault(`/re-api/?circle=${text},4,10`)).toMatchObject({ param: 'circle' });
    expect(await fault(`/v2/all?limit=${text}`)).toMatchObject({ param: 'limit' });
    if (text !== '') expect(await fault(`/v2/lat/52/lon/${text}/dist/10`)).toMatchObject({ param: 'lon' });
  });

  it.each(['52', '-52.5', '+52.5', '%2B52.5', '.5', '5.', '5.2e1'])('%j is one', async (text) => {
    expect((await get(`/v2/aircraft/nearest?lat=${text}&lon=4`)).statusCode).toBe(200);
  });

  it('say what is wrong', async () => {
    expect((await fault('/v2/aircraft/nearest?lat=52,3&lon=4')).detail).toBe('expected a decimal point, got a comma');
    expect((await fault('/v2/aircraft/nearest?lat=1e400&lon=4')).detail).toBe('the number is too large');
    expect((await fault('/v2/aircraft/nearest?lat=0x10&lon=4')).detail).toBe('expected a decimal number');
  });
});

describe('other values', () => {
  it('a repeated parameter is called repeated', async () => {
    expect(await fault('/v2/all?limit=1&limit=2')).toEqual({
      param: 'limit',
      detail: expect.stringContaining('expected one value, got 2'),
    });
    expect(await fault('/v2/all?type=B738&type=A320')).toMatchObject({
      param: 'type',
      detail: expect.stringContaining('lists have commas'),
    });
  });

  it('a bad one of a list of values names them', async () => {
    expect((await fault('/v2/emergencies?include=all')).detail).toBe('expected one of lifeguard');
  });

  it('a number outside its range names the end of it', async () => {
    expect((await fault('/v2/lat/95/lon/8/dist/10')).detail).toBe('expected at most 90');
    expect((await fault('/v2/lat/50/lon/-181/dist/10')).detail).toBe('expected at least -180');
    expect((await fault('/v2/aircraft/nearest?lat=1&lon=1&limit=1.5')).detail).toBe('expected a whole number');
  });

  it('a wrong name gets all equally near names', async () => {
    expect((await fault('/v2/all?altitude=5')).detail).toBe('did you mean min_altitude or max_altitude?');
    expect((await fault('/v2/aircraft/nearest?latitude=5&lon=4')).detail).toBe('did you mean lat?');
    const { errors } = (await get('/v2/all?limt=5&feilds=hex')).json<{ errors: object[] }>();
    expect(errors).toHaveLength(2);
  });
});

it('a preflight allows the headers that a page requests', async () => {
  const preflight = async (asked?: string): Promise<unknown> => {
    const headers = { origin: 'https://map.example', 'access-control-request-method': 'GET' };
    const response = await api.app.inject({
      method: 'OPTIONS',
      url: '/v2/all',
      headers: { ...headers, ...(asked === undefined ? {} : { 'access-control-request-headers': asked }) },
    });
    expect(response.statusCode).toBe(204);
    return response.headers['access-control-allow-headers'];
  };
  expect(await preflight('content-type,cache-control, x-requested-with,x-my-map')).toBe(
    'content-type,cache-control, x-requested-with,x-my-map',
  );
  for (const asked of [undefined, 'a b', 'x'.repeat(1025), 'a,,b'])
    expect(await preflight(asked)).toBe('Authorization, Cache-Control, Content-Type, If-None-Match, X-Request-Id, X-Requested-With');
});
