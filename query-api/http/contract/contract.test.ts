// The contract as it is served and committed: complete, described, the same in every form.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ErrorCode, errorKinds, stableCode } from '../../../schemas/errors.ts';
import { ownersScene } from '../../../test/support/access-scene.ts';
import type { Operation } from '../../../test/support/contract.ts';
import { createTestApi } from '../../../test/support/live-view.ts';
import type { PushDocument } from '../../../test/support/push-contract.ts';
import { projectDir } from '../../../test/support/requirements.ts';

const scene = ownersScene();
afterAll(scene.close);
const api = await createTestApi(2, { feeders: scene.owners });
const { contract } = api;

const operations = (): [path: string, operation: Operation][] =>
  Object.entries(contract.document.paths).map(([path, { get, post }]) => [path, (get ?? post)!]);

// Stale after a change of routes: `npx vitest run query-api/http/contract -u` writes it again.
test.each(['openapi.json', 'push-asyncapi.json'])('schemas/api/%s is what the service gives', async (name) => {
  const { body } = await api.app.inject(`/${name.replace('push-', '')}`);
  await expect(body).toMatchFileSnapshot(join(projectDir, 'schemas/api', name));
});

test("Redocly's linter has no errors and no warnings: every operation and parameter has a description, parameters an example", async () => {
  const config = await loadConfig({ configPath: join(import.meta.dirname, 'redocly.yaml') });
  const source = readFileSync(join(projectDir, 'schemas/api/openapi.json'), 'utf8');
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`)).toEqual([]);
});

test('generators of clients find doubles (32 bits do not hold Unix seconds), a type of each choice, and no name twice', () => {
  /** Every object of the document. */
  function* nodes(value: unknown): Generator<Record<string, unknown>> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield value as Record<string, unknown>;
    for (const inner of Object.values(value)) yield* nodes(inner);
  }
  for (const { type, format, oneOf = [] } of nodes(contract.document)) {
    if (type === 'number') expect(format).toBe('double');
    for (const choice of oneOf as object[]) expect('type' in choice || '$ref' in choice).toBe(true);
  }
  const names = Object.values(contract.document.components).flatMap((kind) =>
    Object.keys(kind).map((name) => name.toLowerCase().replace(/\W/g, '')),
  );
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

describe('where it is served', () => {
  const addresses = ['/openapi.json', '/openapi.yaml', '/api/openapi.json', '/api/other/openapi.yaml', '/asyncapi.json', '/asyncapi.yaml'];
  test.each(addresses)('%s, with an ETag', async (url) => {
    const response = await api.app.inject(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe(`application/${url.endsWith('json') ? 'json' : 'yaml'}; charset=utf-8`);
    const [json] = /(open|async)api/.exec(url)!;
    expect(parse(response.body)).toEqual((await api.app.inject(`/${json}.json`)).json());
    const again = await api.app.inject({ url, headers: { 'if-none-match': String(response.headers['etag']) } });
    expect(again.statusCode).toBe(304);
    const packed = await api.app.inject({ url, headers: { 'accept-encoding': 'br' } });
    expect(packed.headers['content-encoding']).toBe('br');
    expect(packed.rawPayload.length).toBeLessThan(response.rawPayload.length / 4);
  });

  test('under the address of the service, where it knows that', async () => {
    const baseUrl = 'https://squitter.example';
    const { app } = await createTestApi(1, { baseUrl });
    expect((await app.inject('/openapi.json')).json()).toMatchObject({ servers: [{ url: baseUrl }] });
    expect((await app.inject('/v2/stats')).headers['link']).toContain(`<${baseUrl}/openapi.json>; rel="service-desc"`);
  });

  test('the .proto file is offered for download', async () => {
    const { headers, body } = await api.app.inject('/v1/aircraft.proto');
    expect(body).toBe(readFileSync(join(projectDir, 'schemas/proto/v1/aircraft.proto'), 'utf8'));
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('/llms.txt leads to every description, and every address in it responds', async () => {
    const { headers, body } = await api.app.inject('/llms.txt');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const paths = [...body.matchAll(/\]\((\/[^)]*)\)/g)].map((match) => match[1]!);
    expect(paths).toEqual(
      expect.arrayContaining(['/mcp', '/openapi.json', '/asyncapi.json', '/v1/aircraft.proto', '/.well-known/api-catalog', '/docs']),
    );
    // The tool server is another protocol on this port, and an airport needs reference data.
    for (const path of paths.filter((each) => each !== '/mcp' && !each.startsWith('/v2/airport/')))
      expect([path, (await api.app.inject(path)).statusCode]).toEqual([path, 200]);
  });

  test('the Link header and the catalogue lead to it', async () => {
    const links = String((await api.app.inject('/v2/all')).headers['link']);
    const relations = Object.fromEntries(
      [...links.matchAll(/<([^>]+)>; rel="([\w-]+)"/g)].map(([, target, relation]) => [relation, target]),
    );
    expect(Object.keys(relations)).toEqual(['contribute', 'service-desc', 'service-doc', 'license']);
    const catalog = await api.app.inject('/.well-known/api-catalog');
    expect(catalog.headers['content-type']).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"');
    const head = await api.app.inject({ method: 'HEAD', url: '/.well-known/api-catalog' });
    expect(head.headers['link']).toMatch(/^<\/\.well-known\/api-catalog>; rel="api-catalog", /);
    const targets = [...catalog.body.matchAll(/"href": "([^"]+)"/g)].map(([, target]) => target!);
    expect(targets).toContain('/openapi.json');
    for (const url of new Set([...Object.values(relations), ...targets]))
      expect([url, (await api.app.inject(url!)).statusCode]).toEqual([url, 200]);
  });
});

// biome-ignore format: paths that clients know: none of them may go
const KNOWN = [
  'hex/{hex}', 'reg/{reg}', 'type/{type}', 'callsign/{callsign}', 'flight/{identifier}', 'flights', 'operator/{code}/flights',
  'types/{type}/flights', 'operators', 'types', 'bbox', 'aircraft/nearest', 'airports/nearby', 'lat/{lat}/lon/{lon}/dist/{nm}',
  'airport/{code}', 'airport/{code}/arrivals', 'airport/{code}/departures', 'airport/{code}/traffic-summary',
  'route/{origin}/{destination}', 'airports/active', 'airport/{code}/nearby-aircraft', 'route/{origin}/{destination}/summary',
  'aircraft/{hex}/track', 'squawk/{code}', 'emergencies', 'stats/live', 'area/countries', 'signal', 'signal/history', 'stats', 'all',
  'aircraft/{hex}/history', 'aircraft/{hex}/flights', 'airport/{code}/flights', 'area/density',
].map((path) => `/v2/${path}`);
/** The request that a path shows, its needed parameters only. */
function shownUrl(path: string, operation: Operation): string {
  const parameters = contract.parametersOf(operation);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const needed = parameters.filter((parameter) => parameter.in === 'query' && parameter.required === true);
  const text = inPath.reduce((url, { name, example }) => url.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  return `${text}?${needed.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`).join('&')}`;
}

describe('what it says', () => {
  test('no path that clients know is gone', () => {
    const shown = operations().map(([path]) => path);
    expect(KNOWN.filter((path) => !shown.includes(path))).toEqual([]);
  });

  test('without live data live paths are unavailable with a time to try again; others respond', async () => {
    const empty = await createTestApi(0, { feeders: scene.owners });
    for (const [path, operation] of contract.reads()) {
      const url = path === '/re-api' ? '/re-api/?all' : shownUrl(path, operation);
      const { statusCode } = await empty.app.inject(url);
      // Also of the history, which this API does not keep. It knows no airports: what is not there is said first.
      // The list of the kept past needs no history.
      const isThere = path === '/v2/stats/history' || !('503' in operation.responses);
      const expected = path === '/v2/feeders/me' ? 401 : isThere ? 200 : 503;
      expect([url, statusCode]).toEqual([url, '404' in operation.responses && statusCode === 404 ? 404 : expected]);
    }
  });

  test('every member of a response and of the streams has a description, numbers of responses with their unit', async () => {
    const poor: string[] = [];
    walk(contract.document.components.schemas, 'schemas', poor);
    const streams = (await api.app.inject('/asyncapi.json')).json<PushDocument>();
    walk([streams.components.schemas, Object.values(streams.channels).map(({ bindings }) => bindings)], 'streams', poor);
    for (const [path, { responses }] of operations())
      for (const [type, { schema }] of Object.entries(responses['200']!.content ?? {})) walk(schema, `${path} ${type}`, poor);
    expect(poor).toEqual([]);
  });

  test('other sites may request every path, and every operation can be refused with a problem', async () => {
    for (const [path, operation] of operations()) {
      const request = { method: 'OPTIONS', url: shownUrl(path, operation), headers: { origin: 'https://map.example' } } as const;
      const { statusCode, headers } = await api.app.inject(request);
      expect([path, statusCode, headers['access-control-allow-origin']]).toEqual([path, 204, '*']);
    }
    for (const [path, { responses }] of operations())
      for (const status of ['400', '401', '403', '405', '414', '429', '431', '500'])
        expect(responses[status]?.$ref, `${path} ${status}`).toBeDefined();
    expect(contract.document.paths['/v2/all']!.get!.responses).toMatchObject({ 304: {}, 429: {}, 503: {} });
  });

  test('what costs a turn declares what is left, and 429 with it', () => {
    for (const [path, { responses }] of operations()) {
      const isTurn = responses['200']!.headers!['RateLimit'] !== undefined;
      const refusal = responses['429']!.$ref!.split('/').at(-1)!;
      expect([path, refusal]).toEqual([path, isTurn ? 'TooManyRequests' : expect.stringMatching(/^TooMany(Requests|WrongKeys)$/)]);
    }
    for (const name of ['RateLimit', 'RateLimit-Policy', 'Retry-After'])
      expect(contract.document.components.responses['TooManyRequests']!.headers).toHaveProperty(name);
  });

  test('every refusal of a caller, in both contracts and with its status', async () => {
    // The tool server has them in its own protocol, and the dashboard of feeders is no part of the contract.
    const others = ['no_key', 'wrong_origin', 'no_session', 'wrong_proof', 'not_claimable', 'no_key_left'].map((name) => `access.${name}`);
    const refused = (Object.keys(errorKinds) as ErrorCode[]).filter(
      (code) => code.startsWith('access.') && errorKinds[code].http !== undefined && !others.includes(code),
    );
    expect(refused.length).toBe(8);
    const { description } = (contract.document.components.schemas['Problem'] as { properties: { code: { description: string } } })
      .properties.code;
    const streams = (await api.app.inject('/asyncapi.json')).body;
    for (const code of refused) {
      expect(description).toContain(`\`${stableCode(code)}\` (${errorKinds[code].http})`);
      expect(streams).toContain(`\`${stableCode(code)}\`:`);
    }
    expect(description).toContain('`no-session` (401)');
  });
});

/** Units and words that stand for one: a number without any of them says too little. */
const UNIT =
  /°C|\b(ft|kt|nm|s|ms|m|degrees|hPa|dBFS|Unix|Mach|percent|messages|aircraft|flights|items|airports|members|bytes|count|number|category|level|version|sum of|accuracy|status|code|arrivals|departures|movements)\b|ft\/min|supplement|assurance|identification|changed|page/i;

function walk(node: unknown, pointer: string, poor: string[]): void {
  if (typeof node !== 'object' || node === null) return;
  const { properties } = node as { properties?: Record<string, Record<string, unknown>> };
  if (properties !== undefined && (node as { type?: unknown }).type === 'object')
    for (const [name, member] of Object.entries(properties)) {
      const description = member['description'];
      if (typeof description !== 'string' && member['$ref'] === undefined) poor.push(`${pointer}/${name}: no description`);
      else if (['number', 'integer'].includes(String(member['type'])) && !UNIT.test(String(description)))
        poor.push(`${pointer}/${name}: no unit`);
    }
  for (const [name, child] of Object.entries(node)) if (name !== 'example' && name !== 'examples') walk(child, `${pointer}/${name}`, poor);
}
