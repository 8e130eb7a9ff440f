// Wild values for every parameter of every operation of the contract: no fault of ours, no HTML, nothing outside the contract.
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { afterAll, describe, expect, test } from 'vitest';
import { createWildApi } from './aircraft.ts';
import { wildUrls } from './requests.ts';

/** Requests per operation. `WILD_RUNS=5000 WILD_SEED=3 npx vitest run test/wild/requests` hunts for longer, elsewhere. */
const RUNS = Number(process.env['WILD_RUNS'] ?? 120);
const SEED = Number(process.env['WILD_SEED'] ?? 7);
/** ms for one request, shrinking left out; a machine may be busy. */
const RUN_MS_MAX = 250;
/** Headers that differ between two equal requests. */
const MOVING = ['x-request-id', 'date'];

const api = await createWildApi(1);
const { app, contract } = api;
afterAll(() => app.close());

/** Every answer of `inject` was held against the contract when it comes here. */
async function ask(method: 'GET' | 'HEAD', url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
  return app.inject({ method, url, headers });
}

function steady({ headers }: LightMyRequestResponse): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !MOVING.includes(name)));
}

/** The status of an answer in which nothing is wrong. */
async function isWellAnswered(url: string): Promise<number> {
  const answer = await ask('GET', url);
  expect(answer.statusCode, answer.body.slice(0, 500)).toBeLessThan(500);
  expect(String(answer.headers['content-type'])).not.toContain('html');
  expect(answer.headers).not.toHaveProperty('x-injected');
  if (answer.statusCode >= 400) {
    expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    expect(answer.json()).toMatchObject({ status: answer.statusCode, request_id: answer.headers['x-request-id'] });
  }
  const head = await ask('HEAD', url);
  expect([head.statusCode, head.rawPayload.length]).toEqual([answer.statusCode, 0]);
  const { etag } = answer.headers;
  // Errors tell their request's number, of another length at times.
  if (answer.statusCode < 400 && etag !== undefined) {
    expect(steady(head)).toEqual(steady(answer));
    const again = await ask('GET', url, { 'if-none-match': String(etag) });
    expect([again.statusCode, again.headers['etag'], again.rawPayload.length]).toEqual([304, etag, 0]);
  }
  return answer.statusCode;
}

describe('wild requests', () => {
  test.each(contract.reads())('%s', { timeout: 30_000 + RUNS * RUN_MS_MAX }, async (path, get) => {
    const { parameters = [] } = get;
    const answered = new Set<number>();
    const numRuns = parameters.length === 0 ? 10 : RUNS;
    await fc.assert(
      fc.asyncProperty(wildUrls(contract, path, get), async (url) => {
        answered.add(await isWellAnswered(url));
      }),
      { numRuns, seed: SEED },
    );
    expect(
      [...answered].some((status) => status < 400),
      `only ${[...answered]}`,
    ).toBe(true);
  });
});
