// Formats of the log: those from before 0.1.0 are refused, by whatever is left of the log; heads contain what a new index needs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import { scanSegment } from '../../pipeline/log/lmdb/scan.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { range } from './event-log-support.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-formats-'));
  path = join(folder, 'log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function numbers(log: EventLog, topic: TopicId): Promise<number[]> {
  const found: number[] = [];
  for await (const { records } of log.read({ topic, partition: 0, from: 'earliest', to: 'end' }))
    for (const { value } of records) if (value !== null) found.push((value as Buffer).readUInt32LE(0));
  return found;
}

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

test('heads contain the offsets of batches, also after several writers and a refused commit', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  const other = await openLmdbLog({ path, mode: 'write' });
  const commit = (fromOffset: number, i: number) =>
    log.commit({
      group: 'fold',
      topic: 'frames',
      partition: 0,
      fromOffset,
      nextOffset: fromOffset + 1,
      outputs: [{ topic: 'positions', partition: 0, records: [frame(i)] }],
    });
  await commit(0, 0);
  // The second one is refused, and the third was written behind it.
  const outcomes = await Promise.allSettled([commit(1, 1), commit(7, 99), commit(2, 2)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await Promise.all(range(40).map((i) => [log, other][i % 2]!.append('frames', 0, [frame(i)])));
  expect(await numbers(log, 'positions')).toEqual(range(3));
  expect([...(await numbers(log, 'frames'))].sort((a, b) => a - b)).toEqual(range(40));
  await log.close();
  await other.close();

  const offsets = new Map<TopicId, number[]>();
  for (const file of segmentFilesIn(path)) {
    const { head, batches } = scanSegment(path, file);
    for (const { head: batch } of batches) {
      if (head!.topic === 'positions') expect(batch.committedNext).toBeGreaterThan(0);
      const own = range(batch.lastOffset - batch.baseOffset + 1).map((i) => batch.baseOffset + i);
      offsets.set(head!.topic, [...(offsets.get(head!.topic) ?? []), ...own]);
    }
  }
  expect(offsets.get('frames')!.sort((a, b) => a - b)).toEqual(range(40));
  // The refused batch is still in the file, with the same offset as a later batch.
  expect(offsets.get('positions')!.length).toBe(4);
  expect(new Set(offsets.get('positions'))).toEqual(new Set(range(3)));
});
