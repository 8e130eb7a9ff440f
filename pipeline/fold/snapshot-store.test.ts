// Snapshots in the log: whole or not at all, never mixed, the newest one, and the newest one before a moment.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { emptyLog } from '../../test/support/folded-log.ts';
import { keptBefore, keptFrom, latestSnapshot, type SnapshotHead, snapshotRecords, tombstones } from './snapshot-store.ts';

/** Bytes that no codec makes smaller. */
const noise = (length: number): Uint8Array => createHash('shake256', { outputLength: length }).digest();
const TWO_CHUNKS = noise(limits.snapshotChunkBytesMax + 1);

const head = (tickMs: number): SnapshotHead => ({ frameOffset: tickMs / 10, tickMs, version: 2, versionBefore: 1, receiver: null });
const snapshot = (tickMs: number, state = noise(1000)) => snapshotRecords('0', head(tickMs), state);

describe('the newest snapshot', () => {
  it('comes back with everything that a fold needs, from several chunks', async () => {
    const { log } = await emptyLog();
    const state = noise(3 * limits.snapshotChunkBytesMax);
    const receiver = { lat: 51.99, lon: -4.37 };
    await log.append('snapshots', 1, snapshotRecords('1', { ...head(60_000), receiver }, state));
    const { chunks, open, ...found } = (await latestSnapshot(log, 1))!;
    expect(found).toEqual({ name: '1', frameOffset: 6000, tickMs: 60_000, version: 2, versionBefore: 1, receiver });
    expect(chunks).toBeGreaterThanOrEqual(3);
    expect(Buffer.compare(open(), state)).toBe(0);
  });

  it('is whole, and never made of chunks of two snapshots', async () => {
    const [older, newer] = [snapshot(1000, TWO_CHUNKS), snapshot(2000, TWO_CHUNKS)];
    for (const [records, found] of [
      [[], undefined],
      [older.slice(0, 1), undefined],
      [[...older, newer[0]!], 1000],
      [[older[1]!, newer[0]!], undefined],
      [[...older, ...newer], 2000],
    ] as const) {
      const { log } = await emptyLog();
      if (records.length > 0) await log.append('snapshots', 0, [...records]);
      expect((await latestSnapshot(log, 0))?.tickMs).toBe(found);
    }
    expect(tombstones('1', 1, 3, 5)).toEqual([1, 2].map((chunk) => ({ key: `1/${chunk}`, value: null, timestampMs: 5 })));
  });

  it('is refused when its bytes are wrong', async () => {
    const { log } = await emptyLog();
    const [broken] = snapshot(4000);
    broken!.value!.fill(0xff, 44);
    await log.append('snapshots', 0, [broken!]);
    expect((await latestSnapshot(log, 0))!.open).toThrow(/snapshot/);
  });
});

describe('kept snapshots', () => {
  it('are found as the newest before a moment, however long ago, and as the first from it on', async () => {
    const { log } = await emptyLog();
    const hour = 3_600_000;
    for (const tickMs of [hour, hour + 60_000, 30 * hour]) await log.append('snapshotsKept', 0, snapshot(tickMs));
    const tickBefore = async (tickMs: number) => (await keptBefore(log, 0, tickMs))?.tickMs;
    expect(await tickBefore(hour)).toBeUndefined();
    expect(await tickBefore(hour + 1)).toBe(hour);
    expect(await tickBefore(29 * hour)).toBe(hour + 60_000);
    expect(await tickBefore(31 * hour)).toBe(30 * hour);
    expect((await keptFrom(log, 0, 2 * hour))?.tickMs).toBe(30 * hour);
    expect(await keptFrom(log, 0, 31 * hour)).toBeNull();
    expect(await keptBefore(log, 1, 31 * hour)).toBeNull();
  });
});
