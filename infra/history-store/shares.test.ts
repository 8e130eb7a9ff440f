// Sessions, connections and threads of the store, by the limit of open files.

import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { sharesOf } from './shares.ts';

const { storeDescriptorsMin, storeDescriptorsAmple, storeReaders, storeConnectionsMax, clientConnectionsMax } = limits;

it('is all with many descriptors, less with few, and nothing below the least number', () => {
  const all = { readers: storeReaders, connections: storeConnectionsMax, isFew: false };
  for (const limit of [null, storeDescriptorsAmple]) expect(sharesOf(limit, storeReaders)).toMatchObject(all);
  expect(sharesOf(storeDescriptorsMin - 1, storeReaders)).toBeNull();
  const few = sharesOf(storeDescriptorsMin, storeReaders)!;
  expect(few).toMatchObject({ readers: 2, isFew: true });
  expect(few.connections).toBeGreaterThan(clientConnectionsMax);
  expect(sharesOf(storeDescriptorsMin, 1)).toMatchObject({ readers: 1 });
});
