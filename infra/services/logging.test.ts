// Log lines for programs and for people: words on a terminal, each cause of an error once.
import { PassThrough } from 'node:stream';
import type { Logger } from 'pino';
import { expect, test } from 'vitest';
import { SquitterError } from '../../schemas/errors.ts';
import { errorFields, serviceLogger } from './logging.ts';

/** The output of a logger, on a terminal or not. */
function written(isTTY: boolean, log: (logger: Logger) => void): string {
  const stderr = Object.assign(new PassThrough(), { isTTY });
  log(serviceLogger(stderr, { base: null }));
  return String(stderr.read());
}

test('a terminal gets words, a program JSON lines', () => {
  const log = (logger: Logger): void => {
    logger.warn({ descriptors: 20_000, topics: ['frames'] }, 'low');
    logger.error({ err: new SquitterError('log.closed') }, 'a stage ended');
    logger.error({ err: new TypeError('x is not a function') }, 'a stage ended');
  };
  const lines = written(true, log)
    .replaceAll(/^\d\d:\d\d:\d\d /gm, '')
    .split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'warning: low (descriptors 20000, topics ["frames"])',
    'error: a stage ended: the log is closed (type SquitterError, code log.closed)',
    'error: a stage ended: x is not a function (type TypeError)',
  ]);
  expect(lines[3]).toMatch(/^\s+at .*logging\.test/);
  expect(JSON.parse(written(false, log).split('\n')[0]!)).toMatchObject({ level: 40, descriptors: 20_000, msg: 'low' });
});

test('an error has each cause once, whether or not its message contains it', () => {
  const refused = new Error('connect ECONNREFUSED 127.0.0.1:9092');
  const retries = Object.assign(new Error(refused.message, { cause: refused }), { name: 'KafkaJSNumberOfRetriesExceeded' });
  const error = new SquitterError('connect.failed', { address: 'Kafka (127.0.0.1:9092)', detail: retries.message }, retries);
  expect(JSON.stringify(errorFields(error)).match(/ECONNREFUSED/g)).toHaveLength(1);
  const wrapped = new Error('the view broke', { cause: new Error('a record is cut', { cause: retries }) });
  expect(errorFields(wrapped)).toMatchObject({
    message: 'the view broke',
    causes: ['a record is cut', 'connect ECONNREFUSED 127.0.0.1:9092'],
  });
  const round: Error & { cause?: unknown } = new Error('round');
  round.cause = round;
  expect(errorFields(round)).toMatchObject({ message: 'round' });
  expect(errorFields('text')).toEqual({ type: 'string', message: 'text' });
});
