// Lists of one tick: equal requests get equal bytes, short lists overtake long ones, long ones are refused first when memory is short.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { fullState } from '../../../test/support/full-state.ts';
import { createTestApi, type TestApi } from '../../../test/support/live-view.ts';
import { QueryError } from '../../queries/errors.ts';
import { HttpGuard } from '../connections/http-guard.ts';
import { ReadyResponses } from './ready-responses.ts';

const AIRCRAFT = limits.shortListAircraftMax + 150;
let api: TestApi;

describe('lists of a tick', () => {
  it('a short one is sent while long ones are made', async () => {
    api = await createTestApi(AIRCRAFT);
    const done: string[] = [];
    const send = async (url: string, name: string): Promise<void> => {
      expect((await api.app.inject(url)).statusCode).toBe(200);
      done.push(name);
    };
    const paths = Array.from({ length: 6 }, (_, i) => `/v2/geojson/all?min_altitude=${i}`);
    await Promise.all([...paths.map((path) => send(path, 'long')), send(`/v2/hex/${fullState(1).hex}`, 'short')]);
    expect(done.length).toBe(7);
    expect(done.indexOf('short')).toBeLessThan(3);
  });

  it('long ones are refused first when memory is short, small ones never', async () => {
    const guard = new HttpGuard();
    const admitted: boolean[] = [];
    guard.memory.admit = (isLong = false) => {
      admitted.push(isLong);
      if (isLong) throw new QueryError('api.overloaded', { seconds: 1 }, { retryAfterS: 1 });
    };
    api = await createTestApi(AIRCRAFT, { guard });
    const status = async (url: string): Promise<number> => (await api.app.inject(url)).statusCode;
    const { latitudeMicrodeg, longitudeMicrodeg } = fullState(1);
    const circle = `/v2/lat/${latitudeMicrodeg! / 1e6}/lon/${longitudeMicrodeg! / 1e6}/dist/1`;
    expect([await status(circle), await status(`/v2/hex/${fullState(1).hex}`), admitted]).toEqual([200, 200, []]);
    expect(await status('/v2/all?limit=100')).toBe(200);
    expect(await status('/v2/all?min_altitude=-2000')).toBe(503);
    expect(admitted).toEqual([false, true]);
  });

  it.each(['identity', 'br', 'gzip'])('have one response per query and form: %s', async (encoding) => {
    api = await createTestApi(100);
    const box = '/v2/bbox?min_lat=-90&max_lat=90&min_lon=-180&max_lon=180';
    const urls = [box, `${box}&limit=30`, `${box}&fields=hex`, box.replace('/v2/', '/v2/geojson/')];
    const headers = { 'accept-encoding': encoding };
    const get = (url: string) => api.app.inject({ url, headers });
    const first = await Promise.all(urls.map((url) => get(url)));
    expect(new Set(first.map(({ rawPayload }) => rawPayload.toString('latin1'))).size).toBe(urls.length);
    for (let n = 0; n < 2; n += 1)
      for (const [i, response] of (await Promise.all([...urls, ...urls].map((url) => get(url)))).entries()) {
        expect(response.rawPayload.equals(first[i % urls.length]!.rawPayload)).toBe(true);
        expect(response.headers).toMatchObject({ etag: first[i % urls.length]!.headers['etag'] });
      }
  });
});

it('responses of a tick in memory have a limit in bytes and one in number', () => {
  const ready = new ReadyResponses();
  const snapshot = {} as Snapshot;
  const offer = (key: string, bytes: number): void => {
    for (let n = 0; n < 2; n += 1)
      ready.offer(snapshot, key, () => ({ body: Buffer.alloc(bytes), encoding: null, contentType: undefined }));
  };
  ready.find(snapshot, '/large');
  offer('/large', limits.readyResponsesBytesMax - 10);
  offer('/more', 11);
  for (let i = 0; i < limits.readyResponsesMax; i += 1) offer(`/${i}`, 0);
  offer('/last', 0);
  expect(['/large', '/more', '/0', '/last'].map((key) => ready.find(snapshot, key) !== undefined)).toEqual([true, false, true, false]);
});
