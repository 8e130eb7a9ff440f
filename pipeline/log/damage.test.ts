// Readers of a damaged log: intact records are delivered, a group holds the partition and no other, maintenance continues elsewhere.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { type Damage, damageOf, offsetAfter } from './damage.ts';
import type { ReadRequest } from './event-log.ts';
import { offsetKey } from './lmdb/entry.ts';
import { type LmdbLog, openLmdbLog } from './lmdb/lmdb-log.ts';
import { readEntry } from './lmdb/reader.ts';
import { indexOf } from './lmdb/store.ts';

const FRAMES = 8;
const folder = temporaryFolder();
let path = '';
let log: LmdbLog;

beforeEach(async () => {
  path = join(folder.path, 'log');
  log = await openLmdbLog({ path, mode: 'write' });
  for (let i = 0; i < FRAMES; i += 1)
    for (const partition of [0, 1]) await log.append('frames', partition, [{ key: null, value: Buffer.alloc(500, i), timestampMs: i }]);
});
afterEach(async () => {
  await log.close();
  folder.remove();
});

/** Changes a byte of the batch with this offset in partition 0. */
function flip(offset: number): void {
  const { segment, position, bytes } = readEntry(log.store, offsetKey(offset), indexOf(log.store, 'frames', 0).get(offsetKey(offset))!);
  const file = fileOf(segment);
  const content = readFileSync(file);
  content[position + bytes - 10]! ^= 1;
  writeFileSync(file, content);
}

const fileOf = (segment: number): string => join(path, 'segments', `${String(segment).padStart(10, '0')}.seg`);
const segmentOfFrames = (): number => readEntry(log.store, offsetKey(0), indexOf(log.store, 'frames', 0).get(offsetKey(0))!).segment;

/** Reads like a reader that continues behind damage. */
async function readOn(request: Partial<ReadRequest> = {}): Promise<{ readonly offsets: number[]; readonly damages: Damage[] }> {
  const [offsets, damages]: [number[], Damage[]] = [[], []];
  let from: number | 'earliest' = 'earliest';
  for (;;)
    try {
      for await (const { records, nextOffset } of log.read({ topic: 'frames', partition: 0, from, to: 'end', ...request })) {
        offsets.push(...records.map(({ offset }) => offset));
        from = nextOffset;
      }
      return { offsets, damages };
    } catch (error) {
      damages.push(damageOf(error)!);
      from = offsetAfter(error);
    }
}

it('a damaged batch costs no intact record, before or behind it, and is named once', async () => {
  for (const offset of [0, 3, 7]) flip(offset);
  const { offsets, damages } = await readOn();
  expect(offsets).toEqual([1, 2, 4, 5, 6]);
  expect(damages.map(({ from, to }) => [from, to])).toEqual([0, 3, 7].map((offset) => [offset, offset]));
  await readOn();
  expect(log.damages()).toEqual(damages);
  expect(log.damages()[1]).toMatchObject({ topic: 'frames', partition: 0, detail: expect.stringMatching(/^the checksum is wrong/) });
});

it.each<[string, (file: string) => void, number[], [number, number][]]>([
  ['cut off', (file) => truncateSync(file, 2000), [0, 1], [2, 3, 4, 5, 6, 7].map((offset) => [offset, offset])],
  ['gone', (file) => rmSync(file), [], [[0, 7]]],
])('a segment that is %s is damage of its offsets', async (_, damage, offsets, stretches) => {
  damage(fileOf(segmentOfFrames()));
  const found = await readOn();
  expect(found.offsets).toEqual(offsets);
  expect(found.damages.map(({ from, to }) => [from, to])).toEqual(stretches);
});

it('a damaged or missing index entry is damage of its offsets', async () => {
  const index = indexOf(log.store, 'frames', 0);
  const entry = Buffer.from(index.get(offsetKey(2))!);
  entry[10]! ^= 1;
  await index.put(offsetKey(2), entry);
  await index.remove(offsetKey(5));
  const { offsets, damages } = await readOn();
  expect(offsets).toEqual([0, 1, 3, 4, 6, 7]);
  expect(damages.map(({ from, to }) => [from, to])).toEqual([
    [2, 2],
    [5, 5],
  ]);
});

it('a group holds the damaged partition behind its last intact record, and the other one continues', async () => {
  flip(4);
  const seen: number[][] = [[], []];
  const events: string[] = [];
  const member = await log.join('fold', 'frames', {
    assigned: async () => 0,
    batch: async ({ partition, records }) => void seen[partition]!.push(...records.map(({ offset }) => offset)),
    held: (partition) => void events.push(`held ${partition}`),
    revoked: async (partition) => void events.push(`revoked ${partition}`),
  });
  await until(() => events.length === 1);
  await log.append('frames', 1, [{ key: null, value: Buffer.alloc(500), timestampMs: FRAMES }]);
  await until(() => seen[1]!.length === FRAMES + 1);
  await member.leave();
  await member.done;
  expect(seen[0]).toEqual([0, 1, 2, 3]);
  expect(events).toEqual(['held 0', 'revoked 0', 'revoked 1']);
});

it('a partition whose state cannot be restored is held, and its member can leave', async () => {
  flip(0);
  const held: number[] = [];
  const member = await log.join('fold', 'frames', {
    async assigned(partition) {
      for await (const _ of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }));
      return FRAMES;
    },
    batch: async () => {},
    held: (partition) => void held.push(partition),
    revoked: async () => {},
  });
  await until(() => held.length === 1);
  await member.leave();
  await member.done;
  expect(held).toEqual([0]);
});

it('maintenance of other partitions continues', async () => {
  flip(4);
  expect((await log.maintain(Date.now(), true)).packed).toBe(FRAMES);
  expect(log.damages()).toMatchObject([{ topic: 'frames', partition: 0, from: 4, to: 4 }]);
});
