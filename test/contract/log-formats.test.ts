// Segments and entries of former versions can be read, compacted and appended to. New batches have heads from which the index can be rebuilt.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { CHECKSUM_CRC_32, CHECKSUM_SUMS, CHECKSUM_WEIGHTED_SUMS } from '../../pipeline/log/lmdb/checksum.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { scanSegment } from '../../pipeline/log/lmdb/scan.ts';
import { readSegmentHead, SEGMENT_HEAD_BYTES } from '../../pipeline/log/lmdb/segment-head.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { readHead, STORED_HEAD_BYTES, unpacked } from '../../pipeline/log/lmdb/stored-batch.ts';
import type { TopicId } from '../../schemas/topics.ts';
import { range } from './event-log-support.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-formats-'));
  path = join(folder, 'log');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * 60 frames in partition 0, each committed with a position and an aircraft state, one compaction at 30: as commit d8ce8ee wrote it (0.1), cd806d9
 * with heads and CRC-32 (crc-32; packed at 30 as well), or 4e9f21f with sums without weights (sums; packed at 30 as well).
 */
function unpackOldLog(version: '0.1' | 'crc-32' | 'sums' = '0.1'): void {
  execFileSync('tar', ['-xzf', join(import.meta.dirname, `fixtures/log-${version}.tar.gz`), '-C', folder]);
}

async function numbers(log: EventLog, topic: TopicId): Promise<number[]> {
  const found: number[] = [];
  for await (const { records } of log.read({ topic, partition: 0, from: 'earliest', to: 'end' }))
    for (const { value } of records) if (value !== null) found.push((value as Buffer).readUInt32LE(0));
  return found;
}

const numbered = (i: number) => {
  const value = Buffer.alloc(100);
  value.writeUInt32LE(i, 0);
  return value;
};
const frame = (i: number) => ({ key: null, value: numbered(i), timestampMs: 1000 + i });

test('a log of version 0.1 is read as it was written', async () => {
  unpackOldLog();
  const log = await openLmdbLog({ path, mode: 'read' });
  expect(await numbers(log, 'frames')).toEqual(range(60));
  expect(await numbers(log, 'positions')).toEqual(range(60));
  expect(await log.committed('fold', 'frames', 0)).toBe(60);
  expect(await log.offsetAt('frames', 0, 1042)).toBe(42);
  const kept = await numbers(log, 'aircraft');
  const uncompacted = range(60).filter((i) => i > 30 && i % 11 !== 10);
  expect(kept.slice(-uncompacted.length)).toEqual(uncompacted);
  expect((await numbers(log, 'feeders')).length).toBe(1);
  // A topic that version 0.1 did not have.
  expect(await log.bounds('flights', 1)).toEqual({ earliest: 0, next: 0 });
  expect(await numbers(log, 'flights')).toEqual([]);
  await log.close();
});

test('a log with both formats can be appended to, compacted and expired', async () => {
  unpackOldLog();
  let log = await openLmdbLog({ path, mode: 'write' });
  for (const i of range(20)) {
    await log.append('frames', 0, [frame(60 + i)]);
    await log.append('aircraft', 0, [{ key: `k${i % 7}`, value: numbered(60 + i), timestampMs: 1060 + i }]);
  }
  await log.close();
  log = await openLmdbLog({ path, mode: 'write', retention: { frames: { bytesMax: 2 * 10_000 } } });
  expect(await numbers(log, 'frames')).toEqual(range(80));
  await log.maintain(2000, true);
  expect(await numbers(log, 'aircraft')).toEqual(range(7).map((i) => 73 + i));
  const kept = await numbers(log, 'frames');
  expect(kept).toEqual(range(80).slice(-kept.length));
  expect(kept.length).toBeLessThan(70);
  await log.close();
  const after = await openLmdbLog({ path, mode: 'read' });
  expect(await numbers(after, 'frames')).toEqual(kept);
  await after.close();
});

test.each([
  ['crc-32', CHECKSUM_CRC_32],
  ['sums', CHECKSUM_SUMS],
] as const)('batches with checksums of kind %s are read, checked, packed and compacted', async (version, kind) => {
  unpackOldLog(version);
  const kindsOf = (): number[] =>
    segmentFilesIn(path).flatMap((file) => scanSegment(path, file).batches.map(({ head }) => head.checksumKind));
  expect(new Set(kindsOf())).toEqual(new Set([kind]));
  let log = await openLmdbLog({ path, mode: 'write' });
  expect(await numbers(log, 'aircraft')).toEqual(range(36).map((i) => 24 + i));
  for (const i of range(20)) await log.append('frames', 0, [frame(60 + i)]);
  expect(await numbers(log, 'frames')).toEqual(range(80));
  expect(new Set(kindsOf())).toEqual(new Set([kind, CHECKSUM_WEIGHTED_SUMS]));
  await log.close();
  log = await openLmdbLog({ path, mode: 'write' });
  await log.maintain(2000, true);
  await log.close();
  log = await openLmdbLog({ path, mode: 'read' });
  expect(await numbers(log, 'frames')).toEqual(range(80));
  expect(await numbers(log, 'positions')).toEqual(range(60));
  expect(await numbers(log, 'aircraft')).toEqual(range(7).map((i) => 53 + i));
  await log.close();
});

test.each(['crc-32', 'sums'] as const)('a checksum of kind %s detects a flipped bit', async (version) => {
  unpackOldLog(version);
  const file = segmentFilesIn(path).find((candidate) => scanSegment(path, candidate).head?.topic === 'frames')!;
  const { position, bytes } = scanSegment(path, file).batches.at(-1)!;
  const name = join(path, 'segments', file.name);
  const content = readFileSync(name);
  content[position + bytes - 1]! ^= 1;
  writeFileSync(name, content);
  const log = await openLmdbLog({ path, mode: 'read' });
  await expect(numbers(log, 'frames')).rejects.toMatchObject({ code: 'log.damaged' });
  await log.close();
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
  for (const { name } of segmentFilesIn(path)) {
    const bytes = readFileSync(join(path, 'segments', name));
    const { topic } = readSegmentHead(bytes)!;
    for (let at = SEGMENT_HEAD_BYTES; at < bytes.length; ) {
      const head = readHead(bytes, at)!;
      unpacked(head, bytes.subarray(at + STORED_HEAD_BYTES, at + STORED_HEAD_BYTES + head.bytes));
      if (topic === 'positions') expect(head.committedNext).toBeGreaterThan(0);
      offsets.set(topic, [...(offsets.get(topic) ?? []), ...range(head.lastOffset - head.baseOffset + 1).map((i) => head.baseOffset + i)]);
      at += STORED_HEAD_BYTES + head.bytes;
    }
  }
  expect(offsets.get('frames')!.sort((a, b) => a - b)).toEqual(range(40));
  // The refused batch is still in the file, with the same offset as a later batch.
  expect(offsets.get('positions')!.length).toBe(4);
  expect(new Set(offsets.get('positions'))).toEqual(new Set(range(3)));
});
