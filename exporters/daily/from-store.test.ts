// Tests of the stretches in which a day is read from the store.
import { describe, expect, it } from 'vitest';
import { stretchesOf } from './from-store.ts';

const row = (bucket: number, block: number, rows: number) => ({ bucketS: bucket * 600, block, rows });
const plain = (counted: readonly ReturnType<typeof row>[], rowsMax: number) =>
  stretchesOf(counted, rowsMax).map(({ fromS, toS, fromBlock, toBlock, rows }) => [fromS / 600, toS / 600, fromBlock, toBlock, rows]);

describe('stretches of a day', () => {
  it('join buckets while they fit, also over a gap', () => {
    expect(plain([row(0, 1, 30), row(0, 2, 10), row(1, 1, 50), row(2, 1, 20), row(9, 1, 60)], 100)).toEqual([
      [0, 2, 0, 512, 90],
      [2, 10, 0, 512, 80],
    ]);
    expect(plain([], 100)).toEqual([]);
  });

  it('split a bucket that alone has too many rows, without a gap between its addresses', () => {
    expect(plain([row(0, 5, 10), row(1, 0, 60), row(1, 3, 60), row(1, 256, 30), row(2, 0, 10)], 100)).toEqual([
      [0, 1, 0, 512, 10],
      [1, 2, 0, 3, 60],
      [1, 2, 3, 512, 90],
      [2, 3, 0, 512, 10],
    ]);
    expect(plain([row(0, 7, 1000)], 100)).toEqual([[0, 1, 0, 512, 1000]]);
  });
});
