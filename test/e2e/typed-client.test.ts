// The typed client of examples/typed-client, and the one that docs/use/api.md shows: their types are generated from the contract, they compile, and the first calls the service.
import { execFile, execFileSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../support/live-view.ts';
import { nodeToolsWith } from '../support/node-tools.ts';
import { projectDir } from '../support/requirements.ts';

// The generator needs the compiler API, which TypeScript 7 does not have.
const tools = nodeToolsWith('openapi-typescript@7.13.0', 'typescript@5.9.3');
/** Inside the project, so that packages are found. */
const folder = join(projectDir, '.cache/typed-client');
const run = promisify(execFile);

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

describe.skipIf(!tools.met)(`the typed client ${tools.reason}`, () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await createTestApi(20);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    cpSync(join(projectDir, 'examples/typed-client/client.ts'), join(folder, 'client.ts'));
    const [, shown] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(projectDir, 'docs/use/api.md'), 'utf8'))!;
    writeFileSync(join(folder, 'shown.ts'), shown!);
    const generator = join(tools.path, 'node_modules/openapi-typescript/bin/cli.js');
    execFileSync(process.execPath, [generator, join(projectDir, 'schemas/api/openapi.json'), '-o', join(folder, 'openapi.d.ts')], {
      stdio: 'pipe',
    });
    const compilerOptions = { target: 'es2022', module: 'nodenext', strict: true, types: ['node'], skipLibCheck: false };
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  });
  afterAll(() => api.app.close());

  const compile = (): void =>
    void execFileSync(process.execPath, [join(projectDir, 'node_modules/typescript/bin/tsc'), '-p', folder], { stdio: 'pipe' });

  test('compiles, as the lines of docs/use/api.md do, and calls the service', async () => {
    compile();
    await api.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = api.app.server.address() as AddressInfo;
    const { stdout } = await run(process.execPath, [join(folder, 'client.js'), `http://127.0.0.1:${port}`]);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toBe('20 aircraft');
    expect(lines[1]).toMatch(/^the highest at \d{5} ft$/);
    expect(lines.at(-1)).toMatch(/^bad-value: hex cannot be "nonsense"/);
  });

  test('calls outside the contract do not compile', () => {
    appendFileSync(join(folder, 'client.ts'), FORBIDDEN);
    expect(compile).not.toThrow();
  });
});
