// A quick look at the adapter itself; what every EventLog must do is in test/contract.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLmdbLog } from './lmdb-log.ts';

let path = '';
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'squitter-log-'));
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

test('small and large batches come back in order', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  const values = Array.from({ length: 300 }, (_, i) => Buffer.alloc(i % 7 === 0 ? 60_000 : 20, i));
  const offsets = await Promise.all(values.map((value, i) => log.append('frames', 1, [{ key: null, value, timestampMs: i }])));
  expect(offsets).toEqual(values.map((_, i) => i));
  let seen = 0;
  for await (const batch of log.read({ topic: 'frames', partition: 1, from: 'earliest', to: 'end' })) {
    for (const record of batch.records) {
      expect(record.offset).toBe(seen);
      expect(Buffer.from(record.value!).equals(values[seen]!)).toBe(true);
      seen += 1;
    }
  }
  expect(seen).toBe(300);
  expect(await log.offsetAt('frames', 1, 150)).toBe(150);
  await log.close();
});
