// Mapping of failed disk calls, from Node and from LMDB, to errors of the catalogue.
import { describe, expect, test } from 'vitest';
import { SquitterError } from '../../../schemas/errors.ts';
import { causeOfCommit, logFailure } from './failures.ts';

const failed = (code: unknown, errno?: number) => Object.assign(new Error('what happened'), { code, errno });

describe('a failed call on the disk', () => {
  test.each([
    ['ENOSPC', 28, 'log.no_space', true],
    ['EDQUOT', 122, 'log.no_space', true],
    ['EMFILE', 24, 'log.no_descriptors', true],
    ['ENFILE', 23, 'log.no_descriptors', true],
    ['EIO', 5, 'log.io_failed', false],
    ['EROFS', 30, 'log.read_only', false],
  ])('%s is never damage', (name, errno, code, retriable) => {
    for (const error of [failed(name, -errno), failed(errno)])
      for (const otherwise of ['log.damaged', 'log.not_readable', 'log.not_writable'] as const) {
        const failure = logFailure('data/log', error, otherwise);
        expect([failure.code, failure.retriable]).toEqual([code, retriable]);
        expect(failure.message).toContain('data/log');
        expect(failure.message).toContain('what happened');
        expect(failure.message).not.toContain('damaged');
      }
  });

  test('another error number is not damage either', () => {
    expect(logFailure('log', failed('EACCES', -13), 'log.damaged').code).toBe('log.not_readable');
    expect(logFailure('log', failed(12), 'log.not_writable').code).toBe('log.not_writable');
  });

  test('damage is what LMDB reports as damage, and failures without a system call', () => {
    expect(logFailure('log', failed(-30796), 'log.not_writable').code).toBe('log.damaged');
    expect(logFailure('log', failed(-30790), 'log.not_writable').code).toBe('log.not_writable');
    expect(logFailure('log', new SyntaxError('no JSON'), 'log.damaged').code).toBe('log.damaged');
  });

  test('an error of the catalogue is unchanged', () => {
    const error = new SquitterError('log.closed');
    expect(logFailure('log', error, 'log.damaged')).toBe(error);
  });

  test('the cause of a failed commit is taken from the second promise of lmdb', async () => {
    const error = Object.assign(new Error('Commit failed'), { commitError: Promise.reject(failed(28)) });
    expect(logFailure('log', await causeOfCommit(error), 'log.not_writable').code).toBe('log.no_space');
    const plain = failed('EIO');
    expect(await causeOfCommit(plain)).toBe(plain);
  });
});
