// Damage of every kind to the embedded log: it is detected, refused with an explanation and repaired to a consistent point; repair deletes nothing.

import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { openLmdbLog } from '../../pipeline/log/lmdb/lmdb-log.ts';
import { openForRepair, type Repair, repairLog } from '../../pipeline/log/lmdb/repair.ts';
import { type Salvage, salvage } from '../../pipeline/log/lmdb/salvage.ts';
import { scanSegment } from '../../pipeline/log/lmdb/scan.ts';
import { segmentFilesIn } from '../../pipeline/log/lmdb/segment-names.ts';
import { SquitterError } from '../../schemas/errors.ts';
import { type TopicId, topicIds } from '../../schemas/topics.ts';
import { range } from './event-log-support.ts';

const NOW_MS = 1_800_000_000_000;
const FRAMES = 60;
const quiet = { onProgress: () => {}, signal: new AbortController().signal };

let folder = '';
let good = '';
let path = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'squitter-repair-'));
  good = join(folder, 'good');
  await fill(good);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  path = join(mkdtempSync(join(folder, 'case-')), 'log');
  cpSync(good, path, { recursive: true });
});
afterEach(() => rmSync(join(path, '..'), { recursive: true, force: true }));

/** The value of record i: bytes unique to it, which contain its number. */
function bytesOf(i: number): Buffer {
  const value = Buffer.alloc(200 + ((i * 7919) % 1500), i);
  value.writeUInt32LE(i, 0);
  return value;
}
const isWhole = (value: Buffer): boolean => value.equals(bytesOf(value.readUInt32LE(0)));

async function fill(at: string): Promise<void> {
  const log = await openLmdbLog({ path: at, mode: 'write' });
  for (const i of range(FRAMES)) {
    await log.append('frames', 0, [{ key: null, value: bytesOf(i), timestampMs: i }]);
    await log.append('frames', 1, [{ key: null, value: bytesOf(i), timestampMs: i }]);
    await step(log, i);
  }
  // Two writers at the same time: the offsets in some heads are wrong at first.
  const other = await openLmdbLog({ path: at, mode: 'write' });
  const append = (i: number) => [log, other][i % 2]!.append('feeders', 0, [{ key: `f${i}`, value: bytesOf(i), timestampMs: i }]);
  for (const i of range(2)) await append(i);
  await Promise.all(range(20).slice(2).map(append));
  await Promise.all([log.close(), other.close()]);
}

/** The commit of a fold for frame i of partition 0. */
function step(log: EventLog, i: number): Promise<void> {
  const output = (topic: TopicId, key: string | null) => ({ topic, partition: 0, records: [{ key, value: bytesOf(i), timestampMs: i }] });
  const outputs = [output('positions', null), output('aircraft', `k${i % 7}`), output('progress', '0'), output('snapshots', '0/0')];
  return log.commit({ group: 'fold', topic: 'frames', partition: 0, fromOffset: i, nextOffset: i + 1, outputs });
}

async function numbers(log: EventLog, topic: TopicId, partition = 0): Promise<number[]> {
  const found: number[] = [];
  for await (const { records } of log.read({ topic, partition, from: 'earliest', to: 'end' }))
    for (const { value } of records) {
      expect(isWhole(Buffer.from(value!))).toBe(true);
      found.push(Buffer.from(value!).readUInt32LE(0));
    }
  return found;
}

async function check(): Promise<Salvage> {
  const { index, fault } = openForRepair(path, false);
  try {
    return await salvage(path, index, fault, quiet);
  } finally {
    await index?.root.close();
  }
}

const repair = (): Promise<Repair> => repairLog(path, { ...quiet, nowMs: NOW_MS, discards: false });

const segmentOf = (topic: TopicId, partition = 0): string => {
  const file = segmentFilesIn(path).findLast((each) => {
    const head = scanSegment(path, each).head;
    return head?.topic === topic && head.partition === partition;
  });
  return join(path, 'segments', file!.name);
};

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 0x10;
  writeFileSync(file, bytes);
}

async function codeOnOpening(): Promise<string> {
  try {
    await (await openLmdbLog({ path, mode: 'write' })).close();
    return 'opened';
  } catch (error) {
    expect(error).toBeInstanceOf(SquitterError);
    return (error as SquitterError).code;
  }
}

/** After a repair: the check finds no damage, records are intact, and the fold is at its beginning or where it was. */
async function expectConsistent(foldsAnew: boolean): Promise<void> {
  expect(await check()).toMatchObject({ damages: [], faults: [] });
  const log = await openLmdbLog({ path, mode: 'write' });
  for (const topic of topicIds) await numbers(log, topic);
  expect(await log.committed('fold', 'frames', 0)).toBe(foldsAnew ? null : FRAMES);
  const { earliest, next } = await log.bounds('frames', 0);
  if (foldsAnew) {
    for (const topic of ['positions', 'aircraft', 'progress', 'snapshots'] as const) expect(await numbers(log, topic)).toEqual([]);
    for (let i = earliest; i < next; i += 1) await step(log, i);
    expect(await numbers(log, 'positions')).toEqual(range(next).slice(earliest));
  }
  await log.append('frames', 0, [{ key: null, value: bytesOf(1000), timestampMs: 1000 }]);
  expect((await numbers(log, 'frames')).at(-1)).toBe(1000);
  await log.close();
}

