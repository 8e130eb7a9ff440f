// The store uses fewer sessions, threads and bytes with few descriptors, and with little memory.
import { expect, it } from 'vitest';
import { isSmallMemory, memoryBytes } from '../../pipeline/runtime/memory.ts';
import { limits } from '../../schemas/limits/index.ts';
import { sharesOf, storeMemoryBytes } from './shares.ts';
import { storeEnvironment } from './store-child.ts';

const GIB = 1024 ** 3;

it('has the memory of the machine, or of its control group if that has less', () => {
  const [none, unlimited] = [0, 2 ** 63];
  expect([none, unlimited, GIB].map((groupLimit) => memoryBytes(4 * GIB, groupLimit))).toEqual([4 * GIB, 4 * GIB, GIB]);
  expect([0.9, 1.8, 3.7].map((gib) => isSmallMemory(gib * GIB))).toEqual([true, true, false]);
});

it('takes less with little memory: fewer readers, threads and arenas, and a quarter of the memory', () => {
  const ample = { readers: 6, isFew: false };
  expect(sharesOf(limits.storeDescriptorsAmple, 6, false)).toMatchObject(ample);
  expect(sharesOf(null, 6, true)).toMatchObject({ readers: limits.storeFewReaders, isFew: true });
  expect([1, 2, 64].map((gib) => storeMemoryBytes(gib * GIB))).toEqual([GIB / 4, GIB / 2, limits.storeMemoryBytesMax]);
  expect([true, false].map((isSmall) => storeEnvironment(isSmall)['UV_THREADPOOL_SIZE'])).toEqual(['5', '12']);
});

it('takes less with few descriptors, and does not start with fewer than it needs', () => {
  expect(sharesOf(limits.storeDescriptorsAmple - 1, 6, false)).toMatchObject({
    readers: limits.storeFewReaders,
    isFew: true,
  });
  expect(sharesOf(limits.storeDescriptorsMin - 1, 6, false)).toBe(null);
});
