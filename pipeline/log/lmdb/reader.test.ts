// The bytes of a reader are free when it has read everything.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLmdbLog } from './lmdb-log.ts';

it('frees the bytes of a read at its end, but not those of the last batch of a reader that stops there', async () => {
  const path = mkdtempSync(join(tmpdir(), 'squitter-reader-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  const log = await openLmdbLog({ path, mode: 'write' });
  const value = Buffer.alloc(100_000, 7);
  await log.append('frames', 0, [{ key: null, timestampMs: 1, value }]);
  const seen: Uint8Array[] = [];
  for await (const { records } of log.read({ topic: 'frames', partition: 0, from: 0, to: 'end' })) seen.push(records[0]!.value!);
  for await (const { records } of log.read({ topic: 'frames', partition: 0, from: 0, to: 'end' })) {
    seen.push(records[0]!.value!);
    break;
  }
  expect(seen.map(({ length }) => length)).toEqual([0, value.length]);
  await log.close();
});
