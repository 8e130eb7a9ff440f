// Lists with `at`: the same responses as the live lists of that second, and what a moment cannot be.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NOW_MS } from '../../test/support/full-state.ts';
import { createApiOver, createTestView, type TestApi, testModel } from '../../test/support/live-view.ts';
import { QueryError } from '../queries/errors.ts';
import { withoutMoment } from '../queries/past.ts';
import { PastApp } from './past-app.ts';

const AT = `at=${NOW_MS / 1000}`;
const requests: { atMs: number; url: string }[] = [];
let api: TestApi;
let past: PastApp;

beforeAll(async () => {
  const view = await createTestView(40);
  past = new PastApp(testModel(await createTestView(40)));
  api = await createApiOver(view, {
    past: {
      async list(atMs, url) {
        requests.push({ atMs, url });
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

describe('a list with `at`', () => {
  it('is that of its second, with the headers of a list: a strong ETag, 304, an encoding, the age of the data', async () => {
    const time = new Date(NOW_MS).toISOString();
    for (const at of [time, time.replace('.000Z', '.9Z'), `${NOW_MS / 1000 - 1}.99`]) {
      expect((await get(`/v2/all?limit=5&at=${at}`)).statusCode).toBe(200);
      expect(requests.at(-1)).toEqual({ atMs: at.includes('.99') ? NOW_MS - 1000 : NOW_MS, url: '/v2/all?limit=5' });
    }
    const first = await get(`/v2/all?${AT}`);
    expect(first.json()).toEqual((await get('/v2/all')).json());
    const headers = { 'x-service-data-age': '0', 'x-service-tier': 'anonymous', 'cache-control': 'private, max-age=60' };
    expect(first.headers).toMatchObject({ ...headers, etag: expect.stringMatching(/^"past-/) });
    expect((await get(`/v2/all?${AT}`, { 'if-none-match': String(first.headers.etag) })).statusCode).toBe(304);
    expect((await get(`/v2/all?${AT}`, { 'accept-encoding': 'gzip' })).headers['content-encoding']).toBe('gzip');
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

it('the URL of the live list is that of the request without `at`, however it is written', () => {
  expect(['?%61t=1&limit=2&flat=1', '?x=?at=1&%=1'].map(withoutMoment)).toEqual(['?limit=2&flat=1', '?x=?at=1&%=1']);
});
