// Log lines for programs and for people.
import { PassThrough } from 'node:stream';
import { pino, stdTimeFunctions } from 'pino';
import { expect, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { errorFields } from './error-fields.ts';
import { logTarget } from './log-lines.ts';

/** What a logger writes, on a terminal or not. */
function written(isTTY: boolean, log: (logger: ReturnType<typeof pino>) => void): string {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  log(pino({ base: null, timestamp: stdTimeFunctions.isoTime, serializers: { err: errorFields } }, logTarget(stderr)));
  return String(stderr.read());
}

test('a terminal gets words', () => {
  const text = written(true, (logger) => {
    logger.warn({ descriptors: 20_000, topics: ['frames'] }, 'the limit of open files is low (ulimit -n)');
    logger.info('stopping');
    logger.error({ err: new SquitterError('log.closed') }, 'a stage ended');
    logger.error({ err: new TypeError('x is not a function') }, 'a stage ended');
  });
  const lines = text.replaceAll(/^\d\d:\d\d:\d\d /gm, '').split('\n');
  expect(lines.slice(0, 4)).toEqual([
    'warning: the limit of open files is low (ulimit -n) (descriptors 20000, topics ["frames"])',
    'stopping',
    'error: a stage ended: the log is closed (type SquitterError, code log.closed)',
    'error: a stage ended: x is not a function (type TypeError)',
  ]);
  expect(lines[4]).toMatch(/^\s+at .*log-lines\.test/);
  expect(text).not.toContain('{');
});

test('a program gets JSON lines', () => {
  const text = written(false, (logger) => logger.warn({ descriptors: 20_000 }, 'low'));
  expect(JSON.parse(text)).toMatchObject({ level: 40, descriptors: 20_000, msg: 'low' });
});