/** Bytes of every segment file, wherever it is now. */
function keptSegments(): Set<string> {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.seg'));
  return new Set(files.map((name) => readFileSync(join(path, name)).toString('latin1')));
}

test('the check finds an intact log intact, and repair does not change it', async () => {
  const before = readFileSync(join(path, 'index/data.mdb'));
  const found = await check();
  expect(found).toMatchObject({ damages: [], faults: [] });
  expect(found.report).toMatchObject({ records: 2 * FRAMES + 4 * FRAMES + 20 });
  expect((await repair()).salvage).toBeNull();
  expect(readFileSync(join(path, 'index/data.mdb')).length).toBe(before.length);
  expect(await codeOnOpening()).toBe('opened');
});

describe('an index that is', () => {
  test.each<[string, () => void]>([
    ['gone', () => rmSync(join(path, 'index'), { recursive: true })],
    ['empty', () => truncateSync(join(path, 'index/data.mdb'), 0)],
    ['garbage', () => writeFileSync(join(path, 'index/data.mdb'), Buffer.alloc(65_536, 0x5a))],
    ['cut short', () => truncateSync(join(path, 'index/data.mdb'), 20_000)],
  ])('%s: the log is refused, nothing is deleted, and frames come back from the segments', async (_, damage) => {
    const segments = keptSegments();
    damage();
    expect(await codeOnOpening()).toBe('log.damaged');
    await expect(openLmdbLog({ path, mode: 'read' })).rejects.toMatchObject({ code: 'log.damaged' });
    expect(keptSegments()).toEqual(segments);
    expect((await check()).faults.length).toBeGreaterThan(0);
    const { foldsFrom, lost } = await repair();
    expect([foldsFrom, lost]).toEqual([[0, 0], []]);
    expect(keptSegments()).toEqual(segments);
    const log = await openLmdbLog({ path, mode: 'read' });
    expect(await numbers(log, 'frames')).toEqual(range(FRAMES));
    expect(await numbers(log, 'frames', 1)).toEqual(range(FRAMES));
    expect((await numbers(log, 'feeders')).sort((a, b) => a - b)).toEqual(range(20));
    await log.close();
    await expectConsistent(true);
  });

  test.each([[['index']], [['index', 'log.json']]])(
    'an older copy, with %j, is refused, and repair restores the records written since',
    async (copied) => {
      for (const name of copied) cpSync(join(path, name), join(path, '..', 'older', name), { recursive: true });
      const log = await openLmdbLog({ path, mode: 'write' });
      for (const i of range(10)) await log.append('frames', 0, [{ key: null, value: bytesOf(FRAMES + i), timestampMs: i }]);
      await log.close();
      const segments = keptSegments();
      rmSync(join(path, 'index'), { recursive: true });
      cpSync(join(path, '..', 'older'), path, { recursive: true });
      expect(await codeOnOpening()).toBe('log.damaged');
      await repair();
      expect(keptSegments()).toEqual(segments);
      const after = await openLmdbLog({ path, mode: 'read' });
      expect(await numbers(after, 'frames')).toEqual(range(FRAMES + 10));
      await after.close();
    },
  );
});

describe('segments', () => {
  test.each(['frames', 'positions', 'aircraft', 'progress', 'snapshots', 'feeders'] as const)(
    'a flipped bit in %s is detected at reading, and only its batch is lost',
    async (topic) => {
      flip(segmentOf(topic), 5000);
      const log = await openLmdbLog({ path, mode: 'read' });
      await expect(numbers(log, topic)).rejects.toMatchObject({ code: 'log.damaged' });
      await log.close();
      expect((await check()).damages).toMatchObject([{ topic, partition: 0 }]);
      const isSource = topic === 'frames' || topic === 'feeders';
      const { lost } = await repair();
      expect(lost.length).toBe(isSource ? 1 : 0);
      if (topic === 'feeders') expect(lost[0]!.from).toBe(lost[0]!.to);
      if (topic !== 'frames') return expectConsistent(topic !== 'feeders');
      const after = await openLmdbLog({ path, mode: 'read' });
      expect((await numbers(after, 'frames')).length).toBe(FRAMES - 1);
      expect(await after.committed('fold', 'frames', 0)).toBeNull();
      await after.close();
    },
  );

  test.each<[string, (file: string) => void]>([
    ['cut short', (file) => truncateSync(file, 20_000)],
    [
      'zeros at its end',
      (file) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0, bytes.length - 20_000));
      },
    ],
    ['missing', (file) => rmSync(file)],
  ])('%s: the frames before are kept, and the fold begins anew', async (_, damage) => {
    damage(segmentOf('frames'));
    expect((await check()).damages.length).toBeGreaterThan(0);
    const { lost, foldsFrom } = await repair();
    expect(lost.every(({ topic }) => topic === 'frames')).toBe(true);
    expect(foldsFrom).not.toBeNull();
    const log = await openLmdbLog({ path, mode: 'write' });
    const left = await numbers(log, 'frames');
    expect(left).toEqual(range(left.length));
    expect(left.length + lost.reduce((sum, { from, to }) => sum + to - from + 1, 0)).toBe(FRAMES);
    expect((await log.bounds('frames', 0)).next).toBe(FRAMES);
    await log.close();
    expect(await check()).toMatchObject({ damages: [], faults: [] });
  });

  test('a file that is not in the index is moved aside and reported', async () => {
    writeFileSync(join(path, 'segments', '0000009999.seg'), 'who am I');
    writeFileSync(join(path, 'segments', 'notes.seg'), 'what is this');
    const moved: string[] = [];
    const log = await openLmdbLog({ path, mode: 'write', onAside: (names) => moved.push(...names) });
    expect(moved.sort()).toEqual(['0000009999.seg', 'notes.seg']);
    expect(readdirSync(join(path, 'aside')).sort()).toEqual(moved);
    expect(await numbers(log, 'frames')).toEqual(range(FRAMES));
    await log.close();
  });
});

