// Callers with limits over HTTP: the cost of each route, limits in headers, `/v2/me`. Every response is checked against the contract.
import { describe, expect, test } from 'vitest';
import { feederKey, feederRecord } from '../../schemas/avro/feeder-record.ts';
import { limits } from '../../schemas/limits/index.ts';
import { BASE_URL, FEEDER, HOME, Scene, START_MS } from '../../test/support/access-scene.ts';
import { createApiOver, createTestApi, createTestView, type TestApi, testModel } from '../../test/support/live-view.ts';
import { testIds, testSecret } from '../../test/support/secret.ts';
import { type Cost, unlimitedAccess } from '../access/access.ts';
import { keyOf } from '../access/key.ts';
import { toolProtocol } from '../mcp/streamable-http.ts';
import { recordProtocol } from '../rpc/http-protocol.ts';
import { AircraftWatch } from '../rpc/watch/aircraft-watch.ts';
import { HandOver } from './connections/hand-over.ts';
import { FolderFiles } from './files/folder-files.ts';

/** Paths and methods of an application, from the tree that fastify prints: four characters a level. */
function routesOf({ app }: TestApi): [method: string, path: string][] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', part = '', methods = ''] = /^(.*?[├└]── )(\S+) \(([A-Z, ]+)\)$/.exec(line) ?? [];
      if (part === '') return [];
      const depth = indent.length / 4 - 1;
      const path = `${depth === 0 ? '' : parents[depth - 1]}${part}`;
      parents[depth] = path;
      return methods
        .split(', ')
        .filter((method) => method !== 'HEAD')
        .map((method): [string, string] => [method, path]);
    });
}

/** Paths that cost something else than a turn. */
const costs: Readonly<Record<Exclude<Cost, 'turn'>, RegExp>> = {
  none: /^\/($|web\/|map\/|sw\.js$|manifest\.webmanifest$|embed$|network$|stream($|\/)|contribute$|feeders$|bulk($|\/)|tar1090(\*|$)|healthz$|readyz$|metrics$|data\/receiver\.json$|v2\/me$|mcp$|(v2\/)?ws$|v2\/stream($|\/))/,
  light:
    /^\/(v2\/(stats|signal|feeders\/me)$|feeders\/\w+$|docs($|\/)|(api\/)?openapi\.json$|(api\/other\/)?openapi\.yaml$|asyncapi\.|v1\/aircraft\.proto$|llms\.txt$|license$|\.well-known\/api-catalog$)/,
  bytes: /^\/v1\.AircraftService\/WatchAircraft$/,
};
const turn = /^\/(v2|compat\/v2|data|globe_history)\/|^\/re-api$|^\/api\/0\/routeset$|^\/v1\.AircraftService\//;

test('what each route costs', async () => {
  const charged: Cost[] = [];
  const access = {
    ...unlimitedAccess,
    admit(...[caller, cost]: Parameters<typeof unlimitedAccess.admit>) {
      charged.push(cost);
      return unlimitedAccess.admit(caller, cost);
    },
  };
  const view = await createTestView(3);
  const model = testModel(view);
  const watch = new AircraftWatch(model, 1000);
  const protocols = [
    recordProtocol({ model, watch, access, onFault: () => {} }),
    toolProtocol(model, { access, baseUrl: '', version: '1', isTrialOpen: true }),
  ];
  const tar1090 = new FolderFiles('query-api/web/pages');
  const api = await createApiOver(view, { access, protocols, tar1090, handOver: new HandOver(10) });
  const url = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const routes = routesOf(api);
  expect(routes.length).toBeGreaterThan(100);
  for (const [method, path] of routes) {
    charged.length = 0;
    // Requests for streams leave fastify before, except HEAD.
    const isStream = costs.none.test(path) && /^\/(v2\/)?(ws|stream)$|^\/v2\/stream/.test(path);
    const body = method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : {};
    const response = await fetch(url + path.replace(/:\w+/g, '0').replace(/\*$/, '/x'), {
      method: isStream ? 'HEAD' : method,
      redirect: 'manual',
      ...body,
    });
    await response.body?.cancel();
    const [other = 'turn'] = Object.entries(costs).flatMap(([cost, paths]) => (paths.test(path) ? [cost] : []));
    expect([method, path, charged, other !== 'turn' || turn.test(path)]).toEqual([method, path, [other], true]);
  }
  charged.length = 0;
  await fetch(`${url}/v2/all`, { method: 'OPTIONS' });
  await fetch(`${url}/unknown`);
  expect(charged).toEqual([]);
  watch.close();
  await api.app.close();
});

/** Requests to an API with tiers. */
async function asking() {
  const scene = new Scene();
  const { app } = await createTestApi(3, { access: scene.access, baseUrl: BASE_URL });
  const get = (url: string, headers: Record<string, string> = {}, remoteAddress = '192.0.2.1') =>
    app.inject({ url, remoteAddress, headers: { host: 'planes.example', ...headers } });
  return { scene, get };
}

