// A new row of the table of position fields appears in the topic, in a step of the store and in the daily file.
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { positionRow } from '../test/support/positions.ts';
import { readParquet } from '../test/support/read-parquet.ts';
import { temporaryFolder } from '../test/support/service.ts';

it('gives a new field to topic, store and daily file', async () => {
  const folder = temporaryFolder();
  try {
    const row = { ...positionRow(0, 0, 0, Date.parse('2024-02-29T12:00:00Z')), windKt: 31 };
    const worker = new Worker(new URL('../test/support/added-position-field.js', import.meta.url), {
      workerData: { folder: folder.path, day: '2024-02-29', row },
    });
    const found = await new Promise<Record<string, unknown>>((resolve, reject) => {
      worker.on('message', resolve);
      worker.on('error', reject);
    });
    await worker.terminate();
    expect(found['topic']).toBe(31);
    expect(found['create']).not.toContain('windKt');
    expect(found['add']).toMatch(/^ALTER TABLE positions\n {2}ADD COLUMN IF NOT EXISTS windKt Nullable\(Int16\)/);
    expect(await readParquet(`SELECT wind FROM '${folder.path}/out/positions-2024-02-29.parquet'`)).toEqual([{ wind: 31 }]);
  } finally {
    folder.remove();
  }
});
