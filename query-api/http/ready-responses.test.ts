// Responses built once for all requests of a tick: the tests count work, not time.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import { limits } from '../../schemas/limits.ts';
import { createTestApi, type TestApi } from '../../test/support/live-view.ts';
import { type ReadyResponse, ReadyResponses } from './ready-responses.ts';

let api: TestApi;
beforeEach(async () => {
  api = await createTestApi(100);
});
afterEach(() => api.app.close());

const box = '/v2/bbox?min_lat=-90&max_lat=90&min_lon=-180&max_lon=180';
const get = (url: string, encoding = 'identity') => api.app.inject({ url, headers: { 'accept-encoding': encoding } });

describe('a list that is requested again in the same tick', () => {
  it('is put together twice, and then no more until the next tick', async () => {
    const compose = vi.spyOn(api.view.current()!, 'compose');
    const responses = [await get(box), await get(box), await get(box), await get(box)];
    expect(compose).toHaveBeenCalledTimes(2);
    expect(new Set(responses.map(({ body }) => body)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers['etag'])).size).toBe(1);
    api.view.clockMs += 1000;
    const next = api.view.tick();
    const composeNext = vi.spyOn(next, 'compose');
    const later = await get(box);
    expect(composeNext).toHaveBeenCalledTimes(1);
    expect(later.json().now).toBeGreaterThan(responses[0]!.json().now);
  });

  it.each(['br', 'gzip'])('is compressed once, also for requests during the compression: %s', async (encoding) => {
    const compose = vi.spyOn(api.view.current()!, 'compose');
    const responses = await Promise.all([get(box, encoding), get(box, encoding), get(box, encoding)]);
    responses.push(await get(box, encoding));
    expect(compose).toHaveBeenCalledTimes(1);
    for (const response of responses) {
      expect(response.headers['content-encoding']).toBe(encoding);
      expect(response.rawPayload.equals(responses[0]!.rawPayload)).toBe(true);
    }
  });

  it('has one response per encoding, query and form, and still says 304', async () => {
    const urls = [box, `${box}&limit=30`, `${box}&fields=hex`, box.replace('/v2/', '/v2/geojson/')];
    for (const url of urls) for (let i = 0; i < 3; i += 1) await get(url);
    const bodies = await Promise.all(urls.map((url) => get(url)));
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(urls.length);
    expect(bodies[3]!.headers['content-type']).toContain('geo+json');
    const { etag } = bodies[0]!.headers;
    const unchanged = await api.app.inject({ url: box, headers: { 'accept-encoding': 'identity', 'if-none-match': String(etag) } });
    expect([unchanged.statusCode, unchanged.body]).toEqual([304, '']);
    const head = await api.app.inject({ method: 'HEAD', url: box, headers: { 'accept-encoding': 'identity' } });
    expect([head.body, head.headers['content-length']]).toEqual(['', bodies[0]!.headers['content-length']]);
  });
});

describe('what is kept', () => {
  const snapshot = {} as Snapshot;
  const response = (bytes: number): ReadyResponse => ({ body: Buffer.alloc(bytes), encoding: null, contentType: undefined });

  it('has a limit in bytes and one in number', () => {
    const ready = new ReadyResponses();
    ready.find(snapshot, '/large');
    const large = limits.readyResponsesBytesMax - 10;
    for (const [key, bytes] of [
      ['/large', large],
      ['/more', 11],
    ] as const) {
      ready.offer(snapshot, key, () => response(bytes));
      ready.offer(snapshot, key, () => response(bytes));
    }
    expect([ready.find(snapshot, '/large')?.constructor, ready.find(snapshot, '/more')]).toEqual([Object, undefined]);
    for (let i = 0; i < limits.readyResponsesMax; i += 1) ready.offer(snapshot, `/${i}`, () => response(0));
    const copy = vi.fn(() => response(0));
    ready.offer(snapshot, '/last', copy);
    ready.offer(snapshot, '/last', copy);
    expect(copy).not.toHaveBeenCalled();
  });

  it('goes when it could not be made', async () => {
    const ready = new ReadyResponses();
    ready.find(snapshot, '/broken');
    const making = Promise.reject<ReadyResponse>(new Error('the compressor failed'));
    ready.share(snapshot, '/broken', making);
    expect(ready.find(snapshot, '/broken')).toBe(making);
    await expect(making).rejects.toThrow('failed');
    expect(ready.find(snapshot, '/broken')).toBeUndefined();
  });
});