const bearer = (generation: number) => ({ authorization: `Bearer ${keyOf({ feeder: FEEDER, generation }, testSecret)}` });

describe('limits', () => {
  test('are in the headers of what counts, and a 429 says what to do', async () => {
    const { scene, get } = await asking();
    const first = await get('/v2/all');
    expect([first.statusCode, first.headers['x-service-tier'], first.headers['ratelimit']]).toEqual([
      ...[200, 'trial'],
      '"rate";r=0;t=20, "data";r=1000000000;t=43200',
    ]);
    scene.nowMs += 5000;
    const refused = await get('/compat/v2/all');
    expect([refused.statusCode, refused.headers['retry-after'], refused.headers['ratelimit-policy']]).toEqual([
      ...[429, '13'],
      '"rate";q=1;w=20, "data";q=1000000000;w=86400;qu="content-bytes"',
    ]);
    expect(refused.json()).toMatchObject({
      ...{ code: 'rate', retry_after: 13, 'violated-policies': ['rate'] },
      ...{ websocket_url: 'wss://planes.example/ws/', bulk_url: 'https://planes.example/bulk/' },
    });
    for (const url of ['/v2/stats', '/bulk/', '/healthz', '/'])
      expect([url, (await get(url)).statusCode, (await get(url)).headers['ratelimit']]).toEqual([url, 200, undefined]);
    scene.nowMs += 15_000;
    const again = await get('/v2/all', { 'if-none-match': String(first.headers['etag']) });
    expect([again.statusCode, String(again.headers['ratelimit']).slice(0, 15)]).toEqual([304, '"rate";r=0;t=20']);
  });

  test('a key that is wrong or revoked, and a ban, are refused on every path', async () => {
    const { scene, get } = await asking();
    scene.feed();
    scene.keys(3, { revokedBelow: 2 });
    const statusOf = async (url: string, headers: Record<string, string>) => {
      const { statusCode, headers: given } = await get(url, headers, HOME);
      return [statusCode, given['www-authenticate']];
    };
    const challenge = 'Bearer realm="squitter", error="invalid_token"';
    for (const url of ['/v2/all', '/v2/me', '/bulk/', '/v2/stats']) {
      expect(await statusOf(url, { authorization: 'Bearer nonsense' })).toEqual([401, challenge]);
      expect(await statusOf(url, bearer(2))).toEqual([401, challenge]);
      expect(await statusOf(url, bearer(1))).toEqual([403, undefined]);
      scene.nowMs += 60_000;
    }
    const ban = { reason: 'noise', sinceMs: 1, addressHash: testIds.addressHash(HOME) };
    scene.feeders.apply(feederKey('ban', FEEDER), feederRecord({ ban }));
    for (const headers of [{}, bearer(3)]) expect(await statusOf('/v2/me', headers)).toEqual([403, undefined]);
    for (let n = 0; n < limits.wrongKeysPerMinuteMax; n += 1) await get('/healthz', { authorization: 'Bearer nonsense' }, '192.0.2.7');
    for (const url of ['/healthz', '/v2/all']) {
      const { statusCode, headers } = await get(url, { authorization: 'Bearer nonsense' }, '192.0.2.7');
      expect([url, statusCode, headers['retry-after']]).toEqual([url, 429, '6']);
    }
  });
});

describe('/v2/me', () => {
  test('says what is left, as often as it is charged', async () => {
    const { scene, get } = await asking();
    const { rawPayload } = await get('/v2/all');
    for (const url of ['/bulk/', '/healthz', '/metrics', '/', '/data/receiver.json']) await get(url);
    scene.nowMs += 5000;
    const started = START_MS / 1000;
    for (let n = 0; n < 30; n += 1)
      expect((await get('/v2/me')).json()).toEqual({
        ...{ tier: 'trial', reason: 'trial', why: 'the first 3 days of a caller are a trial', feeder: false },
        trial_end: started + limits.trialMs / 1000,
        requests: { interval: 20, next: 13 },
        bytes: { used: rawPayload.length, left: 1_000_000_000 - rawPayload.length, most: 1_000_000_000, reset: 43_195 },
        sockets: { open: 0, most: 1 },
      });
    const { headers } = await get('/v2/me');
    expect([headers['cache-control'], headers['x-service-tier']]).toEqual(['no-store', 'trial']);
    scene.feed();
    expect((await get('/v2/me', {}, HOME)).json()).toMatchObject({ tier: 'contributor', feeder: true, sockets: { most: 3 } });
    expect((await get('/v2/me', {}, '10.0.0.1')).json<{ why: string }>().why).toMatch(/gateway or proxy/);
  });

  test('has no numbers for callers without limits, and needs no live data', async () => {
    const { app } = await createTestApi(0);
    const open = { tier: 'anonymous', reason: 'open', why: 'this service has no limits for anybody', feeder: false };
    expect((await app.inject('/v2/me')).json()).toEqual(open);
  });
});
