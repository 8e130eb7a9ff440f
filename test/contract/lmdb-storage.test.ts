// Properties of the embedded log alone: errors on opening, formats, rollover, disk space, killed readers. The EventLog contract has the rest, log-repair.test.ts damage.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { beforeEach, describe, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topics } from '../../schemas/topics.ts';
import { folderOfTest } from '../../test/support/test-folder.ts';
import { projectDir } from '../support/requirements.ts';

const folder = folderOfTest();
let path = '';
beforeEach(() => {
  path = folder.path;
});

const segmentFiles = () => readdirSync(join(path, 'segments')).filter((name) => name.endsWith('.seg'));

async function count(log: EventLog, topic: 'frames' | 'aircraft' | 'positions', partition = 0): Promise<number> {
  let records = 0;
  for await (const batch of log.read({ topic, partition, from: 'earliest', to: 'end' })) records += batch.records.length;
  return records;
}

/** A log with an index and segments. */
async function fill(records = 3000, folder = path): Promise<void> {
  const log = await openLmdbLog({ path: folder, mode: 'write' });
  for (let i = 0; i < records; i += 100) {
    await Promise.all(
      Array.from({ length: 100 }, (_, k) =>
        log.append('frames', 0, [{ key: null, value: Buffer.alloc((i + k) % 50 === 0 ? 5000 : 60, k), timestampMs: i + k }]),
      ),
    );
  }
  await log.close();
}

describe('opening', () => {
  test('reading a missing log fails with log.not_found and creates nothing', async () => {
    const nowhere = join(path, 'nothing');
    await expect(openLmdbLog({ path: nowhere, mode: 'read' })).rejects.toMatchObject({ code: 'log.not_found' });
    await expect(openLmdbLog({ path, mode: 'read' })).rejects.toMatchObject({ code: 'log.not_found' });
    expect(readdirSync(path)).toEqual([]);
  });

  test('a folder that cannot be created is not writable', async () => {
    writeFileSync(join(path, 'file'), '');
    await expect(openLmdbLog({ path: join(path, 'file', 'log'), mode: 'write' })).rejects.toMatchObject({ code: 'log.not_writable' });
    await expect(openLmdbLog({ path: '/proc/squitter', mode: 'write' })).rejects.toMatchObject({ code: 'log.not_writable' });
  });

  test('the number of partitions is fixed when the log is created', async () => {
    await (await openLmdbLog({ path, mode: 'write', framePartitions: 3 })).close();
    await expect(openLmdbLog({ path, mode: 'write', framePartitions: 2 })).rejects.toMatchObject({ code: 'log.partitions_differ' });
    const log = await openLmdbLog({ path, mode: 'read' });
    expect([log.partitions('frames'), log.partitions('positions'), log.partitions('deadletter')]).toEqual([3, 3, 1]);
    await log.close();
  });

  test('a log opened for reading refuses to write', async () => {
    await fill(100);
    const log = await openLmdbLog({ path, mode: 'read' });
    await expect(log.append('frames', 0, [])).rejects.toMatchObject({ code: 'log.not_writable' });
    expect(await count(log, 'frames')).toBe(100);
    await log.close();
  });
});

describe('modes', () => {
  const modes = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => statSync(join(folder, name)))
      .map((found) => `${found.isDirectory() ? 'folder' : 'file'} ${(found.mode & 0o777).toString(8)}`);

  test('the log is for its owner alone, unless its folder has another mode', async () => {
    const own = join(path, 'data', 'log');
    const shared = join(path, 'shared');
    mkdirSync(shared, { mode: 0o750 });
    for (const [folder, expected] of [
      [own, ['folder 700', 'file 600']],
      [shared, ['folder 750', 'file 640']],
    ] as const) {
      await fill(100, folder);
      expect([...new Set(modes(folder))].sort().reverse()).toEqual(expected);
    }
    expect(statSync(own).mode & 0o777).toBe(0o700);
  });
});

