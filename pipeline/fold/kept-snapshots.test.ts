// Kept snapshots in the log: whole or not at all, the newest before a moment; and what readers of the aircraft topic had at their moment.
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import type { AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { variedTraffic } from '../../test/support/varied-traffic.ts';
import type { EventLog } from '../log/event-log.ts';
import { type OpenData, openData } from '../log/open-data.ts';
import { type KeptState, keptBefore, keptFrom, keptRecords } from './kept-snapshots.ts';
import { PartitionFold } from './partition-fold.ts';

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function emptyLog(): Promise<OpenData> {
  const folder = temporaryFolder();
  cleanups.push(folder.remove);
  const data = await openData(folder.path, 'write');
  cleanups.push(() => data.log.close());
  return data;
}

/** Bytes that no codec makes smaller. */
function noise(length: number): Uint8Array {
  return createHash('shake256', { outputLength: length }).digest();
}

const state = (tickMs: number, more: Partial<KeptState> = {}): KeptState => ({
  frameOffset: tickMs / 10,
  tickMs,
  version: 2,
  receiver: null,
  bytes: noise(1000),
  ...more,
});

/** The same log, and the number of records that were read from it. */
function counting(log: EventLog): { log: EventLog; records: () => number } {
  let records = 0;
  const read: EventLog['read'] = async function* (request) {
    for await (const batch of log.read(request)) {
      records += batch.records.length;
      yield batch;
    }
  };
  const counted = new Proxy(log, {
    get: (target, name) => {
      const member: unknown = name === 'read' ? read : Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { log: counted, records: () => records };
}

describe('kept snapshots in the log', () => {
  it('come back with everything that a fold needs, also from several chunks', async () => {
    const { log } = await emptyLog();
    const bytes = noise(3 * limits.snapshotChunkBytesMax);
    const records = keptRecords(1, state(60_000, { bytes, receiver: { lat: 51.99, lon: -4.37 } }));
    expect(records.length).toBeGreaterThan(3);
    await log.append('snapshotsKept', 1, records);
    const kept = await keptBefore(log, 1, 60_001);
    expect(kept).toMatchObject({ frameOffset: 6000, tickMs: 60_000, version: 2, receiver: { lat: 51.99, lon: -4.37 } });
    expect(Buffer.compare(kept!.open(), bytes)).toBe(0);
  });

  it('are found as the newest before a moment, however long ago, and as the first from it on', async () => {
    const { log } = await emptyLog();
    const hour = 3_600_000;
    for (const tickMs of [hour, hour + 60_000, 30 * hour]) await log.append('snapshotsKept', 0, keptRecords(0, state(tickMs)));
    const tickBefore = async (tickMs: number) => (await keptBefore(log, 0, tickMs))?.tickMs;
    expect(await tickBefore(hour)).toBeUndefined();
    expect(await tickBefore(hour + 1)).toBe(hour);
    expect(await tickBefore(hour + 60_000)).toBe(hour);
    expect(await tickBefore(29 * hour)).toBe(hour + 60_000);
    expect(await tickBefore(31 * hour)).toBe(30 * hour);
    expect((await keptFrom(log, 0, 2 * hour))?.tickMs).toBe(30 * hour);
    expect(await keptFrom(log, 0, 31 * hour)).toBeNull();
    expect(await keptBefore(log, 1, 31 * hour)).toBeNull();
  });

  it('are found without reading those long before, after a time without any', async () => {
    const { log } = await emptyLog();
    const minute = 60_000;
    await log.append('snapshotsKept', 0, Array.from({ length: 300 }, (_, i) => keptRecords(0, state(i * minute))).flat());
    const counted = counting(log);
    expect((await keptBefore(counted.log, 0, 3000 * minute))?.tickMs).toBe(299 * minute);
    expect(counted.records()).toBeLessThanOrEqual(8);
  });

  it('are searched for in a bounded number of records', async () => {
    const { log } = await emptyLog();
    await log.append('snapshotsKept', 0, keptRecords(0, state(1000)));
    const other = (i: number) => ({ key: 'x', value: Buffer.from('no snapshot'), timestampMs: 2000 + i });
    const others = Array.from({ length: limits.keptSearchedMax - 1 }, (_, i) => other(i));
    await log.append('snapshotsKept', 0, others);
    const counted = counting(log);
    expect((await keptBefore(counted.log, 0, 10_000))?.tickMs).toBe(1000);
    await log.append('snapshotsKept', 0, [other(others.length)]);
    expect(await keptBefore(counted.log, 0, 10_000)).toBeNull();
    expect(counted.records()).toBeLessThan(4 * limits.keptSearchedMax);
  });

  it('are skipped while a chunk is missing, and refused when their bytes are wrong', async () => {
    const { log } = await emptyLog();
    await log.append('snapshotsKept', 0, keptRecords(0, state(1000)));
    const whole = keptRecords(0, state(2000, { bytes: noise(2 * limits.snapshotChunkBytesMax) }));
    await log.append('snapshotsKept', 0, whole.slice(0, -1));
    await log.append('snapshotsKept', 0, [{ key: 'x', value: Buffer.from('no snapshot'), timestampMs: 2500 }]);
    expect((await keptBefore(log, 0, 3000))?.tickMs).toBe(1000);
    const [broken] = keptRecords(0, state(4000));
    broken!.value!.fill(0xff, 41);
    await log.append('snapshotsKept', 0, [broken!]);
    const kept = await keptBefore(log, 0, 5000);
    expect(() => kept!.open()).toThrow(/snapshot/);
  });
});

describe('a restored fold', () => {
  it('gives the newest emitted state of every aircraft', () => {
    const options = { tickMs: 1000, receiver: null };
    const fold = new PartitionFold(options);
    const newest = new Map<string, AircraftState>();
    let compared = 0;
    variedTraffic(200, 60).forEach((batch, offset) => {
      fold.apply(batch, offset, (tick) => {
        for (const state of tick.aircraft.build()) newest.set(state.hex, state);
        for (const hex of tick.gone) newest.delete(hex);
      });
      if (offset < 50 || offset % 7 !== 0) return;
      const restored = PartitionFold.restore(fold.snapshot(), options);
      const digest = restored.digest();
      restored.eachEmitted((states) => {
        for (const state of states.build()) expect(state).toEqual(newest.get(state.hex));
        compared += 1;
      });
      expect(restored.digest()).toBe(digest);
    });
    expect(compared).toBeGreaterThan(500);
  });
});
