// Clients that generators of others make of the contract, in Go and Python, compile and call the service. TypeScript: typed-client.test.ts.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goAtLeast } from '../support/go.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { pythonWith } from '../support/python.ts';
import { projectDir } from '../support/requirements.ts';

const run = promisify(execFile);
const contract = join(projectDir, 'schemas/api/openapi.json');
const work = join(projectDir, '.cache/generated-clients');
/** The first run fetches and compiles the generator. */
const GENERATE_MS_MAX = 240_000;

const go = goAtLeast(1, 24);
const python = pythonWith('openapi-python-client==0.29.1');

let api: TestApi;
let url: string;
beforeAll(async () => {
  api = await createTestApi(20);
  await api.app.listen({ host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${(api.app.server.address() as AddressInfo).port}`;
  rmSync(work, { recursive: true, force: true });
  mkdirSync(work, { recursive: true });
});
afterAll(() => api.app.close());

/** What the example client of any language prints. */
function expectCalls(stdout: string): void {
  const lines = stdout.trim().split('\n');
  const { nowMs } = api.view.current()!.times;
  expect(lines[0]).toBe(`20 aircraft at ${(nowMs / 1000).toFixed(1)}`);
  expect(lines).toHaveLength(5);
  for (const line of lines.slice(1, 4)) expect(line).toMatch(/^[0-9a-f]{6} at \d{5} ft$/);
  expect(lines[4]).toMatch(/^bad-value: hex cannot be "nonsense"/);
}

describe.skipIf(!go.met)(`a client in Go ${go.reason}`, () => {
  const folder = join(work, 'go');

  test('is made by oapi-codegen', { timeout: GENERATE_MS_MAX }, async () => {
    cpSync(join(projectDir, 'examples/go-client'), folder, { recursive: true });
    cpSync(contract, join(folder, 'openapi.json'));
    await run('go', ['generate'], { cwd: folder });
    await run('go', ['vet', '.'], { cwd: folder });
  });

  test('calls the service', { timeout: GENERATE_MS_MAX }, async () => {
    expectCalls((await run('go', ['run', '.', url], { cwd: folder })).stdout);
  });
});

describe.skipIf(!python.met)(`a client in Python ${python.reason}`, () => {
  const folder = join(work, 'python');

  test('is made by openapi-python-client, which leaves no operation out but the contract as YAML', {
    timeout: GENERATE_MS_MAX,
  }, async () => {
    mkdirSync(folder, { recursive: true });
    cpSync(join(projectDir, 'examples/python-client/client.py'), join(folder, 'client.py'));
    const args = ['-m', 'openapi_python_client', 'generate', '--path', contract, '--meta', 'none', '--output-path', 'squitter_client'];
    const { stdout, stderr } = await run(python.path, args, { cwd: folder });
    const warned = [...`${stdout}${stderr}`.matchAll(/WARNING parsing GET (\S+)/g)].map(([, path]) => path);
    expect(warned).toEqual(['/api/other/openapi.yaml', '/openapi.yaml']);
    expect(existsSync(join(folder, 'squitter_client/api/bulk_data/all_.py'))).toBe(true);
  });

  test('calls the service', { timeout: 60_000 }, async () => {
    expectCalls((await run(python.path, ['client.py', url], { cwd: folder })).stdout);
  });
});
