// Options of `squitter start`.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { retentionOf } from '../../pipeline/log/lmdb/retention.ts';
import { readOptions } from '../../pipeline/runtime/options.ts';
import { topicIds } from '../../schemas/topics.ts';
import { startCommand } from './start-command.ts';
import { bytesMaxOf, startOptions } from './start-options.ts';

const GIB = 1024 ** 3;

const bytesMax = (argv: readonly string[], env = {}) => bytesMaxOf(readOptions(startOptions, argv, env).options as never);

it('sets the size of every topic that has a size limit, by flags and variables; the defaults are those of the log', () => {
  const defaults = topicIds.flatMap((topic) => {
    const { bytesMax } = retentionOf(topic, {});
    return bytesMax === null ? [] : [[topic, bytesMax]];
  });
  expect(bytesMax([])).toEqual(Object.fromEntries(defaults));
  const sizes = bytesMax(['--aircraft-gib', '2.5'], { SQUITTER_AIRCRAFT_GIB: '3', SQUITTER_FLIGHTS_ENDED_GIB: '0.5' });
  expect(sizes).toMatchObject({ aircraft: 2.5 * GIB, flightsEnded: 0.5 * GIB });
  expect(
    readOptions(startOptions, ['--aircraft-gib', '0'], {})
      .problems.map(({ message }) => message)
      .join(),
  ).toContain('--aircraft-gib');
});

it('checks the recording before anything starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-start-'));
  const dataDir = join(folder, 'data');
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'diary'), 'Dear diary,\n');
  const start = (replay: string) => {
    const { options } = readOptions(startOptions, ['--data', dataDir, '--replay', replay], {});
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    return startCommand.run({ options: options as never, words: [], env: {}, stdin, stdout, stderr, signal });
  };
  for (const [file, code] of Object.entries({ none: 'unreadable', '.': 'unreadable', empty: 'empty', diary: 'unknown_format' }))
    await expect(start(join(folder, file))).rejects.toMatchObject({ code: `input.${code}` });
  expect(existsSync(dataDir)).toBe(false);
  rmSync(folder, { recursive: true });
});
