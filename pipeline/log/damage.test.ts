// Readers of a damaged log: intact records are delivered, a group holds the partition and no other, maintenance continues elsewhere.
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import { type Damage, damageOf, offsetAfter } from './damage.ts';
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

const entryOf = (offset: number) => readEntry(log.store, offsetKey(offset), indexOf(log.store, 'frames', 0).get(offsetKey(offset))!);
const fileOf = (offset: number): string => join(path, 'segments', `${String(entryOf(offset).segment).padStart(10, '0')}.seg`);

/** Changes a byte of the batch with this offset in partition 0. */
function flip(offset: number): void {
  const { position, bytes } = entryOf(offset);
  const content = readFileSync(fileOf(offset));
  content[position + bytes - 10]! ^= 1;
  writeFileSync(fileOf(offset), content);
}

/** Reads like a reader that continues behind damage. */
async function readOn(): Promise<{ readonly offsets: number[]; readonly damages: Damage[] }> {
  const [offsets, damages]: [number[], Damage[]] = [[], []];
  let from: number | 'earliest' = 'earliest';
  for (;;)
    try {
      for await (const { records, nextOffset } of log.read({ topic: 'frames', partition: 0, from, to: 'end' })) {
        offsets.push(...records.map(({ offset }) => offset));
        from = nextOffset;
      }
      return { offsets, damages };
    } catch (error) {
      damages.push(damageOf(error)!);
      from = offsetAfter(error);
    }
}

it.each<[string, () => unknown, intact: number[], damaged: [number, number][]]>([
  ['changed batches', () => [0, 3, 7].forEach(flip), [1, 2, 4, 5, 6], [0, 3, 7].map((offset) => [offset, offset])],
  ['a segment that is cut off', () => truncateSync(fileOf(0), 2000), [0, 1], [2, 3, 4, 5, 6, 7].map((offset) => [offset, offset])],
  ['a segment that is gone', () => rmSync(fileOf(0)), [], [[0, 7]]],
  [
    'a changed and a missing index entry',
    async () => {
      const index = indexOf(log.store, 'frames', 0);
      const entry = Buffer.from(index.get(offsetKey(2))!);
      entry[10]! ^= 1;
      await index.put(offsetKey(2), entry);
      await index.remove(offsetKey(5));
    },
    [0, 1, 3, 4, 6, 7],
    [2, 5].map((offset) => [offset, offset]),
  ],
])('%s: no intact record is lost, and each damage is named once', async (_, damage, intact, damaged) => {
  await damage();
  const { offsets, damages } = await readOn();
  expect(offsets).toEqual(intact);
  expect(damages.map(({ from, to }) => [from, to])).toEqual(damaged);
  await readOn();
  expect(log.damages()).toEqual(damages);
  expect(damages[0]).toMatchObject({ topic: 'frames', partition: 0, detail: expect.any(String) });
});

it.each([
  ['whose records are damaged, behind its last intact record', 4, [0, 1, 2, 3]],
  ['whose state cannot be restored', 0, []],
])('a group holds the partition %s, and the other one continues', async (_, damaged, intact) => {
  flip(damaged);
  const seen: number[][] = [[], []];
  const events: string[] = [];
  const member = await log.join('fold', 'frames', {
    async assigned(partition) {
      if (damaged === 0) for await (const _ of log.read({ topic: 'frames', partition, from: 'earliest', to: 'end' }));
      return 0;
    },
    batch: async ({ partition, records }) => void seen[partition]!.push(...records.map(({ offset }) => offset)),
    held: (partition) => void events.push(`held ${partition}`),
    revoked: async (partition) => void events.push(`revoked ${partition}`),
  });
  await until(() => events.length === 1);
  await log.append('frames', 1, [{ key: null, value: Buffer.alloc(500), timestampMs: FRAMES }]);
  await until(() => seen[1]!.length === FRAMES + 1);
  await member.leave();
  await member.done;
  expect(seen[0]).toEqual(intact);
  expect(events).toEqual(['held 0', 'revoked 0', 'revoked 1']);
});

it('maintenance of other partitions continues', async () => {
  flip(4);
  expect((await log.maintain(Date.now(), true)).packed).toBe(FRAMES);
  expect(log.damages()).toMatchObject([{ topic: 'frames', partition: 0, from: 4, to: 4 }]);
});
