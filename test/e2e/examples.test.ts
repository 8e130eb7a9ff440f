// The examples of the contract are real responses of the running service over its simulated traffic. `EXAMPLES=new npx vitest run
// test/e2e/examples` requests all of them again; otherwise the stored ones, and today's responses to the same requests, must match the
// contract. And README's list of things to do next: each block of commands runs unchanged.
import { exec } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Example, Examples } from '../../query-api/http/contract/examples.ts';
import { readExamples } from '../../query-api/http/contract/examples.ts';
import { Contract, type OpenApiDocument } from '../support/contract.ts';
import { historyEngine } from '../support/history-store.ts';
import { projectDir } from '../support/requirements.ts';
import { type RunningService, squitter, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const AIRCRAFT = 25;
const METRIC_LINES = 6;
/** An example of the contracts would be the contracts themselves; a heat map is binary; a new service has published no file, and no feeder has an owner. */
const WITHOUT_EXAMPLE = /^\/(openapi|asyncapi|api\/|license|v2\/feeders|bulk(?!\/index))|heatmap/;

/** Members of the aircraft in the examples. */
const WANTED = ['flight', 'lat', 'squawk', 'route_origin', 'route_dest', 't'];

type Aircraft = Readonly<Record<string, string | number | undefined>>;

const engine = historyEngine();
const data = temporaryFolder();
let service: RunningService;
let readyMs = 0;
let contract: Contract;
let examples: Examples;

beforeAll(async () => {
  service = await startService(data.path, ['--simulate', String(AIRCRAFT), '--trusted-proxy', '127.0.0.1'], { SQUITTER_NO_HISTORY: '' });
  readyMs = performance.now();
  contract = new Contract(await service.json<OpenApiDocument>('/openapi.json'));
  await nameAircraft((await knownAircraft([])).ac);
  const { best } = await knownAircraft(WANTED);
  if (engine.met)
    await until(
      async () => (await service.json<{ total: number }>(`/v2/aircraft/${best['hex']}/history`)).total > 0,
      'the aircraft in the history',
    );
  examples = await askAll(best);
  if (process.env['EXAMPLES'] === 'new')
    writeFileSync(join(projectDir, 'query-api/http/contract/examples.json'), `${JSON.stringify(examples, null, 1)}\n`);
});
afterAll(async () => {
  await service.stop();
  data.remove();
});

describe('examples of the contract', () => {
  test('every path has one', () => {
    expect(Object.keys(readExamples())).toEqual(Object.keys(examples));
  });

  // Their responses were checked against it when they were stored: see `askAll`.
  test('they match the contract', () => {
    for (const [path, example] of Object.entries(readExamples()))
      expect([path, contract.exampleFaults(path, example.response)]).toEqual([path, []]);
  });
});

describe('things to do next', () => {
  const list = readFileSync(join(projectDir, 'README.md'), 'utf8').split('## Six things to do next')[1]!.split('\n## ')[0]!;
  /** Title and commands of each item with commands. */
  const items = [...list.matchAll(/^\d+\. \*\*(.*?)\*\*[\s\S]*?(?=^\d+\. |$(?![\s\S]))/gm)].map(
    ([text, title]) => [title!, /```sh\n([\s\S]*?)```/.exec(text)?.[1]] as const,
  );

  test('are six, the last of which ends the simulation', () => {
    expect([items.length, items.at(-1)![0]]).toEqual([6, 'Connect your receiver.']);
    expect(list).toContain('Stop the service, then');
  });

  // The last item requires the reader's own receiver.
  test.each(items.slice(0, -1).filter(([, commands]) => commands !== undefined))('%s', async (_, commands) => {
    // The sky ten seconds ago, and two for the ticks of the fold. Commands of a test come faster than those of a reader.
    if (commands!.includes('?at=')) await sleep(12_000 - Math.min(12_000, performance.now() - readyMs));
    const env = { ...process.env, SQUITTER_DATA: data.path };
    const here = commands!.replaceAll('127.0.0.1:8080', new URL(service.url).host);
    const { stdout, stderr } = await promisify(exec)(`set -e\n${here}`, { cwd: projectDir, env, maxBuffer: 1 << 26 });
    expect(stdout + stderr).not.toBe('');
    // A refusal of the service contains this. Without the store's engine, one command gets a refusal.
    if (engine.met) expect(stdout).not.toContain('about:blank');
  });
});

/** Waits until nearly all aircraft are present and an airline flight has these members; returns the aircraft with the most members. */
const knownAircraft = (wanted: readonly string[]) =>
  until(async () => {
    const { ac } = await service.json<{ ac: Aircraft[] }>('/v2/all');
    const [best] = ac
      .filter((aircraft) => /^[A-Z]{3}\d/.test(String(aircraft['flight'])) && wanted.every((name) => aircraft[name] !== undefined))
      .sort((a, b) => size(b) - size(a));
    return best !== undefined && ac.length >= AIRCRAFT - 2 && { ac, best };
  }, 'aircraft with all members');

const size = (aircraft: Aircraft): number => Object.keys(aircraft).length;

/** Simulated aircraft are in no register: adds types, and marks some as military, as an import of reference data does. */
async function nameAircraft(ac: readonly Aircraft[]): Promise<void> {
  const types = ['B738;00;BOEING 737-800', 'A320;00;AIRBUS A-320', 'A400;10;AIRBUS A-400M'];
  const rows = ac.map(({ hex }, i) => `${hex};${i % 3 === 2 ? '54+0' : 'D-AIX'}${i};${types[i % 3]};2015;;`);
  const file = join(data.path, 'aircraft.csv');
  writeFileSync(file, `${rows.join('\n')}\n`);
  const { code, stderr } = await squitter(['reference', 'import', file, '--data', data.path]);
  expect(code, stderr).toBe(0);
}

/** Requests every path for its example. */
async function askAll(aircraft: Aircraft): Promise<Examples> {
  const examples: [string, Example][] = [];
  for (const [path, get] of contract.reads()) {
    if (WITHOUT_EXAMPLE.test(path)) continue;
    const parameters = contract.parametersOf(get);
    const inPath = Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'path')
        .map(({ name, example }) => [name, liveValue(path, name, aircraft) ?? (example as string | number)]),
    );
    const query = Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === 'query' && (parameter.required === true || parameter.name === 'limit'))
        .map(({ name, example }) => [name, liveValue(path, name, aircraft) ?? (example as string | number)] as const),
    );
    const sent = path === '/re-api' ? { closest: `${aircraft['lat']},${aircraft['lon']},100` } : query;
    const url = addressOf(path, inPath, sent);
    // The operator has no limits to show.
    const response = await service.get(url, path === '/v2/me' ? { 'x-forwarded-for': '192.0.2.1' } : {});
    if (response.status === 503 && !engine.met) {
      // The history needs an optional package.
      examples.push([path, readExamples()[path]!]);
      continue;
    }
    const body = await response.text();
    // fetch has decompressed the body.
    const { 'content-encoding': _, ...headers } = Object.fromEntries(response.headers);
    const faults = contract.faults({ method: 'GET', url, status: response.status, headers, body: Buffer.from(body) });
    expect([url, response.status, faults, response.status === 200 ? '' : body]).toEqual([url, 200, [], '']);
    const shown = /json/.test(headers['content-type'] ?? '') ? JSON.parse(body) : body.split('\n').slice(0, METRIC_LINES).join('\n');
    examples.push([path, { path: inPath, query: sent, response: shown }]);
  }
  return Object.fromEntries(examples);
}

