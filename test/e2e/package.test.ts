// The published package: its content, and that it installs with the versions of our lock file and runs.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectDir } from '../support/requirements.ts';
import { freePortFlags, startService, temporaryFolder } from '../support/service.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const COPIED = [
  'dist',
  'infra/cli/squitter.sh',
  'query-api',
  'pipeline/reference',
  'schemas',
  'package.json',
  'package-lock.json',
  'CHANGELOG.md',
  'README.md',
  'LICENSE',
];

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

describe('the npm package', () => {
  const folder = temporaryFolder();
  const source = join(folder.path, 'source');
  let packed: Packed;
  let paths: string[];
  afterAll(folder.remove);

  beforeAll(async () => {
    mkdirSync(source);
    for (const name of COPIED) cpSync(join(projectDir, name), join(source, name), { recursive: true });
    // Already built: other tests run the programs in dist.
    const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    delete manifest.scripts['prepare'];
    writeFileSync(join(source, 'package.json'), JSON.stringify(manifest));
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder.path], { cwd: source });
    const [first] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m))) as Packed[] | Record<string, Packed>);
    packed = first!;
    paths = packed.files.map(({ path }) => path);
  });

  test('has the programs, the pages and the viewer of the API, and no tests', () => {
    for (const path of [
      'dist/infra/cli/squitter.js',
      'infra/cli/squitter.sh',
      'dist/web/index.html',
      'dist/web/stream.html',
      'dist/web/stream/decoder.js',
      'dist/web/docs/viewer.js',
      'npm-shrinkwrap.json',
    ])
      expect(paths).toContain(path);
    expect(paths.filter((path) => /(^|\/)test\/|\.test\./.test(path))).toEqual([]);
    // It is made for the package alone.
    expect(existsSync(join(source, 'npm-shrinkwrap.json'))).toBe(false);
  });

  test('installs the versions of the lock file without a warning about engines, and runs', async () => {
    const app = join(folder.path, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true}\n');
    const tarball = join(folder.path, packed.filename);
    const { stderr } = await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', tarball], { cwd: app });
    expect(stderr).not.toContain('EBADENGINE');
    const versionOf = (lock: string, name: string): string | undefined =>
      (JSON.parse(readFileSync(lock, 'utf8')) as { packages: Record<string, { version: string }> }).packages[name]?.version;
    // Decided by an override, which npm reads only from a shrinkwrap.
    for (const name of ['light-my-request', 'msgpackr-extract']) {
      const installed = ['node_modules/squitter/node_modules', 'node_modules']
        .map((path) => join(app, path, name, 'package.json'))
        .find((file) => existsSync(file))!;
      const { version } = JSON.parse(readFileSync(installed, 'utf8')) as { version: string };
      expect([name, version]).toEqual([name, versionOf(join(projectDir, 'package-lock.json'), `node_modules/${name}`)]);
    }
    const { version } = JSON.parse(readFileSync(join(projectDir, 'package.json'), 'utf8')) as { version: string };
    const printed = await run(join(app, 'node_modules/.bin/squitter'), ['--version']);
    expect(printed.stdout).toMatch(new RegExp(`^squitter ${version.replaceAll('.', '\\.')} `));
  });

  // Uses the installation of the test before.
  test('says what is missing of an installation', async () => {
    const app = join(folder.path, 'app');
    const start = ['start', '--data', join(folder.path, 'data'), '--no-history', ...freePortFlags, '--http', '127.0.0.1:0'];
    const [file, module] = ['LICENSE', 'dist/chunks/main.js'].map((path) => join(app, 'node_modules/squitter', path));
    rmSync(file!);
    const ended = await run(join(app, 'node_modules/.bin/squitter'), start).catch((error: { stderr: string }) => error);
    expect(ended.stderr).toMatch(
      /^squitter: the installation is incomplete: LICENSE is missing\. Install Squitter again \[install\.incomplete\]$/m,
    );
    expect(ended.stderr).not.toMatch(/^\s+at /m);
    rmSync(module!);
    await expect(run(join(app, 'node_modules/.bin/squitter'), ['--version'])).rejects.toMatchObject({
      stderr: expect.stringMatching(/^squitter: the installation is incomplete: Cannot find module .*main\.js.*\[install\.incomplete\]\n$/),
    });
  });

  test('installs below 200 MB without its optional packages, has live aircraft and streams, and says what is missing', async () => {
    const app = join(folder.path, 'light');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"private":true}\n');
    // The command of README.md.
    const [command = ''] = /^npm install .*--omit=optional.*(?= {4}#)/m.exec(readFileSync(join(projectDir, 'README.md'), 'utf8'))!;
    const words = command.replace('squitter-0.1.0.tgz', join(folder.path, packed.filename)).replace('linux-x64', `linux-${process.arch}`);
    await run('npm', [...words.trim().split(' ').slice(1), '--no-audit', '--no-fund'], { cwd: app });
    const { stdout } = await run('du', ['-sm', 'node_modules'], { cwd: app });
    expect(Number.parseInt(stdout, 10)).toBeLessThan(200);

    // A variable of the tests turns the history off.
    const env = { SQUITTER_NO_HISTORY: '' };
    const program = [join(app, 'node_modules/.bin/squitter')];
    const service = await startService(join(folder.path, 'light-data'), ['--simulate', '20'], env, undefined, [], program);
    try {
      expect(service.output()).toMatch(/^ {2}push port .*, ws .*\(uWebSockets\.js is not installed\)$/m);
      expect(service.output()).toMatch(/^ {2}history +none: .*chdb/m);
      expect(service.output()).toMatch(/^ {2}daily files +none: DuckDB is not installed$/m);
      await until(async () => (await service.json<{ total: number }>('/v2/all')).total > 0, 'aircraft');
      const events = await service.get('/v2/stream');
      const { value } = await events.body!.getReader().read();
      expect([events.status, Buffer.from(value!).toString()]).toEqual([200, expect.stringContaining('event: ')]);
    } finally {
      expect(await service.stop(), service.output()).toBe(0);
    }
  });

  test('no package of our lock file runs telemetry during installation', () => {
    const lock = JSON.parse(readFileSync(join(projectDir, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { hasInstallScript?: boolean }>;
    };
    const scripts = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect(
      scripts
        .map(([path]) => path.replace(/^.*node_modules\//, ''))
        .filter((name) => name !== '')
        .sort(),
      // buf chooses its program.
      // The script of chdb is empty.
    ).toEqual(['@bufbuild/buf', 'chdb', 'lmdb', 'msgpackr-extract', 'protobufjs']);
  });
});
