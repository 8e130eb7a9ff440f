// The documents: README has at most 80 lines, the changelog at most 60 of a version, every relative link has a target, and every command and folder is named.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLoaders } from '../infra/cli/commands.ts';
import { rooms } from './rooms.ts';
import { projectFiles } from './support/project-files.ts';
import { projectDir } from './support/requirements.ts';

const README_LINES_MAX = 80;
const VERSION_LINES_MAX = 60;
const PICTURE_BYTES_MAX = 300_000;
const GUARANTEES_MAX = 65;
/** Names with a placeholder, files that programs write or other services have, and a subprotocol. */
const EXAMPLE_NAMES =
  /[A-Z]{2}|X-Y|…|^(aircraft(\.v2)?|index|receiver|stats|outline|simulation|address|log|manifest|openapi)\.json$|^x\.test\.ts$/;

const documents = projectFiles('*.md');
const textOf = (file: string): string => readFileSync(join(projectDir, file), 'utf8');
const withoutCode = (text: string): string => text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');

/** Anchors that GitHub derives from headings. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ (.*)$/gm)].map((match) => match[1]!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  );
}

/** The fault of a link; undefined for a valid one. */
function fault(file: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const full = path === '' ? join(projectDir, file) : join(projectDir, dirname(file), decodeURI(path));
  if (!existsSync(full)) return `${file}: ${target}`;
  if (anchor !== undefined && full.endsWith('.md') && !anchorsOf(readFileSync(full, 'utf8')).includes(anchor)) return `${file}: ${target}`;
  return undefined;
}

