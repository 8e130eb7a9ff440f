// House rules as a test: import directions, determinism, entry files, dead files. `biome.json` has those on sizes and on `console`.
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorKinds } from '../schemas/errors.ts';
import { limits } from '../schemas/limits/index.ts';
import { rooms } from './rooms.ts';
import { projectFiles } from './support/project-files.ts';

/** Classes of the language whose objects are plain data or do not change. */
const PLAIN =
  /^(Map|Set|WeakMap|WeakSet|Array|URL|RegExp|Error|TextEncoder|TextDecoder|DataView|ArrayBuffer|\w+(?:8|16|32|64)(?:Clamped)?Array)$/;
const CHANGING = 'push|pop|shift|unshift|splice|sort|reverse|fill|set|add|delete|clear|copyWithin';
const MEMBERS = String.raw`(?:!?\.\w+!?|!?\[[^\]]*\]!?)`;

/** Names at the top level of a file that are variables, objects of a class of ours, or data that a function changes. `source` has no comments. */
function moduleState(source: string): string[] {
  // Loops and conditions at the top level fill tables while the module is loaded.
  const code = source.replace(/^(?:for|while|if) .*\n(?:[ \t].*\n)*/gm, '');
  const found = new Set<string>();
  for (const [, kind, names = '', value = ''] of code.matchAll(
    /^(?:export )?(const|let|var) (\w+|[{[][^=]*[}\]])[^=\n]*(?:=\s*(.*))?$/gm,
  )) {
    const ownClass = /^new (\w+)/.exec(value)?.[1];
    for (const [, name] of names.matchAll(/(\w+)\s*(?=[,}\]]|$)/g)) {
      const changes = new RegExp(
        String.raw`^[ \t].*(?<![\w.'$])(?:${name}${MEMBERS}*\.(?:${CHANGING})\(|${name}${MEMBERS}+ (?:[-+*/|&^]|<<|>>|\?\?)?=(?!=)|${name}${MEMBERS}+(?:\+\+|--)|delete ${name}${MEMBERS})`,
        'm',
      );
      if (kind !== 'const' || (ownClass !== undefined && !PLAIN.test(ownClass)) || changes.test(code)) found.add(name!);
    }
  }
  return [...found].sort();
}

const LIMITS = 'schemas/limits/';

/** Geometry by the runtime's `Math`: not for decode and fold. */
const inexact = ['pipeline/geo/sphere.ts', 'pipeline/geo/great-circle.ts'];

/**
 * State that modules may have, with the reason. All other state is in objects that are passed.
 */
const moduleStateAllowed: Readonly<Record<string, readonly string[]>> = {
  // The offsets are assigned while the file is loaded and then stay the same.
  'pipeline/fold/layout.ts': ['fields', 'record'],
  // Scratch of one call in the frame loop, which runs in one thread.
  'pipeline/fold/undo.ts': ['keptSources', 'keptWords'],
  'pipeline/geo/magnetic-model.ts': ['powers', 'query'],
  // A message port without a listener.
  'pipeline/runtime/free-buffer.ts': ['freeing', 'port2'],
  // One object for the process that keeps its shape in V8.
  'pipeline/runtime/next-tick.ts': ['retained'],
  // A list that nothing changes.
  'pipeline/runtime/plain-address.ts': ['PRIVATE'],
};

/** Files that are started, and the shared entry of the cluster: only they may read the environment or end the process. */
const entries = [
  'infra/cli/main.ts',
  'infra/cli/run-command.ts',
  'infra/cli/squitter.ts',
  ...['ingest', 'project', 'stages'].map((name) => `infra/embedded/${name}-thread.ts`),
  'infra/history-store/store-process.ts',
  'infra/past/fold-thread.ts',
  'infra/past/sky-thread.ts',
  'pipeline/tools/audit/thread.ts',
  'test/bench/run.ts',
  'test/proof/run.ts',
  'test/runner/run.ts',
  'test/soak/run.ts',
  'test/soak/subscribers.ts',
  'vitest.config.ts',
  ...[...readFileSync('query-api/web/build.js', 'utf8').matchAll(/`\$\{WEB\}(\S+\.ts)`/g)].map(([, file]) => `query-api/web${file}`),
];

