// Errors as clients see them: stable codes, and for a person with a browser a page where there is none.
import { expect, it } from 'vitest';
import { type ErrorCode, errorKinds, stableCode } from '../../../schemas/errors.ts';
import { createTestApi } from '../../../test/support/live-view.ts';
import { statusOf } from './problems.ts';

it('every error that a client may see has a stable code of its own', () => {
  const seen = (Object.keys(errorKinds) as ErrorCode[]).filter((code) => code === 'api.internal' || statusOf(code) !== 500).map(stableCode);
  expect(seen.filter((code, at) => seen.indexOf(code) !== at)).toEqual([]);
});

it('a browser gets a page for an address without one, a program always a problem', async () => {
  const { app } = await createTestApi(1);
  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
  const page = await app.inject({ url: '/no/such', headers: { accept: browser } });
  const { 'content-type': type, 'cache-control': cache } = page.headers;
  expect([page.statusCode, type, cache]).toEqual([404, 'text/html; charset=utf-8', 'no-store']);
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'; default-src 'none'; script-src 'self'");
  // Relative to the address, below whatever prefix.
  const files = [...page.body.matchAll(/(?:src|href)="\.\.\/(web\/[^"]+)"/g)].map(([, file]) => `/${file}`);
  expect(files.length).toBeGreaterThan(4);
  for (const file of files) expect([file, (await app.inject(file)).statusCode]).toEqual([file, 200]);
  const requests = [
    { url: '/no/such', headers: {} },
    { url: '/no/such', headers: { accept: '*/*' } },
    { url: '/no/such', method: 'POST', headers: { accept: browser } },
    { url: '/v2/no/such', headers: { accept: browser } },
    { url: '/v2/hex/wrong', headers: { accept: browser } },
  ] as const;
  for (const request of requests) {
    const response = await app.inject(request);
    expect([request, response.headers['content-type']]).toEqual([request, 'application/problem+json; charset=utf-8']);
    expect(response.json()).toMatchObject({ status: response.statusCode, instance: request.url });
  }
});
