// Clients in Go and Python that other projects' generators make from the contract compile and call the service. TypeScript:
// typed-client.test.ts.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { goAtLeast } from '../support/go.ts';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { pythonPackages } from '../support/python.ts';
import { projectDir } from '../support/requirements.ts';

const run = promisify(execFile);
const contract = join(projectDir, 'schemas/api/openapi.json');
const work = join(projectDir, '.cache/generated-clients');
/** The first run fetches and compiles the generator and the client. */
const GENERATE_MS_MAX = 480_000;

const go = goAtLeast(1, 24);
const python = pythonPackages();

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

/** Expected output of the example client in any language. */
function expectCalls(stdout: string): void {
  const lines = stdout.trim().split('\n');
  const { nowMs } = api.view.current()!.times;
  expect(lines[0]).toBe(`20 aircraft at ${(nowMs / 1000).toFixed(1)}`);
  expect(lines).toHaveLength(5);
  for (const line of lines.slice(1, 4)) expect(line).toMatch(/^[0-9a-f]{6} at \d{5} ft$/);
  expect(lines[4]).toMatch(/^bad-value: hex cannot be "nonsense"/);
}

test.skipIf(!go.met)(`oapi-codegen makes a client in Go that calls the service ${go.reason}`, { timeout: GENERATE_MS_MAX }, async () => {
  const cwd = join(work, 'go');
  cpSync(join(projectDir, 'examples/go-client'), cwd, { recursive: true });
  cpSync(contract, join(cwd, 'openapi.json'));
  await run('go', ['generate'], { cwd });
  await run('go', ['vet', '.'], { cwd });
  expectCalls((await run('go', ['run', '.', url], { cwd })).stdout);
});

test.skipIf(!python.met)(
  `openapi-python-client makes one in Python, with all operations except the contracts as YAML ${python.reason}`,
  async () => {
    const cwd = join(work, 'python');
    mkdirSync(cwd, { recursive: true });
    cpSync(join(projectDir, 'examples/python-client/client.py'), join(cwd, 'client.py'));
    const args = ['-m', 'openapi_python_client', 'generate', '--path', contract, '--meta', 'none', '--output-path', 'squitter_client'];
    const { stdout, stderr } = await run(python.path, args, { cwd });
    const warned = [...`${stdout}${stderr}`.matchAll(/WARNING parsing GET (\S+)/g)].map(([, path]) => path);
    expect(warned).toEqual(['/api/other/openapi.yaml', '/asyncapi.yaml', '/openapi.yaml']);
    expect(existsSync(join(cwd, 'squitter_client/api/bulk_data/all_.py'))).toBe(true);
    expectCalls((await run(python.path, ['client.py', url], { cwd })).stdout);
  },
);
