// The receiver table is bounded and reuses numbers.

import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { RECEIVER_UNKNOWN, ReceiverTable } from './receivers.ts';

it('keeps an id until its last release', () => {
  const table = new ReceiverTable();
  const one = table.take('one');
  expect(table.take('one')).toBe(one);
  table.release(one);
  expect(table.take('two')).not.toBe(one);
  table.release(one);
  expect(table.id(one)).toBe('one');
  expect(table.take('three')).toBe(one);
  expect(table.id(one)).toBe('three');
});

it('is bounded: a receiver that does not fit is unknown', () => {
  const table = new ReceiverTable();
  for (let i = 0; table.size < limits.receiversMax; i += 1) table.take(`r${i}`);
  expect(table.take('one more')).toBe(RECEIVER_UNKNOWN);
  expect(table.id(RECEIVER_UNKNOWN)).toBe('unknown');
  table.release(table.take('r7'));
  table.release(table.take('r7'));
  expect(table.take('one more')).toBe(RECEIVER_UNKNOWN);
});