test('positions of expired frames stay, packed ones as well, and the fold begins at the first kept frame', async () => {
  const log = await openLmdbLog({ path, mode: 'write', retention: { frames: { bytesMax: 2 * 20_000 } } });
  await log.maintain(Date.now(), true);
  for (const i of range(2 * FRAMES).slice(FRAMES)) {
    await log.append('frames', 0, [{ key: null, value: bytesOf(i), timestampMs: i }]);
    await step(log, i);
  }
  await log.maintain(Date.now());
  const { earliest } = await log.bounds('frames', 0);
  await log.close();
  expect(earliest).toBeGreaterThan(FRAMES);
  const snapshots = segmentOf('snapshots');
  flip(snapshots, statSync(snapshots).size - 10);
  expect((await repair()).foldsFrom![0]).toBe(earliest);
  const after = await openLmdbLog({ path, mode: 'write' });
  expect(await numbers(after, 'positions')).toEqual(range(earliest));
  for (const i of range(2 * FRAMES).slice(earliest)) await step(after, i);
  expect(await numbers(after, 'positions')).toEqual(range(2 * FRAMES));
  await after.close();
});

test('a log in use is not repaired, by this process or another', async () => {
  const log = await openLmdbLog({ path, mode: 'write' });
  const script = join(import.meta.dirname, '../../dist/infra/cli/squitter.js');
  const run = () =>
    execFileSync(process.execPath, [script, 'log', 'repair', '--data', join(path, '..')], { encoding: 'utf8', stdio: 'pipe' });
  expect(run).toThrow(/log\.in_use/);
  renameSync(join(path, 'index'), join(path, 'index-elsewhere'));
  expect(run).toThrow(/log\.in_use/);
  renameSync(join(path, 'index-elsewhere'), join(path, 'index'));
  await log.close();
});

test('a list of free pages that names a page in use, outside or twice is refused: LMDB would write over it', async () => {
  const file = join(path, 'index/data.mdb');
  const bytes = readFileSync(file);
  const pageBytes = bytes.readUInt32LE(48);
  const metas = [0, pageBytes].sort((a, b) => Number(bytes.readBigUInt64LE(b + 152) - bytes.readBigUInt64LE(a + 152)));
  const rootOf = (at: number): number => Number(bytes.readBigUInt64LE(metas[0]! + at));
  // The first value of the first leaf: in the page, or in pages of its own.
  const leaf = rootOf(88) * pageBytes;
  const node = leaf + 24 + bytes.readUInt16LE(leaf + 24);
  const data = node + 8 + bytes.readUInt16LE(node + 6);
  const value = (bytes.readUInt16LE(node + 4) & 1) === 1 ? Number(bytes.readBigUInt64LE(data)) * pageBytes + 24 : data;
  const numbersAt = range(Number(bytes.readBigInt64LE(value))).map((i) => value + 8 * (i + 1));
  const [first, second] = numbersAt.filter((at) => bytes.readBigInt64LE(at) > 0n) as [number, number];
  for (const wrong of [BigInt(rootOf(136)), 2n ** 27n, bytes.readBigInt64LE(second)]) {
    bytes.writeBigInt64LE(wrong, first);
    writeFileSync(file, bytes);
    expect(await codeOnOpening()).toBe('log.damaged');
  }
  await repair();
  expect(await codeOnOpening()).toBe('opened');
});

test('random damage causes no stack trace, no wrong record and no deletion, and every log can be repaired', () => {
  const script = join(import.meta.dirname, '../../dist/modules/test/contract/log-damage-child.js');
  const run = spawnSync(process.execPath, [script, folder, '1', '40'], { encoding: 'utf8' });
  expect([run.signal, run.stdout], run.stderr.split('\n').at(-2)).toEqual([null, '[]']);
});
