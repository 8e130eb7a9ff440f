// Flags, environment and defaults of a command come from one table.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import {
  type Endpoint,
  integerBetween,
  numberBetween,
  optionsHelp,
  parseCoordinates,
  parseEndpoint,
  parseOptions,
  readOptions,
  shownValue,
} from './options.ts';

const endpoint = { value: 'HOST:PORT', help: 'where', parse: parseEndpoint } as const;
const table = {
  data: { flag: 'data', value: 'DIR', env: 'T_DATA', help: 'folder', fallback: './data' },
  count: { flag: 'count', value: 'N', env: 'T_COUNT', help: 'how many', fallback: 3, parse: integerBetween(1, 9) },
  feed: { ...endpoint, flag: 'feed', env: 'T_FEED', repeatable: true, fallback: [] as Endpoint[] },
  quiet: { flag: 'quiet', env: 'T_QUIET', help: 'say less', fallback: false as boolean },
} as const;
const positions = {
  position: { ...endpoint, flag: 'position', env: 'T_POSITION', required: true, fallback: null as Endpoint | null },
  password: { value: 'SECRET', env: 'T_PASSWORD', secret: true, help: 'password', fallback: null as string | null },
} as const;

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof SquitterError) return error.code;
    throw error;
  }
  return 'none';
};

describe('parseOptions', () => {
  it('uses defaults, then the environment, then flags', () => {
    expect(parseOptions(table, [], {}).options).toMatchObject({ data: './data', count: 3, feed: [], quiet: false });
    expect(parseOptions(table, [], { T_COUNT: '5', T_QUIET: 'true' }).options).toMatchObject({ count: 5, quiet: true });
    expect(parseOptions(table, ['--count', '7'], { T_COUNT: '5' }).options.count).toBe(7);
    const { options, origins } = parseOptions(table, ['--count=8'], { T_QUIET: '1' });
    expect(options.count).toBe(8);
    expect(origins).toEqual({ data: 'default', count: '--count', feed: 'default', quiet: 'T_QUIET' });
  });

  it('collects repeated flags; flags replace the list from the environment', () => {
    const { options } = parseOptions(table, ['--feed', 'a:1', '--feed', '[::1]:2'], { T_FEED: 'b:3' });
    expect(options.feed.map(String)).toEqual(['a:1', '[::1]:2']);
    expect(parseOptions(table, [], { T_FEED: 'b:3, c:4' }).options.feed.map(String)).toEqual(['b:3', 'c:4']);
  });

  it.each([
    [['--cuont', '3'], 'usage.unknown_flag'],
    [['--count', '10'], 'usage.bad_value'],
    [['--count', '1.5'], 'usage.bad_value'],
    [['--count'], 'usage.missing_argument'],
    [['--quiet=yes'], 'usage.bad_value'],
    [['--feed', 'a:70000'], 'usage.bad_value'],
  ])('refuses %j with %s', (argv, code) => {
    expect(codeOf(() => parseOptions(table, argv, {}))).toBe(code);
  });
});

describe('secrets, required options and origins', () => {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-options-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'password');
  writeFileSync(file, 'from a file\n');

  it('read a secret from its variable or from a file, never from a flag', () => {
    const env = { T_POSITION: 'a:1' };
    expect(parseOptions(positions, [], { ...env, T_PASSWORD: 'plain' }).options.password).toBe('plain');
    const { options, origins } = parseOptions(positions, [], { ...env, T_PASSWORD_FILE: file });
    expect([options.password, origins.password]).toEqual(['from a file', 'T_PASSWORD_FILE']);
    expect(codeOf(() => parseOptions(positions, ['--password', 'x'], env))).toBe('usage.unknown_flag');
    expect(codeOf(() => parseOptions(positions, [], { ...env, T_PASSWORD: 'x', T_PASSWORD_FILE: file }))).toBe('usage.bad_value');
    expect(codeOf(() => parseOptions(positions, [], { ...env, T_PASSWORD_FILE: join(folder, 'none') }))).toBe('usage.bad_value');
  });

  it('never print a secret', () => {
    expect(shownValue(positions.password, 'plain')).toBe('********');
    expect(optionsHelp(positions)).toMatch(/T_PASSWORD +password \(or T_PASSWORD_FILE\)/);
    const strict = { secret: { ...positions.password, parse: integerBetween(1, 2) } };
    expect(() => parseOptions(strict, [], { T_PASSWORD: 'plain' })).toThrow(/^(?!.*plain)/);
  });

  it('collect all errors', () => {
    const { problems, options } = readOptions({ ...table, ...positions }, ['--nope', '--count', 'x'], { T_FEED: 'nowhere' });
    expect(problems.map(({ code }) => code)).toEqual([
      'usage.bad_value',
      'usage.unknown_flag',
      'usage.bad_value',
      'usage.missing_argument',
    ]);
    expect(options.count).toBe(3);
  });

  it('keep flags of another table among the words on request', () => {
    expect(parseOptions(table, ['check', '--other', '1', '--quiet'], {}, true)).toMatchObject({
      words: ['check', '--other', '1'],
      options: { quiet: true },
    });
  });
});

it.each<[(text: string) => unknown, readonly [string, unknown][], readonly string[]]>([
  [
    // A bare port means this machine.
    (text) => String(parseEndpoint(text)),
    [
      ['8080', '127.0.0.1:8080'],
      ['[::1]:80', '[::1]:80'],
    ],
    ['', 'host', 'host:', 'a:b:1', '1:99999'],
  ],
  [parseCoordinates, [['-33.9,151.2', { lat: -33.9, lon: 151.2 }]], ['1', '1,2,3', '91,0', '0,181', 'a,b', ',']],
  [numberBetween(0, 1), [['0.5', 0.5]], ['']],
])('reads a value, and refuses others: %o', (parse, values, bad) => {
  for (const [text, value] of values) expect(parse(text)).toEqual(value);
  for (const text of bad) expect(() => parse(text), text).toThrow();
});
