// Mapping of failed disk calls, from Node and from LMDB, to errors of the catalogue.
import { expect, test } from 'vitest';
import { logFailure } from './failures.ts';

const failed = (code: unknown, errno?: number) => Object.assign(new Error('what happened'), { code, errno });

test.each<[string | number | undefined, number | undefined, Parameters<typeof logFailure>[2], string]>([
  ['ENOSPC', -28, 'log.damaged', 'log.no_space'],
  ['EDQUOT', -122, 'log.not_writable', 'log.no_space'],
  ['EMFILE', -24, 'log.damaged', 'log.no_descriptors'],
  ['ENFILE', -23, 'log.not_readable', 'log.no_descriptors'],
  ['EIO', -5, 'log.damaged', 'log.io_failed'],
  ['EROFS', -30, 'log.not_writable', 'log.read_only'],
  // LMDB has the number as its code.
  [28, undefined, 'log.damaged', 'log.no_space'],
  // Another number is no damage either.
  ['EACCES', -13, 'log.damaged', 'log.not_readable'],
  [12, undefined, 'log.not_writable', 'log.not_writable'],
  // Errors that LMDB reports as damage, and errors that do not come from a system call.
  [-30796, undefined, 'log.not_writable', 'log.damaged'],
  [-30790, undefined, 'log.not_writable', 'log.not_writable'],
  [undefined, undefined, 'log.damaged', 'log.damaged'],
])('a call that fails with %s (%s), else %s, is %s', (code, errno, otherwise, expected) => {
  const failure = logFailure('data/log', failed(code, errno), otherwise);
  expect(failure.code).toBe(expected);
  expect(failure.message).toMatch(/data\/log.*what happened/);
});
