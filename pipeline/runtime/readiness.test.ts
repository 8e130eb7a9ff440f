// Named checks: a reason makes the service not ready, a warning does not.
import { expect, it } from 'vitest';
import { Readiness } from './readiness.ts';

it('is ready when no required check has a reason', () => {
  let behind: string | null = null;
  const readiness = new Readiness().require('lag', () => behind).require('disk', () => null);
  readiness.warn('clock', () => 'event time is 3 s ahead');
  expect(readiness.reasons()).toEqual([]);
  expect(readiness.warnings()).toEqual(['event time is 3 s ahead']);
  behind = '9 s behind';
  expect(readiness.reasons()).toEqual(['9 s behind']);
  expect(() => readiness.require('lag', () => null)).toThrow('two checks named lag');
});
