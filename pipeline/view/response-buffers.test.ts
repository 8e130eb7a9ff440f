// Memory of lists: reused, kept within a limit, freed at once beyond it.
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits.ts';
import { ResponseBuffers } from './response-buffers.ts';

it('reuses a buffer, keeps spares within their limit and frees the others', () => {
  const buffers = new ResponseBuffers();
  const one = buffers.take(20_000);
  expect(one.length).toBe(32 * 1024);
  buffers.give(one);
  expect(buffers.take(30_000)).toBe(one);
  const size = 2 * 1024 * 1024;
  const kept = limits.responseBuffersSpareBytesMax / size;
  const large = Array.from({ length: kept + 3 }, () => buffers.take(size));
  for (const buffer of large) buffers.give(buffer);
  expect(large.map(({ length }) => length)).toEqual([...Array(kept).fill(size), 0, 0, 0]);
  expect(large).toContain(buffers.take(size));
});
