// Options of `squitter start`.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { retentionOf } from '../../pipeline/log/lmdb/retention.ts';
import { endpoint, optionsHelp, readOptions } from '../../pipeline/runtime/options.ts';
import { topicIds } from '../../schemas/topics.ts';
import { startCommand } from './start-command.ts';
import { bytesMaxOf, listenFlag, startOptions } from './start-options.ts';

const GIB = 1024 ** 3;

const bytesMax = (argv: readonly string[], env = {}) => bytesMaxOf(readOptions(startOptions, argv, env).options as never);

it('sets the size of every topic that has a size limit; the defaults are those of the log', () => {
  const defaults = topicIds.flatMap((topic) => {
    const { bytesMax } = retentionOf(topic, {});
    return bytesMax === null ? [] : [[topic, bytesMax]];
  });
  expect(bytesMax([])).toEqual(Object.fromEntries(defaults));
});

it('takes sizes from flags and variables', () => {
  expect(bytesMax(['--aircraft-gib', '2.5']).aircraft).toBe(2.5 * GIB);
  expect(bytesMax([], { SQUITTER_AIRCRAFT_GIB: '3', SQUITTER_FLIGHTS_ENDED_GIB: '0.5' })).toMatchObject({
    aircraft: 3 * GIB,
    flightsEnded: 0.5 * GIB,
  });
  const { problems } = readOptions(startOptions, ['--aircraft-gib', '0'], {});
  expect(problems.map(({ message }) => message).join()).toContain('--aircraft-gib');
  const help = optionsHelp(startOptions).replace(/\s+/g, ' ');
  expect(help).toContain('superseded states are removed sooner');
  expect(help).toContain('after 7 days, the oldest are deleted');
});

it('prints the flags for another feeder port that keep the simulation unchanged', () => {
  expect(listenFlag(null, 500)).toBe('--listen HOST:PORT --simulate 500');
  expect(listenFlag(null, 0)).toBe('--listen');
  expect(listenFlag(endpoint('127.0.0.1', 1), 500)).toBe('--listen');
});

it('checks the recording before anything starts', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-start-'));
  const dataDir = join(folder, 'data');
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'letter'), 'Dear receiver,\n');
  const start = (replay: string) => {
    const { options } = readOptions(startOptions, ['--data', dataDir, '--replay', replay], {});
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    return startCommand.run({ options: options as never, words: [], env: {}, stdin, stdout, stderr, signal });
  };
  await expect(start(join(folder, 'none'))).rejects.toMatchObject({ code: 'input.unreadable' });
  await expect(start(folder)).rejects.toMatchObject({ code: 'input.unreadable' });
  await expect(start(join(folder, 'empty'))).rejects.toMatchObject({ code: 'input.empty' });
  await expect(start(join(folder, 'letter'))).rejects.toMatchObject({ code: 'input.unknown_format' });
  expect(existsSync(dataDir)).toBe(false);
  rmSync(folder, { recursive: true });
});
