// The buffer of a reader follows what is read: a backlog leaves nothing behind.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openLmdbLog } from './lmdb-log.ts';
import { BatchBuffer } from './reader.ts';
import type { Store } from './rows.ts';

const KB = 1024;

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-reader-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('shrinks the buffer after a backlog, and keeps it while its size is in use', () => {
  const folder = tempFolder();
  writeFileSync(join(folder, '0000000001.seg'), Buffer.alloc(2048 * KB));
  const buffer = new BatchBuffer({ path: folder, segmentsPath: folder } as Store, 'frames', 0);
  const sizesOf = (fetches: number, bytes: number): Set<number> =>
    new Set(Array.from({ length: fetches }, () => buffer.fetch(1, 0, bytes)!.length));
  expect(sizesOf(1, 100)).toEqual(new Set([64 * KB]));
  expect(sizesOf(3, 1500 * KB)).toEqual(new Set([2048 * KB]));
  expect(sizesOf(256, 100 * KB).has(128 * KB)).toBe(true);
  expect(sizesOf(512, 100 * KB)).toEqual(new Set([128 * KB]));
  // A large piece now and then.
  for (let i = 0; i < 10; i += 1) {
    expect(sizesOf(1, 1500 * KB)).toEqual(new Set([2048 * KB]));
    if (i > 0) expect(sizesOf(60, KB)).toEqual(new Set([2048 * KB]));
  }
  buffer.close();
});

it('frees the bytes of a read at its end, but not those of the last batch of a reader that stops there', async () => {
  const log = await openLmdbLog({ path: tempFolder(), mode: 'write' });
  const value = Buffer.alloc(100 * KB, 7);
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
