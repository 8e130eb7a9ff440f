// Lists with `at`: the same responses as the live lists of that second, and what a moment cannot be.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createApiOver, createTestView, type TestApi, testModel } from '../../test/support/live-view.ts';
import { QueryError } from '../queries/errors.ts';
import { withoutMoment } from '../queries/past.ts';
import { PastApp } from './past-app.ts';

const AT = `at=${NOW_MS / 1000}`;
const asked: { atMs: number; url: string }[] = [];
let api: TestApi;
let past: PastApp;

beforeAll(async () => {
  const view = await createTestView(40);
  past = new PastApp(testModel(await createTestView(40)));
  api = await createApiOver(view, {
    past: {
      async list(atMs, url) {
        asked.push({ atMs, url });
        const list = await past.list(url);
        if ('body' in list) return list;
        throw new QueryError(list.code, { ...list.details }, { parameters: list.parameters });
      },
      stored: () => Promise.reject(new Error('no history is kept')),
    },
  });
});
afterAll(async () => {
  await api.app.close();
  await past.close();
});

const get = (url: string, headers: Record<string, string> = {}) => api.app.inject({ method: 'GET', url, headers });
const { hex } = fullState(3);

describe('a list with `at`', () => {
  it.each([
    '/v2/all',
    '/v2/all?limit=5&min_altitude=1000',
    '/v2/all?fields=flight,lat,lon',
    '/v2/geojson/all',
    `/v2/hex/${hex},${fullState(7).hex}`,
    '/v2/callsign/KLM1023',
    '/v2/lat/52/lon/4/dist/250',
    '/v2/aircraft/nearest?lat=52&lon=4&limit=3',
  ])('%s has the body of the live list of that second', async (url) => {
    const live = await get(url);
    const then = await get(url.includes('?') ? `${url}&${AT}` : `${url}?${AT}`);
    expect([then.statusCode, then.headers['content-type']]).toEqual([200, live.headers['content-type']]);
    expect(then.json()).toEqual(live.json());
    expect(asked.at(-1)).toEqual({ atMs: NOW_MS, url });
  });

  it('takes a time, and the second of a fraction', async () => {
    const time = new Date(NOW_MS).toISOString();
    for (const at of [time, time.replace('.000Z', '.9Z').replace(/(?<=:\d\d)Z$/, '.9Z'), `${NOW_MS / 1000 - 1}.99`]) {
      expect((await get(`/v2/all?at=${at}`)).statusCode).toBe(200);
      expect(NOW_MS - asked.at(-1)!.atMs).toBe(at.includes('.99') ? 1000 : 0);
    }
  });

  it('has the headers of a list: a strong ETag, 304, an encoding, the age of the data', async () => {
    const first = await get(`/v2/all?${AT}`);
    const { etag } = first.headers;
    expect(etag).toMatch(/^"past-/);
    expect(first.headers).toMatchObject({
      'x-service-data-age': '0',
      'x-service-tier': 'anonymous',
      'cache-control': 'private, max-age=60',
    });
    expect((await get(`/v2/all?${AT}`, { 'if-none-match': String(etag) })).statusCode).toBe(304);
    const packed = await get(`/v2/all?${AT}`, { 'accept-encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.rawPayload.length).toBeLessThan(first.rawPayload.length);
    const head = await api.app.inject({ method: 'HEAD', url: `/v2/all?${AT}` });
    expect([head.statusCode, head.body]).toEqual([200, '']);
  });

  it.each([
    ['/v2/all?at=yesterday', 400, 'bad-value'],
    ['/v2/all?at=', 400, 'bad-value'],
    ['/v2/all?at=2026-02-30T10:00:00Z', 400, 'bad-value'],
    [`/v2/all?${AT}&${AT}`, 400, 'bad-value'],
    [`/v2/all?at=${NOW_MS / 1000 + 1}`, 404, 'moment-in-future'],
    ['/v2/all?at=9999999999', 404, 'moment-in-future'],
    [`/v2/all?${AT}&source=nothing`, 400, 'bad-value'],
    [`/v2/hex/xyz?${AT}`, 400, 'bad-value'],
    [`/v2/emergencies?${AT}`, 400, 'unknown-parameter'],
  ])('%s is refused with %i %s', async (url, status, code) => {
    const response = await get(url);
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code]);
  });

  it('is refused by a service that does not fold the past', async () => {
    const without = await createApiOver(await createTestView(1), {});
    const response = await without.app.inject(`/v2/all?${AT}`);
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([503, 'past-unavailable']);
    await without.app.close();
  });
});

describe('the URL of a live list', () => {
  it('is that of a request without `at`, however it is written', () => {
    expect(withoutMoment('/v2/all?at=1')).toBe('/v2/all');
    expect(withoutMoment('/v2/all?%61t=1&limit=2&flat=1')).toBe('/v2/all?limit=2&flat=1');
    expect(withoutMoment('/v2/all?x=?at=1&%=1')).toBe('/v2/all?x=?at=1&%=1');
    expect(withoutMoment('/v2/all')).toBe('/v2/all');
  });
});
