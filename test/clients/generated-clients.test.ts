// Clients that other projects' generators make from the contract compile and call the service: Go, Python, and TypeScript with the types alone.
import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { goAtLeast, nodeToolsWith, projectDir, pythonPackages } from '../support/requirements.ts';

const run = promisify(execFile);
const contract = join(projectDir, 'schemas/api/openapi.json');
const work = join(projectDir, '.cache/generated-clients');
/** The first run fetches and compiles the generator and the client. */
const GENERATE_MS_MAX = 480_000;

const go = goAtLeast(1, 24);
const python = pythonPackages();
// The generator needs the compiler API, which TypeScript 7 does not have.
const tools = nodeToolsWith('openapi-typescript@7.13.0', 'typescript@5.9.3');

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

/** Calls that the contract forbids; they must not compile. */
const FORBIDDEN = `
// @ts-expect-error there is no such path
await api.GET('/v2/nothing');
// @ts-expect-error lon is missing
await api.GET('/v2/aircraft/nearest', { params: { query: { lat: 1 } } });
// @ts-expect-error a limit is a number
await api.GET('/v2/all', { params: { query: { limit: 'all' } } });
// @ts-expect-error aircraft have no such member
console.log((everything.data?.ac ?? [])[0]?.altitude);
// @ts-expect-error the list is JSON, its GeoJSON is another operation
console.log(everything.data?.features);
`;

test.skipIf(!tools.met)(
  `the client in TypeScript, and the lines of docs/use/api.md, compile; wrong calls do not ${tools.reason}`,
  async () => {
    const cwd = join(work, 'typed');
    mkdirSync(cwd, { recursive: true });
    cpSync(join(projectDir, 'examples/typed-client/client.ts'), join(cwd, 'client.ts'));
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(projectDir, 'docs/use/api.md'), 'utf8'))!;
    writeFileSync(join(cwd, 'shown.ts'), shown!);
    const generator = join(tools.path, 'node_modules/openapi-typescript/bin/cli.js');
    await run(process.execPath, [generator, contract, '-o', join(cwd, 'openapi.d.ts')]);
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, types: ['node'], skipLibCheck: false };
    writeFileSync(join(cwd, 'package.json'), '{"type":"module"}\n');
    writeFileSync(join(cwd, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compile = () => run(process.execPath, [join(projectDir, 'node_modules/typescript/bin/tsc'), '-p', cwd]);
    await compile();
    const { stdout } = await run(process.execPath, [join(cwd, 'client.js'), url]);
    expect(stdout).toMatch(/^20 aircraft\nthe highest at \d{5} ft\n.*bad-value: hex cannot be "nonsense"/s);
    appendFileSync(join(cwd, 'client.ts'), FORBIDDEN);
    await compile();
  },
);
