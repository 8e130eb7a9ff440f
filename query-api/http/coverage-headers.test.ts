// Coverage headers: on geographic responses, after measurement, in buckets, without the position of a receiver.
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { expect, test } from 'vitest';
import { createFlightApi, withSixFlights } from '../../test/support/flights.ts';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';

const RECEIVER = { receiver: 0x5ec2e7, latitudeDecideg: 501, longitudeDecideg: 86, spreadNm: 70, samples: 1234 };
const GEOGRAPHIC = [
  '/v2/lat/50/lon/8.5/dist/100',
  '/v2/lat/50/lon/8.5/dist/100?fields=hex',
  '/v2/geojson/lat/50/lon/8.5/dist/100',
  '/v2/aircraft/nearest?lat=50&lon=8.5',
  '/v2/bbox?min_lat=49&min_lon=7.5&max_lat=51&max_lon=9.5',
  '/compat/v2/point/50/8.5/100',
  '/compat/v2/closest/50/8.5/100',
];
const OTHERS = ['/v2/all', '/v2/hex/abc123', '/v2/stats', '/data/aircraft.json', '/compat/v2/mil', '/metrics', '/'];
const REFUSED = ['/v2/lat/95/lon/8.5/dist/100', '/v2/bbox?min_lat=49', '/v2/aircraft/nearest?lat=50&lon=8.5&nothing=1', '/v2/nothing'];

const coverage = ({ headers }: LightMyRequestResponse) => [headers['x-service-coverage'], headers['x-service-nearest-receiver']];
const NOTHING = [undefined, undefined];

async function measured(count = 1): Promise<TestApi> {
  const api = await createTestApi(200);
  const coverages = Array.from({ length: count }, (_, i) => ({ ...RECEIVER, receiver: i, latitudeDecideg: 501 + 3 * i }));
  api.view.receivers.replace(0, 0, coverages);
  return api;
}

async function responses(app: FastifyInstance, urls: readonly string[]) {
  return Promise.all(urls.map(async (url) => coverage(await app.inject(url))));
}

test('the headers are on geographic responses once a receiver is measured, and go with it', async () => {
  const { app, view } = await createTestApi(200);
  for (const [atMs, receivers, expected] of [
    [0, [{ ...RECEIVER, samples: 10 }], NOTHING],
    [10_000, [RECEIVER], ['low', '<25nm']],
    [20_000, [], NOTHING],
  ] as const) {
    view.receivers.replace(0, atMs, receivers);
    expect(await responses(app, GEOGRAPHIC)).toEqual(GEOGRAPHIC.map(() => expected));
  }
});

test('they are on 304 and HEAD too, on compressed responses, exposed to scripts of other sites, and on no error', async () => {
  const { app, view } = await measured();
  const url = '/v2/bbox?min_lat=-89&min_lon=-179&max_lat=89&max_lon=179';
  const first = await app.inject({ url, headers: { 'accept-encoding': 'gzip' } });
  const headers = { 'accept-encoding': 'gzip', 'if-none-match': String(first.headers['etag']) };
  for (const response of [first, await app.inject({ url, headers }), await app.inject({ method: 'HEAD', url })]) {
    expect(coverage(response)).toEqual(['none', '>=250nm']);
    expect(response.headers['access-control-expose-headers']).toMatch(/x-service-coverage, x-service-nearest-receiver/i);
    expect(Object.keys(response.headers).filter((name) => name.startsWith('x-service-'))).toHaveLength(6);
  }
  expect(await responses(app, [...OTHERS, ...REFUSED])).toEqual([...OTHERS, ...REFUSED].map(() => NOTHING));
  view.clockMs += 3_600_000;
  const old = await app.inject(GEOGRAPHIC[0]!);
  expect([old.statusCode, coverage(old)]).toEqual([503, NOTHING]);
});

test('they grow with receivers, fall with distance, and are about the middle of a box across the antimeridian', async () => {
  const { app, view } = await measured(5);
  const around = [50, 49.5, 49, 48.5, 48, 45, 40].map((lat) => `/v2/lat/${lat}/lon/8.5/dist/50`);
  const words = ['high <25nm', 'high <50nm', 'high <100nm', 'medium <100nm', 'low <250nm', 'none >=250nm', 'none >=250nm'];
  expect(await responses(app, around)).toEqual(words.map((word) => word.split(' ')));
  view.receivers.replace(0, 10_000, [{ ...RECEIVER, latitudeDecideg: 0, longitudeDecideg: 1800 }]);
  expect(await responses(app, ['/v2/bbox?min_lat=-5&min_lon=175&max_lat=5&max_lon=-175'])).toEqual([['low', '<25nm']]);
});

test('the neighbourhood of an airport has them, its flights have none', async () => {
  const { app, view } = withSixFlights(await createFlightApi());
  view.receivers.replace(0, 0, [{ ...RECEIVER, latitudeDecideg: 520, longitudeDecideg: 55 }]);
  const paths = ['/v2/airport/AMS/nearby-aircraft', '/v2/airport/AMS', '/v2/airports/nearby?lat=52&lon=5'];
  expect(await responses(app, paths)).toEqual([['low', '<50nm'], NOTHING, NOTHING]);
});

test('no response reveals the position or the identity of a receiver', async () => {
  const secret = await measured();
  const plain = await createTestApi(200);
  for (const url of [...GEOGRAPHIC, ...OTHERS, '/data/receiver.json']) {
    const [shown, plainResponse] = [await secret.app.inject(url), await plain.app.inject(url)];
    if (url !== '/metrics') expect(shown.body, url).toBe(plainResponse.body);
    const text = `${shown.body} ${JSON.stringify(shown.headers)}`;
    for (const trace of ['50.1', '50.25', '8.6', '8.75', String(RECEIVER.receiver), 'latitudeDecideg'])
      if (!plainResponse.body.includes(trace)) expect(text, url).not.toContain(trace);
  }
});