const files = projectFiles('*.ts');
const isTest = (file: string): boolean => file.startsWith('test/') || /\.(test|contract)\.ts$/.test(file);
const source = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
const shipped = files.filter((file) => !isTest(file) && !file.startsWith('examples/') && file !== 'vitest.config.ts');

/** The code without comments, so that rules read code only. */
const codes = new Map([...source].map(([file, text]) => [file, text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '')]));
const codeOf = (file: string): string => codes.get(file)!;

/** Files that a file imports, also for types. */
function importsOf(file: string): string[] {
  const found = [...codeOf(file).matchAll(/(?:from\s+|import\s*\(\s*|import\s+)'(\.[^']+)'/g)].map((match) => match[1]!);
  return found.map((path) => normalize(join(dirname(file), path)).replace(/\.js$/, '.ts'));
}

function roomOf(file: string): string | undefined {
  return Object.keys(rooms)
    .filter((room) => file === room || file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];
}

describe('the house', () => {
  it('has a room for every shipped file', () => {
    expect(shipped.filter((file) => roomOf(file) === undefined)).toEqual([]);
  });

  it('imports in the direction of the data only', () => {
    const wrong: string[] = [];
    for (const file of shipped) {
      const room = roomOf(file)!;
      const allowed = room === 'infra' ? Object.keys(rooms) : ['schemas', room, ...rooms[room]!];
      for (const target of importsOf(file))
        if (!allowed.includes(target) && !allowed.includes(roomOf(target)!)) wrong.push(`${file} imports ${target}`);
    }
    expect(wrong).toEqual([]);
  });

  it('has an observer of simulated traffic that shares no code with decode and fold', () => {
    const observer = files.filter((file) => file.startsWith('test/proof/observer/'));
    expect(observer.filter((file) => importsOf(file).some((target) => /^pipeline\/(decode|fold)\//.test(target)))).toEqual([]);
  });

  it('has no import cycle, not even of types', () => {
    // Files whose imports are all left out are left out; cycles remain, and what imports them.
    const left = new Set(shipped);
    for (let before = Number.NaN; before !== left.size; ) {
      before = left.size;
      for (const file of left) if (!importsOf(file).some((target) => left.has(target))) left.delete(file);
    }
    expect([...left]).toEqual([]);
  });

  it('has no two folders that need each other, except a folder and those in it', () => {
    const needs = shipped.flatMap((file) => importsOf(file).map((target) => [dirname(file), dirname(target)] as const));
    const known = new Set(needs.map((pair) => pair.join(' ')));
    const isWithin = (inner: string, outer: string): boolean => `${inner}/`.startsWith(`${outer}/`);
    const circles = needs.filter(([a, b]) => known.has(`${b} ${a}`) && !isWithin(a, b) && !isWithin(b, a));
    expect([...new Set(circles.map((pair) => pair.join(' ')))]).toEqual([]);
  });

  it('has no state in modules except the listed', () => {
    const states = shipped.map((file) => [file, moduleState(codeOf(file))] as const).filter(([, names]) => names.length > 0);
    expect(Object.fromEntries(states)).toEqual(moduleStateAllowed);
  });

  it('states no limit twice', () => {
    const stated = files
      .filter((file) => file.startsWith(LIMITS))
      .flatMap((file) => [...codeOf(file).matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!));
    expect(stated.filter((name, i) => stated.indexOf(name) !== i)).toEqual([]);
    expect(new Set(stated)).toEqual(new Set(Object.keys(limits)));
    const camel = (name: string): string => name.toLowerCase().replace(/_(\w)/g, (_, character: string) => character.toUpperCase());
    const serverOption =
      /\b(?:requestTimeout|headersTimeout|keepAliveTimeout|connectionsCheckingInterval|maxHeaderSize|maxConnections|bodyLimit)\s*[:=]\s*\d/;
    const again: string[] = [];
    for (const file of shipped.filter((name) => !name.startsWith(LIMITS))) {
      const code = codeOf(file);
      for (const [, name] of code.matchAll(/\bconst ([A-Z][A-Z\d_]+)\b[^=\n]*=\s*[\d_]+\b/g))
        if (camel(name!) in limits) again.push(`${file}: ${name}`);
      if (serverOption.test(code)) again.push(`${file}: an option of a server`);
    }
    expect(again).toEqual([]);
  });

  it('keeps limits in schemas/limits', () => {
    // Numbers of formats, physics and rules stand beside their code; what a page shows is its own business.
    const numbers = /^(pipeline\/(aircraft|avro|decode|flights|fold|geo|simulate|tracks)|query-api\/web)\//;
    const bounds = shipped.filter((file) => !file.startsWith(LIMITS) && !numbers.test(file));
    const found = bounds.flatMap((file) =>
      [...codeOf(file).matchAll(/^(?:export )?const ([A-Z][A-Z\d_]*_(?:MAX|MIN))\b[^=\n]*= *[-\d]/gm)].map(
        ([, name]) => `${file}: ${name}`,
      ),
    );
    expect(found).toEqual([]);
  });

  it('has no HTTP in queries and access, and fastify only in the HTTP layer', () => {
    const served = /^(query-api\/http|infra)\//;
    expect(shipped.filter((file) => !served.test(file) && codeOf(file).includes("from 'fastify'"))).toEqual([]);
    const apart = shipped.filter((file) => /^query-api\/(queries|access)\//.test(file));
    expect(apart.filter((file) => /from 'node:(http|https|net|tls)'/.test(codeOf(file)))).toEqual([]);
  });

  it('reads no clock, no randomness and no platform-dependent maths in decode and fold', () => {
    const forbidden =
      /\bDate\b|\bperformance\b|\bhrtime\b|Math\.(random|sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|exp|expm1|log|log10|log2|log1p|pow|cbrt|hypot)\b|\*\*|\bsetTimeout\b|\bsetInterval\b/;
    const decoding = shipped.filter((file) => /^pipeline\/(decode|fold)\//.test(file));
    const pure = [...decoding, ...shipped.filter((file) => file.startsWith('pipeline/geo/') && !inexact.includes(file))];
    expect(pure.length).toBeGreaterThan(10);
    expect(pure.filter((file) => forbidden.test(codeOf(file)))).toEqual([]);
    expect(decoding.filter((file) => importsOf(file).some((target) => inexact.includes(target)))).toEqual([]);
  });

  it('reads the environment and ends the process in entry files only', () => {
    const forbidden = /process\.(env|argv|exit|exitCode|on)\b/;
    // It sets a variable that the native code of a package reads while it loads.
    const exempt = [...entries, 'push/transport/uws-native.ts'];
    expect(shipped.filter((file) => !exempt.includes(file) && forbidden.test(codeOf(file)))).toEqual([]);
  });

  it('has no dead files: every shipped file is imported or is an entry', () => {
    const imported = new Set(files.flatMap((file) => importsOf(file)));
    expect(shipped.filter((file) => !imported.has(file) && !entries.includes(file))).toEqual([]);
  });

  it('uses every limit and every error code', () => {
    // A limit that an algorithm keeps implicitly is asserted in a test.
    const code = files
      .filter((file) => !file.startsWith(LIMITS) && file !== 'schemas/errors.ts')
      .map(codeOf)
      .join('\n');
    const words = new Set(code.match(/\w+/g));
    expect(Object.keys(limits).filter((name) => !words.has(name))).toEqual([]);
    expect(Object.keys(errorKinds).filter((name) => !code.includes(`'${name}'`))).toEqual([]);
  });

  it('opens every file with its purpose', () => {
    expect(files.filter((file) => !/^(#!.*\n\n?)?\/\/ \S/.test(source.get(file)!))).toEqual([]);
  });

  it('has no path of one machine', () => {
    expect(files.filter((file) => /['"`]\/(work|root|home|farm)\//.test(source.get(file)!))).toEqual([]);
  });
});
