// Options of `squitter start`.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { retentionOf } from '../../pipeline/log/lmdb/retention.ts';
import { readOptions } from '../../pipeline/runtime/options.ts';
import { topicIds } from '../../schemas/topics.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { startCommand } from './start-command.ts';
import { bytesMaxOf, foldThreadsOf, startOptions } from './start-options.ts';

const folder = folderOfTest();
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
  const { problems } = readOptions(startOptions, ['--aircraft-gib', '0'], {});
  expect(problems).toMatchObject([{ message: expect.stringContaining('--aircraft-gib') }]);
});

it('folds with a quarter of the processors, at most 8, or as many threads as requested', () => {
  const byDefault = [1, 2, 3, 4, 16, 64].map((processors) => foldThreadsOf({ foldThreads: null }, processors));
  expect(byDefault).toEqual([1, 1, 1, 1, 4, 8]);
  expect(foldThreadsOf({ foldThreads: 3 }, 2)).toBe(3);
});

it('checks the recording before anything starts', async () => {
  const { path } = folder;
  const dataDir = join(path, 'data');
  writeFileSync(join(path, 'empty'), '');
  writeFileSync(join(path, 'diary'), 'Dear diary,\n');
  const start = (replay: string) => {
    const { options } = readOptions(startOptions, ['--data', dataDir, '--replay', replay], {});
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    return startCommand.run({ options: options as never, words: [], env: {}, stdin, stdout, stderr, signal });
  };
  for (const [file, code] of Object.entries({ none: 'unreadable', '.': 'unreadable', empty: 'empty', diary: 'unknown_format' }))
    await expect(start(join(path, file))).rejects.toMatchObject({ code: `input.${code}` });
  expect(existsSync(dataDir)).toBe(false);
});
