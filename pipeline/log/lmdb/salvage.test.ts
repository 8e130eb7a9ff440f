// An index that is older than the segments is not trusted, even if log.json is as old as the index.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openLmdbLog } from './lmdb-log.ts';
import { openForRepair } from './repair.ts';
import { salvage } from './salvage.ts';
import { segmentFilesIn, segmentsInWords } from './segment-names.ts';

const RECORDS = 10;

async function append(path: string, first: number): Promise<void> {
  const log = await openLmdbLog({ path, mode: 'write' });
  for (let i = first; i < first + RECORDS; i += 1)
    await log.append('frames', 0, [{ key: null, value: Buffer.alloc(5000, i), timestampMs: i }]);
  await log.close();
}

it('finds by the segment files alone that the index is an older copy, and takes the records from the segments', async () => {
  const path = mkdtempSync(join(tmpdir(), 'squitter-salvage-'));
  try {
    await append(path, 0);
    for (const name of ['index', 'log.json']) cpSync(join(path, name), join(path, 'old', name), { recursive: true });
    await append(path, RECORDS);
    const newest = segmentFilesIn(path).at(-1)!;
    rmSync(join(path, 'index'), { recursive: true });
    for (const name of ['index', 'log.json']) cpSync(join(path, 'old', name), join(path, name), { recursive: true });

    await expect(openLmdbLog({ path, mode: 'write' })).rejects.toMatchObject({ code: 'log.damaged' });
    const { index, fault } = openForRepair(path, false);
    const { faults, partitions } = await salvage(path, index, fault, { onProgress: () => {}, signal: new AbortController().signal });
    await index?.root.close();
    expect(faults).toEqual([`the index is older than ${segmentsInWords([newest])}`]);
    expect(partitions.get('frames/0')?.next).toBe(2 * RECORDS);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
