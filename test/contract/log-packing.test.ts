// Old batches are merged and compressed; readers see no difference.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LmdbLog, openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { readEntry } from '../../pipeline/log/lmdb/reader.ts';
import { indexOf, partitionRow } from '../../pipeline/log/lmdb/store.ts';
import { STORED_HEAD_BYTES } from '../../pipeline/log/lmdb/stored-batch.ts';
import { limits } from '../../schemas/limits/index.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { range } from './event-log-support.ts';

const START_MS = 1_700_000_000_000;
const folder = folderOfTest();
let path = '';
let nowMs = START_MS;
let log: LmdbLog;

const open = (mode: 'write' | 'read' = 'write', framesBytesMax = 10 ** 12): Promise<LmdbLog> =>
  openLmdbLog({ path, mode, now: () => nowMs, retention: { frames: { bytesMax: framesBytesMax } } });

beforeEach(async () => {
  path = join(folder.path, 'log');
  nowMs = START_MS;
  log = await open();
});
afterEach(() => log.close());

/** A record of every kind: with keys, tombstones, empty, and with compressible bytes. */
function record(i: number) {
  const value = Buffer.from(`record ${i} `.repeat(1 + (i % 97)));
  return {
    key: i % 5 === 0 ? `k${i}` : null,
    value: i % 13 === 12 ? null : i % 17 === 16 ? Buffer.alloc(0) : value,
    timestampMs: START_MS + i,
  };
}

/** Each append is one batch, however many share a transaction. */
async function append(from: number, to: number, perBatch = 3): Promise<void> {
  const batches = range(Math.ceil((to - from) / perBatch)).map((n) => from + n * perBatch);
  await Promise.all(
    batches.map((i) =>
      log.append(
        'frames',
        0,
        range(Math.min(perBatch, to - i)).map((k) => record(i + k)),
      ),
    ),
  );
}

async function read(from: number | 'earliest' = 'earliest', to: number | 'end' = 'end', of: LmdbLog = log) {
  const found: unknown[] = [];
  for await (const { records, nextOffset } of of.read({ topic: 'frames', partition: 0, from, to })) {
    expect(records.reduce((bytes, { value }) => bytes + (value?.length ?? 0), 0)).toBeLessThanOrEqual(limits.readBytesMax);
    expect(nextOffset).toBe(records.at(-1)!.offset + 1);
    for (const { key, value, timestampMs, offset } of records)
      found.push([offset, key, value === null ? null : value.toString(), timestampMs]);
  }
  return found;
}

const wanted = (from: number, to: number) =>
  range(to - from).map((k) => {
    const { key, value, timestampMs } = record(from + k);
    return [from + k, key, value === null ? null : value.toString(), timestampMs];
  });

function entries() {
  log.store.root.resetReadTxn();
  return [...indexOf(log.store, 'frames', 0).getRange()].map(({ key, value }) => readEntry(log.store, key, value));
}

const packedTo = (): number => entries().reduce((end, entry) => (entry.isPacked ? entry.lastOffset + 1 : end), 0);

describe('old batches', () => {
  test('become fewer and smaller, and are read as before: all, in part, by time, and after a restart', async () => {
    await append(0, 3000);
    const before = { entries: entries().length, bytes: partitionRow(log.store, 'frames', 0).bytes };
    await log.maintain(nowMs, true);
    const after = entries();
    expect(after.every(({ isPacked }) => isPacked)).toBe(true);
    expect(after.length).toBeLessThan(before.entries / 100);
    expect(partitionRow(log.store, 'frames', 0).bytes).toBeLessThan(before.bytes / 5);
    expect(partitionRow(log.store, 'frames', 0).bytes).toBe(after.reduce((bytes, entry) => bytes + entry.bytes, 0));
    expect(await read()).toEqual(wanted(0, 3000));
    for (const [from, to] of [
      [0, 1],
      [766, 771],
      [1, 2999],
      [2999, 3000],
    ] as const)
      expect(await read(from, to)).toEqual(wanted(from, to));
    for (const i of [0, 767, 768, 2999]) expect(await log.offsetAt('frames', 0, START_MS + i)).toBe(i);
    await append(3000, 3100);
    expect(await read()).toEqual(wanted(0, 3100));
    await log.close();
    log = await open();
    expect(await read()).toEqual(wanted(0, 3100));
  });

  test('are packed once, when they are minutes old and their group is full', async () => {
    await append(0, 600, 1);
    await log.maintain(nowMs + limits.logPackAgeMs - 1);
    expect(packedTo()).toBe(0);
    nowMs += limits.logPackAgeMs;
    await append(600, 700, 1);
    // Two groups of 256 are old enough; the third is not full.
    await log.maintain(nowMs);
    expect(packedTo()).toBe(512);
    const first = entries().slice(0, 2);
    nowMs += limits.logPackAgeMs;
    await append(700, 800, 1);
    await log.maintain(nowMs);
    expect(packedTo()).toBe(512);
    nowMs += limits.logPackAgeMs;
    await log.maintain(nowMs);
    expect(packedTo()).toBe(768);
    expect(entries().slice(0, 2)).toEqual(first);
    expect(await read()).toEqual(wanted(0, 800));
  });

  test('expire like others; packing that retention overtakes starts again at the end', async () => {
    await append(0, 3000);
    await log.maintain(nowMs, true);
    await log.close();
    // Both partitions share the limit.
    log = await open('write', 2 * 100_000);
    await append(3000, 6000);
    await log.maintain(nowMs);
    const { earliest } = partitionRow(log.store, 'frames', 0);
    expect(earliest).toBeGreaterThanOrEqual(3000);
    expect(await read()).toEqual(wanted(earliest, 6000));
    nowMs += limits.logPackAgeMs;
    await log.maintain(nowMs);
    expect(packedTo()).toBe(0);
    expect(partitionRow(log.store, 'frames', 0).cleanedTo).toBe(6000);
  });

  test('with changed bytes are reported as damage', async () => {
    await append(0, 300);
    await log.maintain(nowMs, true);
    const [entry] = entries();
    const file = join(path, 'segments', `${String(entry!.segment).padStart(10, '0')}.seg`);
    const bytes = readFileSync(file);
    bytes[entry!.position + STORED_HEAD_BYTES + 100]! ^= 1;
    writeFileSync(file, bytes);
    await expect(read()).rejects.toMatchObject({ code: 'log.damaged' });
  });
});
