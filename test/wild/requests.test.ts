// Wild values for every parameter of every operation of the contract: no internal error, no HTML, nothing outside the contract.
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { HistoryStore } from '../../query-api/queries/history/history-store.ts';
import { startEmptyPast } from '../support/empty-past.ts';
import { historyEngine, startHistoryStore } from '../support/history-store.ts';
import { storePositions } from '../support/stored-positions.ts';
import { createWildApi, exampleTrace } from './aircraft.ts';
import { exampleUrl, wildUrls } from './requests.ts';

/** Requests per operation. `WILD_RUNS=5000 WILD_SEED=3 npx vitest run test/wild/requests` searches longer, with another seed. */
const RUNS = Number(process.env['WILD_RUNS'] ?? 60);
const SEED = Number(process.env['WILD_SEED'] ?? 7);
/** ms for one request without shrinking; a machine may be busy. */
const RUN_MS_MAX = 250;
/** Headers that differ between two equal requests. */
const MOVING = ['x-request-id', 'date'];

const store = historyEngine().met ? await startHistoryStore() : null;
if (store !== null) await storePositions(store.client, exampleTrace().positions, 'wild');
const empty = await startEmptyPast();
const api = await createWildApi(1, { history: new HistoryStore(store?.client ?? null), past: empty.past });
const { app, contract } = api;
afterAll(async () => {
  await app.close();
  await empty.stop();
  await store?.stop();
});

/** Paths whose parameters must fit each other: by chance they never do. */
const OF_EACH_OTHER = /^\/(data\/traces|globe_history)\//;

/** What this API leaves out, with the optional package of the history: a 503 that says so is right. */
const LEFT_OUT = store === null ? ['no-history'] : [];
const isLeftOut = (response: LightMyRequestResponse): boolean => response.statusCode === 503 && LEFT_OUT.includes(response.json()['code']);

/** `inject` has already checked every response against the contract. */
async function ask(method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  return app.inject({ method, url, headers });
}

function steady({ headers }: LightMyRequestResponse): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !MOVING.includes(name)));
}

/** Documented as HTML. */
function isPage(url: string): boolean {
  const content = contract.document.paths[contract.pathOf(url) ?? '']?.get?.responses['200']?.content ?? {};
  return 'text/html' in content;
}

/** Checks a response completely and returns its status. */
async function checkedStatus(url: string): Promise<number> {
  const response = await ask('GET', url);
  if (!isLeftOut(response)) expect(response.statusCode, response.body.slice(0, 500)).toBeLessThan(500);
  // Two operations are pages; no error is one.
  if (response.statusCode >= 400 || !isPage(url)) expect(String(response.headers['content-type'])).not.toContain('html');
  expect(response.headers).not.toHaveProperty('x-injected');
  if (response.statusCode >= 400) {
    expect(response.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(response.json()).toMatchObject({ status: response.statusCode, request_id: response.headers['x-request-id'] });
  }
  const head = await ask('HEAD', url);
  expect([head.statusCode, head.rawPayload.length]).toEqual([response.statusCode, 0]);
  const { etag } = response.headers;
  // Errors contain the number of their request, whose length varies.
  if (response.statusCode < 400 && etag !== undefined) {
    expect(steady(head)).toEqual(steady(response));
    const again = await ask('GET', url, { 'if-none-match': String(etag) });
    expect([again.statusCode, again.headers['etag'], again.rawPayload.length]).toEqual([304, etag, 0]);
  }
  return response.statusCode;
}

describe('wild requests', () => {
  test.each(contract.reads())('%s', { timeout: 30_000 + RUNS * RUN_MS_MAX }, async (path, get) => {
    const { parameters = [] } = get;
    const response = new Set<number>();
    if (OF_EACH_OTHER.test(path)) response.add(await checkedStatus(exampleUrl(contract, path, get)));
    const numRuns = parameters.length === 0 ? 10 : RUNS;
    await fc.assert(
      fc.asyncProperty(wildUrls(contract, path, get), async (url) => {
        response.add(await checkedStatus(url));
      }),
      { numRuns, seed: SEED },
    );
    const isOfStore = store === null && path.startsWith('/globe_history/');
    expect(isOfStore || [...response].some((status) => status < 400), `only ${[...response]}`).toBe(true);
  });
});
