// Properties of the embedded log alone: errors on opening, formats, rollover, disk space, killed readers. The EventLog contract has the rest, log-repair.test.ts damage.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from 'lmdb';
import { beforeEach, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { rowEncoder } from '../../pipeline/log/lmdb/row-encoder.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { limits } from '../../schemas/limits/index.ts';
import { topicIds, topics } from '../../schemas/topics.ts';
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

test('opening says why it fails, and creates nothing', async () => {
  const opened = (at: string, mode: 'read' | 'write', partitions = {}) => openLmdbLog({ path: at, mode, ...partitions });
  for (const nowhere of [join(path, 'nothing'), path])
    await expect(opened(nowhere, 'read')).rejects.toMatchObject({ code: 'log.not_found' });
  expect(readdirSync(path)).toEqual([]);
  writeFileSync(join(path, 'file'), '');
  for (const impossible of [join(path, 'file', 'log'), '/proc/squitter'])
    await expect(opened(impossible, 'write')).rejects.toMatchObject({ code: 'log.not_writable' });
  const at = join(path, 'log');
  await (await opened(at, 'write', { framePartitions: 3 })).close();
  await expect(opened(at, 'write', { framePartitions: 2 })).rejects.toMatchObject({ code: 'log.partitions_differ' });
  const log = await opened(at, 'read');
  expect([log.partitions('frames'), log.partitions('positions'), log.partitions('deadletter')]).toEqual([3, 3, 1]);
  await expect(log.append('frames', 0, [])).rejects.toMatchObject({ code: 'log.not_writable' });
  await log.close();
});

test.each([
  ['a log', ['data', 'log'], 0o700, 0o600],
  ['a log in a folder of another mode', ['shared'], 0o750, 0o640],
] as const)('%s is for those who may use its folder alone', async (_, names, folderMode, fileMode) => {
  const at = join(path, ...names);
  if (folderMode === 0o750) mkdirSync(at, { mode: folderMode });
  const log = await openLmdbLog({ path: at, mode: 'write' });
  await log.append('frames', 0, [{ key: null, value: Buffer.alloc(60), timestampMs: 1 }]);
  await log.close();
  for (const name of ['', ...readdirSync(at, { recursive: true, encoding: 'utf8' })]) {
    const found = statSync(join(at, name));
    expect([name, found.mode & 0o777]).toEqual([name, found.isDirectory() ? folderMode : fileMode]);
  }
});

test('a full segment is followed by a new one, also within an append; retention removes the files', async () => {
  // Limits of other topics would lower this one on a disk with less room than they want.
  const unlimited = Object.fromEntries(topicIds.map((topic) => [topic, { bytesMax: null }]));
  const log = await openLmdbLog({ path, mode: 'write', retention: { ...unlimited, frames: { bytesMax: 40_000_000 } } });
  const value = Buffer.alloc(900_000, 1);
  const records = Math.ceil((2.2 * limits.logSegmentBytesMax) / value.length);
  await Promise.all(Array.from({ length: records }, () => log.append('frames', 0, [{ key: null, value, timestampMs: Date.now() }])));
  expect([await count(log, 'frames'), segmentFiles().length]).toEqual([records, 3]);
  await log.maintain(Date.now());
  // The kept records are in the last two. Two partitions share the limit.
  expect([await count(log, 'frames'), segmentFiles().length]).toEqual([Math.floor(20_000_000 / (value.length + 36)), 2]);
  await log.close();
});

test('compaction frees space: of records that are old, and of young ones that exceed the limit', async () => {
  const states = Array.from({ length: 2000 }, (_, i) => ({ key: `k${i}`, value: Buffer.alloc(150, i), timestampMs: 1 }));
  const open = async (bytesMax: number | null, segments: number) => {
    const rounds = Math.ceil((segments * limits.logSegmentBytesMax) / (2000 * 170));
    const log = await openLmdbLog({ path, mode: 'write', retention: { aircraft: { bytesMax } } });
    for (let i = 0; i < rounds; i += 1) await log.append('aircraft', 0, states);
    return { log, rounds };
  };
  const old = await open(null, 2.5);
  expect(segmentFiles().length).toBe(3);
  // The topic keeps records for an hour first.
  expect((await old.log.maintain(Date.now())).compacted).toBe(0);
  const report = await old.log.maintain(Date.now() + topics.aircraft.compactAfterMs + 60_000);
  expect([report.compacted, await count(old.log, 'aircraft')]).toEqual([(old.rounds - 1) * 2000, 2000]);
  // The cleaner's own segment, and the current one.
  expect(segmentFiles().length).toBeLessThanOrEqual(2);
  await old.log.close();
  const young = await open(2 * 1024 ** 2, 2 * limits.logCleanDirtySegmentsMin);
  const { compacted } = await young.log.maintain(Date.now());
  // Half of the limit belongs to the other partition: about 1 MiB stays.
  expect(compacted).toBeGreaterThan((young.rounds - 6) * 2000);
  expect(await count(young.log, 'aircraft')).toBe((young.rounds + 1) * 2000 - compacted);
  await young.log.close();
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
