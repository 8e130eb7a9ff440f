// The threads that fold the past load their code while the reference data are loaded; each partition has its thread.
import { availableParallelism } from 'node:os';
import { describe, expect, it } from 'vitest';
import type { PartitionSky } from '../../pipeline/past/partition-past.ts';
import type { FoldRequest, FoldResponse } from './fold-thread.ts';
import { startSkyParts } from './sky-parts.ts';

const PARTITIONS = availableParallelism() + 1;

describe('the parts of the sky', () => {
  it('are the threads that fold first, then the reference data, which may take their time', async () => {
    const started: string[] = [];
    let load = (_: string): void => {};
    const parts = startSkyParts({
      partitions: PARTITIONS,
      startFold(number) {
        started.push(`fold ${number}`);
        return { call: async () => null, close: async () => void started.push(`end ${number}`) };
      },
      openReference: () => {
        started.push('reference');
        return new Promise<string>((resolve) => {
          load = resolve;
        });
      },
    });
    const folds = Array.from({ length: availableParallelism() }, (_, i) => i);
    expect(started).toEqual([...folds.map((i) => `fold ${i}`), 'reference']);
    load('loaded');
    const { reference, closeFolds } = await parts;
    expect(reference).toBe('loaded');
    await closeFolds();
    expect(started.slice(-folds.length)).toEqual(folds.map((i) => `end ${i}`));
  });

  it('fold every partition, each always in the same thread, and forget folds in all threads', async () => {
    const calls: [number, FoldRequest][] = [];
    const { folder } = await startSkyParts({
      partitions: PARTITIONS,
      startFold: (number) => ({
        async call(request) {
          calls.push([number, request]);
          return ('partition' in request ? { partition: request.partition } : null) as FoldResponse;
        },
        close: async () => {},
      }),
      openReference: async () => null,
    });
    const skies: PartitionSky[] = await folder.at(1, 5000);
    expect(skies.map(({ partition }) => partition)).toEqual(Array.from({ length: PARTITIONS }, (_, i) => i));
    expect(calls.at(-1)).toEqual([(PARTITIONS - 1) % availableParallelism(), { folds: 1, partition: PARTITIONS - 1, atMs: 5000 }]);
    calls.length = 0;
    folder.drop(1);
    expect(calls).toEqual(Array.from({ length: availableParallelism() }, (_, i) => [i, { folds: 1, atMs: null }]));
  });
});