function addressOf(path: string, inPath: Example['path'], query: Example['query']): string {
  const text = Object.entries(inPath).reduce((url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)), path);
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? text : `${text}?${pairs.join('&')}`;
}

/** Values of parameters without an example value: this aircraft, its flight and its airports. */
function liveValue(path: string, name: string, aircraft: Aircraft): string | number | undefined {
  const { hex, r, t, squawk, route_origin, route_dest } = aircraft;
  const flight = String(aircraft['flight']).trim();
  const [lat, lon] = [Math.round(Number(aircraft['lat'])), Math.round(Number(aircraft['lon']))];
  const [year, month, day] = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length).split('-');
  const named: Readonly<Record<string, string | number | undefined>> = {
    ...{ hex, icao: hex, last: String(hex).slice(-2), year, month, day, limit: 2 },
    ...{ reg: r, registration: r, type: t, types: t, squawk, sqk: squawk },
    ...{ callsign: flight, identifier: flight, operator: flight.slice(0, 3) },
    ...{ airport: path.endsWith('/departures') ? route_origin : route_dest, origin: route_origin, destination: route_dest },
    ...{ lat, lon, min_lat: lat - 1, max_lat: lat + 1, min_lon: lon - 1, max_lon: lon + 1 },
  };
  const before = path.split(`/{${name}}`)[0]!.split('/').at(-1)!;
  return name === 'code' || name === 'item' ? named[before] : named[name];
}
