// docs/use/push.md says what the contract says: filters, close codes, limits; its code is that of the examples.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '../../../../schemas/limits/index.ts';
import { type AfterClose, closeCodes } from '../../../../schemas/push.ts';
import { projectDir } from '../../../../test/support/requirements.ts';
import { filterSchema } from './filters.ts';

const textOf = (file: string): string => readFileSync(join(projectDir, file), 'utf8');
const text = textOf('docs/use/push.md');
/** Lines of the table with this heading. */
const table = (heading: string): string[] => text.slice(text.indexOf(heading)).split('\n\n')[0]!.split('\n').slice(2);

const actions: Readonly<Record<AfterClose, string>> = {
  resume: 'connect again, resume',
  wait: 'wait 10 s or more, connect again',
  fix: 'change the request first',
};

test('all filters and close codes', () => {
  const properties = filterSchema['properties'] as Readonly<Record<string, { description: string; examples: [unknown] }>>;
  const rows = Object.entries(properties).map(
    ([name, { description, examples }]) => `| \`${name}\` | ${description}, like \`${JSON.stringify(examples[0])}\` |`,
  );
  expect(table('| member | which aircraft |')).toEqual(rows);
  expect(table('| code | means | do |')).toEqual(closeCodes.map(({ code, means, next }) => `| ${code} | ${means} | ${actions[next]} |`));
});

test('the numbers of limits', () => {
  for (const part of [
    `${limits.pushMessagesPerSMax} messages and pings in a second, ${limits.pushMessageBytesMax / 1024} KiB each`,
    `${limits.pushFilterItemsMax} items in a list of a filter, ${limits.pushZonesMax} zones, ${limits.urlBytesMax / 1024} KiB of URL`,
    `${limits.pushTopicsMax.toLocaleString('en')} different filters`,
    `${limits.pushSocketBytesMax / 1024 ** 2} MiB queued for a client`,
    `stays behind for ${limits.pushBehindMsMax / 1000} s`,
    `${limits.pushPingsMissedMax === 2 ? 'two' : '?'} pings without a pong, ${limits.pushPingMs / 1000} s each`,
  ])
    expect(text).toContain(part);
});

test('its code is in an example that CI runs', () => {
  const examples = ['push-browser/index.html', 'push-node/client.mjs', 'push-python/client.py'].map((file) => textOf(`examples/${file}`));
  const blocks = [...text.matchAll(/```(?:js|python)\n([\s\S]*?)```/g)].map(([, code]) => code!);
  expect(blocks.length).toBeGreaterThan(0);
  for (const code of blocks) expect([code, examples.some((example) => example.includes(code))]).toEqual([code, true]);
});

test('clients stop at the codes that need another request', () => {
  const final = closeCodes.filter(({ code, next }) => next === 'fix' && code !== 1002).map(({ code }) => code);
  const wait = closeCodes.filter(({ next }) => next === 'wait').map(({ code }) => code);
  for (const file of ['examples/push-browser/index.html', 'examples/push-node/client.mjs', 'query-api/web/page/stream-client.ts'])
    expect([file, textOf(file).includes(`[${final.join(', ')}]`)]).toEqual([file, true]);
  for (const file of ['examples/push-browser/index.html', 'examples/push-node/client.mjs'])
    expect([file, textOf(file).includes(`[${wait.join(', ')}]`)]).toEqual([file, true]);
});
