// Pages for people: which requests are theirs, and their bucket, stream and bytes.
import { describe, expect, test } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { tierLimits } from '../../schemas/tiers.ts';
import { BASE_URL, DAY_MS, Scene, START_MS } from '../../test/support/access-scene.ts';
import type { Admission, Lease } from './access.ts';
import type { CallerHeaders } from './caller.ts';
import { isOfPage } from './pages.ts';

const code = (code: string) => expect.objectContaining({ code });
const marked = { 'x-squitter-page': '1' };
const ADDRESS = '192.0.2.1';

describe('a request is of a page', () => {
  const host = 'radar.example:8080';
  const own = 'http://radar.example:8080/';
  // biome-ignore format: a table
  const cases: readonly (readonly [isPage: boolean, url: string, headers: CallerHeaders])[] = [
    [true, '/v2/all', marked],
    [true, '/v2/stream/snapshot?hex=4840d6', marked],
    [false, '/v2/all', {}],
    [false, '/v2/all', { 'x-squitter-page': '0' }],
    [false, '/v2/all', { referer: own }],
    [false, '/v1.AircraftService/NetworkStats', marked],
    [false, '/mcp', marked],
    [false, '/compat/v2/all', marked],
    // Sockets and event streams.
    [true, '/v2/ws?page=1', { origin: own }],
    [true, '/ws/?hex=4840d6&page=1&seq=2', { origin: BASE_URL }],
    [true, '/ws?page=1', { origin: 'http://RADAR.example:8080' }],
    [true, '/v2/stream?page=1', { referer: `${own}stream` }],
    [true, '/v2/stream?page=1', { origin: BASE_URL, referer: 'https://evil.example/' }],
    [false, '/v2/stream?page=1', { origin: 'https://evil.example', referer: own }],
    [false, '/v2/ws?page=1', {}],
    [false, '/v2/ws?page=1', { origin: 'null' }],
    [false, '/v2/ws?page=1', { origin: 'http://radar.example' }],
    [false, '/v2/ws?page=1', { origin: 'http://planes.example' }],
    [false, '/v2/ws?page=11', { origin: own }],
    [false, '/v2/ws?homepage=1', { origin: own }],
    [false, '/wsx?page=1', { origin: own }],
    // Maps of readsb.
    [true, '/data/aircraft.json?_=1', { referer: `${own}tar1090/?icao=4840d6` }],
    [true, '/data/traces/d6/trace_full_4840d6.json', { referer: `${BASE_URL}/tar1090/` }],
    [true, '/globe_history/2026/01/05/heatmap/21.bin.ttf', { referer: own }],
    [true, '/re-api/?all', { referer: own }],
    [true, '/re-api?all', { referer: own }],
    [true, '/api/0/routeset', { referer: own }],
    [false, '/data/aircraft.json', {}],
    [false, '/data/aircraft.json', marked],
    [false, '/data/aircraft.json', { referer: 'https://evil.example/?http://radar.example:8080/' }],
    [false, '/data/aircraft.json', { referer: 'https://radar.example:8080.evil.example/' }],
    [false, '/data/aircraft.json', { referer: 'radar.example:8080' }],
    [false, '/database/aircraft.json', { referer: own }],
  ];
  test.each(cases)('%s: %s %o', (isPage, url, headers) => {
    expect(isOfPage({ pages: 'people' }, BASE_URL, url, { host, ...headers })).toBe(isPage);
    expect(isOfPage({ pages: 'tiers' }, BASE_URL, url, { host, ...headers })).toBe(false);
  });

  test('whatever the Host is', () => {
    for (const host of [undefined, '', 'undefined', '[', 'a b', '%', '/'])
      for (const referer of ['http://undefined.example/', 'about:blank', 'file:///x', 'http:///', ''])
        expect([host, referer, isOfPage({ pages: 'people' }, '', '/data/x', { host, referer })]).toEqual([host, referer, false]);
  });
});

