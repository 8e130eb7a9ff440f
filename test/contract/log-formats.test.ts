// Formats of the log: those from before 0.1.0 are refused, by whatever is left of the log.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-formats-'));
  path = join(folder, 'log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const frame = (i: number) => {
  const value = Buffer.alloc(100);
  value.writeUInt32LE(i, 0);
  return { key: null, value, timestampMs: 1000 + i };
};

/** Changes the format row. Format 1 stored rows without a checksum. */
async function setFormat(version: number): Promise<void> {
  const root = open({ path: join(path, 'index'), noSubdir: false, maxDbs: 8 });
  const encoder: object = version === 1 ? { encode: (row: unknown) => Buffer.from(JSON.stringify(row)) } : rowEncoder(path);
  const known = root.openDB({ name: 'meta', ...{ encoder: rowEncoder(path) } }).get('format') as object;
  await root.openDB({ name: 'meta', ...{ encoder } }).put('format', { ...known, version });
  await root.close();
}

const repair = () => repairLog(path, { nowMs: 0, discards: true, onProgress: () => {}, signal: new AbortController().signal });

test('a log from before 0.1.0 is not opened and not repaired, with or without its index; nor is one of a later format', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  await log.append('frames', 0, [frame(0)]);
  await log.close();
  for (const [version, code] of [
    [2, 'log.older_format'],
    [4, 'log.newer_format'],
    [1, 'log.older_format'],
  ] as const) {
    await setFormat(version);
    for (const mode of ['read', 'write'] as const) await expect(openLmdbLog({ path, mode })).rejects.toMatchObject({ code });
    await expect(repair()).rejects.toMatchObject({ code });
  }
  const segment = join(path, 'segments', segmentFilesIn(path)[0]!.name);
  const bytes = readFileSync(segment);
  bytes.writeUInt16LE(2, 4);
  writeFileSync(segment, bytes);
  rmSync(join(path, 'index'), { recursive: true });
  await expect(repair()).rejects.toMatchObject({ code: 'log.older_format' });
});