describe('segments', () => {
  test('a full segment is followed by a new one, also within an append; retention removes the files', async () => {
    const log = await openLmdbLog({ path, mode: 'write', retention: { frames: { bytesMax: 40_000_000 } } });
    const value = Buffer.alloc(900_000, 1);
    const records = Math.ceil((2.2 * limits.logSegmentBytesMax) / value.length);
    await Promise.all(Array.from({ length: records }, () => log.append('frames', 0, [{ key: null, value, timestampMs: Date.now() }])));
    expect(await count(log, 'frames')).toBe(records);
    expect(segmentFiles().length).toBe(3);
    await log.maintain(Date.now());
    // The kept records are in the last two.
    expect(segmentFiles().length).toBe(2);
    // Two partitions share the limit.
    expect(await count(log, 'frames')).toBe(Math.floor(20_000_000 / (value.length + 36)));
    await log.close();
  });

  test('compaction frees space', async () => {
    const log = await openLmdbLog({ path, mode: 'write' });
    const states = Array.from({ length: 2000 }, (_, i) => ({ key: `k${i}`, value: Buffer.alloc(150, i), timestampMs: 1 }));
    const rounds = Math.ceil((2.5 * limits.logSegmentBytesMax) / (2000 * 170));
    for (let i = 0; i < rounds; i += 1) await log.append('aircraft', 0, states);
    expect(segmentFiles().length).toBe(3);
    // The topic keeps records for an hour first.
    expect((await log.maintain(Date.now())).compacted).toBe(0);
    const report = await log.maintain(Date.now() + topics.aircraft.compactAfterMs + 60_000);
    expect(report.compacted).toBe((rounds - 1) * 2000);
    expect(await count(log, 'aircraft')).toBe(2000);
    // The cleaner's own segment, and the current one.
    expect(segmentFiles().length).toBeLessThanOrEqual(2);
    await log.close();
  });

  test('young records are compacted early when they exceed the limit', async () => {
    const log = await openLmdbLog({ path, mode: 'write', retention: { aircraft: { bytesMax: 2 * 1024 ** 2 } } });
    const states = Array.from({ length: 2000 }, (_, i) => ({ key: `k${i}`, value: Buffer.alloc(150, i), timestampMs: 1 }));
    const rounds = Math.ceil((2 * limits.logCleanDirtySegmentsMin * limits.logSegmentBytesMax) / (2000 * 170));
    for (let i = 0; i < rounds; i += 1) await log.append('aircraft', 0, states);
    const { compacted } = await log.maintain(Date.now());
    // Half of the limit belongs to the other partition: about 1 MiB stays.
    expect(compacted).toBeGreaterThan((rounds - 6) * 2000);
    expect(await count(log, 'aircraft')).toBe(rounds * 2000 - compacted);
    await log.close();
  });
});

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
  await log.append('frames', 0, [{ key: null, value: Buffer.alloc(100), timestampMs: 1 }]);
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

/** A process that is killed while it reads the log at `path`. */
async function killedReader(path: string): Promise<void> {
  const module = join(projectDir, 'dist/modules/pipeline/log/lmdb/lmdb-log.js');
  const code = `const { openLmdbLog } = await import(${JSON.stringify(module)});
    const log = await openLmdbLog({ path: ${JSON.stringify(path)}, mode: 'read' });
    for (const _ of log.store.rows.getRange()) process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' });
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
}

test('a killed reader makes the index grow only until the next maintenance', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  const indexBytes = (): number => statSync(join(path, 'index/data.mdb')).size;
  const commit = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i += 1) await log.append('progress', 0, [{ key: 'k', value: Buffer.alloc(300), timestampMs: 1 }]);
  };
  await commit(200);
  await killedReader(path);
  const before = indexBytes();
  await commit(50);
  // Until then its lock keeps the pages.
  expect(indexBytes()).toBeGreaterThan(before + 500_000);
  await log.maintain(0);
  await commit(50);
  const after = indexBytes();
  await commit(200);
  expect(indexBytes()).toBeLessThan(after + 500_000);
  await log.close();
});