describe('requests of a page', () => {
  test('have a bucket of their own per address, which no other request empties', () => {
    const scene = new Scene();
    const { headers } = scene.ask(ADDRESS, marked, '/v2/all');
    expect(headers).toEqual({
      'ratelimit-policy': '"rate";q=20;w=10, "data";q=4000000000;w=86400;qu="content-bytes"',
      ratelimit: '"rate";r=19;t=1, "data";r=4000000000;t=43200',
    });
    scene.ask(ADDRESS);
    expect(() => scene.ask(ADDRESS)).toThrow(code('access.rate'));
    for (let n = 1; n < limits.pageRequestsBurst; n += 1) scene.ask(ADDRESS, marked, '/v2/all');
    expect(() => scene.ask(ADDRESS, marked, '/v2/all')).toThrow(
      expect.objectContaining({
        code: 'access.rate',
        retryAfterS: 1,
        headers: expect.objectContaining({ ratelimit: expect.stringContaining('r=0;t=1') }),
      }),
    );
    scene.ask('192.0.2.2', marked, '/v2/all');
    for (let n = 0; n < 100; n += 1) {
      scene.nowMs += 500;
      scene.ask(ADDRESS, marked, '/v2/all');
    }
    expect(() => scene.ask(ADDRESS, marked, '/v2/all')).toThrow(code('access.rate'));
    expect(scene.access.refused.get('access.rate page')).toBe(2);
  });

  test('have bytes of their own; beyond those, one request in 10 s', () => {
    const scene = new Scene();
    const page = scene.who(ADDRESS, marked, '/v2/all');
    expect(scene.access.spend(page, limits.pageDayBytesMax)).toBeNull();
    expect(scene.access.spend(scene.who(ADDRESS), 0)).toBe(tierLimits.trial.dayBytesMax);
    expect(scene.ask(ADDRESS, marked, '/v2/all').headers['ratelimit-policy']).toMatch(/^"rate";q=1;w=10,/);
    expect(() => scene.ask(ADDRESS, marked, '/v2/all')).toThrow(expect.objectContaining({ code: 'access.rate', retryAfterS: 10 }));
    scene.nowMs += limits.pageSlowMs;
    scene.ask(ADDRESS, marked, '/v2/all');
    scene.nowMs = START_MS + DAY_MS / 2;
    expect(scene.ask(ADDRESS, marked, '/v2/all').headers['ratelimit-policy']).toMatch(/^"rate";q=20;w=10,/);
  });

  test('count as all else where the operator says so; with a wrong key they are refused all the same', () => {
    const scene = new Scene({ pages: 'tiers' });
    scene.ask(ADDRESS, marked, '/v2/all');
    expect(() => scene.ask(ADDRESS, marked, '/v2/all')).toThrow(code('access.rate'));
    expect(() => scene.who(ADDRESS, { ...marked, authorization: 'Bearer sqt_1' }, '/v2/all')).toThrow(code('access.wrong_key'));
  });
});

describe('streams of pages', () => {
  const open = (scene: Scene, headers: CallerHeaders = { origin: BASE_URL }, address = ADDRESS): Lease =>
    scene.access.open(scene.who(address, headers, '/v2/ws?page=1')) as Lease;

  test('go on at the normal pace when the bytes of the day are used up, and are never ended for them', () => {
    const scene = new Scene();
    const { caller } = open(scene);
    scene.access.spend(caller, limits.pageDayBytesMax);
    expect([scene.access.check(caller), scene.access.pace(caller, 'trial')]).toEqual(['trial', 'normal']);
    expect(open(scene, { origin: BASE_URL }, '192.0.2.9').caller.isPage).toBe(true);
    scene.nowMs += DAY_MS / 2;
    expect(scene.access.pace(caller, 'trial')).toBe('page');
    // The bytes of the tier do not end it either.
    scene.access.spend(scene.who(ADDRESS), tierLimits.trial.dayBytesMax);
    expect(scene.access.check(caller)).toBe('trial');
  });

  test('of the operator have the pace of pages, without limits', () => {
    const scene = new Scene({ unlimited: [ADDRESS] });
    for (let n = 0; n < 3; n += 1) {
      const { caller } = open(scene);
      expect([caller.tier, scene.access.pace(caller, caller.tier)]).toEqual(['anonymous', 'page']);
    }
    expect((scene.access.admit(scene.who(ADDRESS, marked, '/v2/all'), 'turn') as Admission).headers).toEqual({});
  });
});