describe('the documents', () => {
  test(`README has at most ${README_LINES_MAX} lines and the two commands near its top`, () => {
    const lines = textOf('README.md').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(README_LINES_MAX);
    const top = lines.slice(0, 15);
    expect(top.some((line) => line.startsWith('npm ci && npm start '))).toBe(true);
    expect(top.some((line) => line.startsWith('npm test '))).toBe(true);
  });

  test(`CHANGELOG has at most ${VERSION_LINES_MAX} lines for a version`, () => {
    for (const version of textOf('CHANGELOG.md').split(/^## /m)) expect(version.split('\n').length).toBeLessThanOrEqual(VERSION_LINES_MAX);
  });

  test('every source file stands in the README of its room', () => {
    const sources = projectFiles('pipeline', 'query-api', 'push', 'exporters', 'schemas', 'infra').filter(
      (file) => /\.(ts|js|css|html|sh)$/.test(file) && !/\.(test|contract)\.ts$/.test(file),
    );
    const readmeOf = (folder: string): string =>
      documents.includes(`${folder}/README.md`) ? `${folder}/README.md` : readmeOf(dirname(folder));
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.filter((file) => !textOf(readmeOf(dirname(file))).includes(basename(file)))).toEqual([]);
  });

  test('every relative link leads to a file, and to a heading in it', () => {
    expect(documents.length).toBeGreaterThan(50);
    const faults = documents.flatMap((file) =>
      [...withoutCode(textOf(file)).matchAll(/\]\(([^)\s]+)\)/g)]
        .map((match) => match[1]!)
        .filter((target) => !/^[a-z]+:/.test(target))
        .flatMap((target) => fault(file, target) ?? []),
    );
    expect(faults).toEqual([]);
  });

  test('every source file that is named exists', () => {
    const sources = projectFiles();
    const exists = (name: string): boolean => sources.some((file) => file === name || file.endsWith(`/${name}`));
    const missing = documents
      .filter((file) => file !== 'CHANGELOG.md')
      .flatMap((file) =>
        [...textOf(file).matchAll(/`((?:[\w.-]+\/)*[a-z][\w.-]*\.(?:ts|json|yaml|service))`/g)]
          .map((match) => match[1]!.replace(/^(\.\.?\/)+/, ''))
          .filter((name) => !EXAMPLE_NAMES.test(name) && !exists(name))
          .map((name) => `${file}: ${name}`),
      );
    expect(missing).toEqual([]);
  });

  test('every page of docs/ is linked from README or from a page beside it', () => {
    const linked = documents
      .filter((file) => file === 'README.md' || file.startsWith('docs/'))
      .flatMap((file) => [...textOf(file).matchAll(/\]\(([^)\s#]+)/g)].map((match) => join(dirname(file), match[1]!)));
    expect(documents.filter((file) => file.startsWith('docs/') && !linked.includes(file))).toEqual([]);
  });

  test('docs/use/tools.md names every command of the command line', () => {
    const tools = textOf('docs/use/tools.md');
    expect(Object.keys(commandLoaders).filter((name) => !tools.includes(`| \`${name}`))).toEqual([]);
  });

  test('pictures are small and contain their words as text', () => {
    const folder = join(projectDir, 'docs/pictures');
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).size, name).toBeLessThan(PICTURE_BYTES_MAX);
    const picture = readFileSync(join(folder, 'architecture.svg'), 'utf8');
    for (const word of ['ingest', 'frames', 'fold', 'view', 'flights stage', 'flights<', 'flights.ended'])
      expect(picture).toMatch(new RegExp(`<text[^>]*>[^<]*${word}`));
    expect(picture).toContain('prefers-color-scheme: dark');
  });

  test('every folder with code has a README, or the one above describes it', () => {
    const folders = new Set(
      projectFiles('*.ts', '*.js', '*.go', '*.py')
        .filter((file) => file.split('/').length > 2)
        .map((file) => file.split('/').slice(0, 2).join('/')),
    );
    const explained = (folder: string): boolean =>
      existsSync(join(projectDir, folder, 'README.md')) || textOf(join(dirname(folder), 'README.md')).includes(`${basename(folder)}/`);
    expect([...folders].filter((folder) => !explained(folder))).toEqual([]);
  });

  test('test/GUARANTEES.md names suites that exist, and every suite of the rooms of guarantees', () => {
    const rows = textOf('test/GUARANTEES.md').match(/^\| (?!guarantee|---).*$/gm)!;
    expect(rows.length).toBeLessThanOrEqual(GUARANTEES_MAX);
    const named = new Set(rows.flatMap((row) => [...row.split(' | ')[1]!.matchAll(/`([\w/-]+)`/g)].map((match) => match[1]!)));
    const suites = ['contract', 'cluster', 'fault', 'e2e', 'sim', 'properties'].flatMap((room) =>
      readdirSync(join(projectDir, 'test', room))
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => `${room}/${file.replace('.test.ts', '')}`),
    );
    expect(suites.filter((suite) => !named.has(suite))).toEqual([]);
    expect([...named].filter((suite) => !existsSync(join(projectDir, 'test', `${suite}.test.ts`)))).toEqual([]);
  });

  test('the README of each room states what the room may import', () => {
    const stated = (file: string): string[] =>
      [...(/^May import: (.*?)\. Start/m.exec(textOf(file))?.[1] ?? '').matchAll(/`([\w/.-]+)`/g)].map((match) => match[1]!);
    const wrong: string[] = [];
    for (const room of Object.keys(rooms).filter(
      (name) => existsSync(join(projectDir, name, 'README.md')) && name.startsWith('pipeline/'),
    )) {
      const inRoom = Object.keys(rooms).filter((name) => name === room || name.startsWith(`${room}/`));
      const targets = new Set(
        ['schemas', ...inRoom.flatMap((name) => rooms[name]!)].map((name) => (name.startsWith(`${room}/`) ? room : name)),
      );
      // Files of a listed room need no mention; files of this room are named if only they may import something.
      const allowed = [...targets].filter((name) => name !== room && !(name.endsWith('.ts') && targets.has(dirname(name))));
      const found = stated(`${room}/README.md`).filter((name) => name.includes('/') || name === 'schemas');
      if (allowed.sort().join() !== found.sort().join()) wrong.push(`${room}/README.md: ${allowed.join(', ')}`);
    }
    expect(wrong).toEqual([]);
  });
});
