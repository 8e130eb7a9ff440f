// Options of `squitter start`.
import { expect, it } from 'vitest';
import { retentionOf } from '../../pipeline/log/lmdb/retention.ts';
import { optionsHelp, readOptions } from '../../pipeline/runtime/options.ts';
import { topicIds } from '../../schemas/topics.ts';
import { bytesMaxOf, startOptions } from './start-command.ts';

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
