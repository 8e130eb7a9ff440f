// Snapshots share arenas: leased bytes stay unchanged, others are reused, and memory does not grow.
import { gunzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { createTestView } from '../../test/support/live-view.ts';
import { hexKey } from '../aircraft/hex-key.ts';
import type { View } from '../aircraft/plain.ts';
import { Turns } from '../runtime/waiting.ts';
import { Arena } from './arena.ts';
import type { Compressor, Encoding } from './compress.ts';
import { EncodedBodies } from './encodings.ts';
import { signalStatistics } from './signal.ts';

describe('leases', () => {
  it('keep leased bytes while later ticks are rendered, and allow the rest to be reused', async () => {
    const view = await createTestView(300);
    const held = view.current()!;
    held.retain();
    const body = held.body('native');
    const before = body.toString();
    const memories = new Set([body.buffer]);
    for (let tick = 1; tick <= 20; tick += 1) {
      for (let i = 0; i < 300; i += 1) view.table.applyState(fullState(i + tick, NOW_MS + tick * 1000));
      memories.add(view.tick(NOW_MS + tick * 1000).body('native').buffer);
    }
    expect(body.toString()).toBe(before);
    expect(held.body('native')).toBe(body);
    expect(view.builder.pool.allocated).toBe(3);
    held.release();
    for (let tick = 21; tick <= 80; tick += 1) memories.add(view.tick(NOW_MS + tick * 1000).body('native').buffer);
    expect(view.builder.pool.allocated).toBe(3);
    // None of the ticks of a minute needed the third one.
    memories.add(view.tick(NOW_MS + 81_000).body('native').buffer);
    expect(view.builder.pool.allocated).toBe(2);
    expect([...memories].filter(({ byteLength }) => byteLength > 0)).toHaveLength(2);
    for (let tick = 82; tick <= 150; tick += 1) view.tick(NOW_MS + tick * 1000);
    expect(view.builder.pool.allocated).toBe(2);
  });

  it('are required for the bytes of an old snapshot', async () => {
    const view = await createTestView(3);
    const old = view.current()!;
    view.tick(NOW_MS + 1000);
    expect(old.body('native').length).toBeGreaterThan(0);
    view.tick(NOW_MS + 2000);
    for (const use of [() => old.body('native'), () => old.find([hexKey(fullState(0).hex)]), () => old.numberOf(1), () => old.retain()])
      expect(use).toThrow(/without a lease/);
  });

  it('serve the snapshot, not the table, which may be ahead', async () => {
    const view = await createTestView(3);
    const key = hexKey(fullState(1).hex);
    view.table.remove(fullState(1).hex);
    view.table.applyState(fullState(77));
    const snapshot = view.current()!;
    const found = snapshot.find([key, hexKey(fullState(77).hex)]);
    expect(found.count).toBe(1);
    expect((JSON.parse(snapshot.text('native', found)) as { hex: string }).hex).toBe(fullState(1).hex);
    expect(snapshot.listing.flights[found.indices[0]!]).toBe(fullState(1).flight);
    expect(snapshot.numberOf(key)).toBe(found.indices[0]);
  });
});

describe('the JSON of a tick', () => {
  it('is written when it is asked for, ahead of requests while they come, and takes no memory later', async () => {
    const write = vi.spyOn(Arena.prototype, 'write');
    onTestFinished(() => write.mockRestore());
    const view = await createTestView(300);
    const turns = new Turns(1);
    let tick = 0;
    const ahead = new Set<View>();
    /** Ticks of which the JSON is written. */
    const written = async (ticks: number): Promise<number> => {
      let count = 0;
      for (let i = 0; i < ticks; i += 1) {
        tick += 1;
        write.mockClear();
        const snapshot = view.builder.prepare(NOW_MS + tick * 100, 0);
        await snapshot.writeAhead(turns);
        view.builder.show(snapshot);
        if (write.mock.calls.length > 0) count += 1;
        for (const [view] of write.mock.calls) ahead.add(view);
      }
      write.mockClear();
      return count;
    };
    // At first always: its code is not compiled yet.
    const coldTicks = limits.viewColdAircraft / 300;
    expect(await written(coldTicks)).toBe(coldTicks);
    expect([...ahead]).toEqual(['native', 'readsb']);
    ahead.clear();
    expect(await written(20)).toBe(0);
    expect(view.current()!.find([hexKey(fullState(7).hex)]).count).toBe(1);
    expect(write).not.toHaveBeenCalled();
    const { buffer } = view.current()!.body('native');
    expect(write.mock.calls).toEqual([['native']]);
    view.current()!.body('readsb');
    view.current()!.body('native');
    expect(write.mock.calls).toEqual([['native'], ['readsb']]);
    // One request alone may have been the last.
    expect(await written(5)).toBe(0);
    view.current()!.body('native');
    expect(await written(30)).toBe(limits.viewAheadTicks - 5);
    expect([...ahead]).toEqual(['native']);
    expect(buffer.byteLength).toBe(0);
  });
});

it('JSON that is written ahead in turns is the same, and the snapshot before is current meanwhile', async () => {
  const view = await createTestView(300);
  const [, before] = [1, 2].map((second) => {
    const snapshot = view.tick(NOW_MS + second * 1000);
    return { snapshot, json: snapshot.body('native').toString() };
  });
  const snapshot = view.builder.prepare(NOW_MS + 2000, 4242);
  const ahead = snapshot.writeAhead(new Turns(0.05));
  expect(view.current()).toBe(before!.snapshot);
  await ahead;
  expect(view.builder.show(snapshot).body('native').toString()).toBe(before!.json.replace(before!.snapshot.id, snapshot.id));
});

describe('encoded bodies', () => {
  /** A compressor that finishes on command. */
  function manual(): { compressors: ReadonlyMap<Encoding, Compressor>; finish: () => Promise<void>; started: () => number } {
    const open: (() => void)[] = [];
    let started = 0;
    const compress: Compressor = (body) => {
      started += 1;
      return new Promise((resolve) => open.push(() => resolve(Buffer.from(`packed ${body.toString().slice(0, 24)}`))));
    };
    const finish = async (): Promise<void> => {
      for (const done of open.splice(0)) done();
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { compressors: new Map([['gzip', compress]]), finish, started: () => started };
  }

  it('are those of the previous tick while the new one is made, with its own snapshot', async () => {
    const view = await createTestView(2);
    const { compressors, finish } = manual();
    const bodies = new EncodedBodies(compressors, () => view.clockMs);
    const first = view.current()!;
    const compressing = bodies.get(first, 'native', 'gzip');
    await finish();
    const body = await compressing;
    expect(body.snapshot).toBe(first);
    const second = view.tick(NOW_MS + 1000);
    bodies.prepare(second);
    expect(bodies.get(second, 'native', 'gzip')).toBe(body);
    await finish();
    expect((await bodies.get(second, 'native', 'gzip')).snapshot).toBe(second);
  });

  it('keep a lease while compressing: the bytes are those of one tick', async () => {
    const view = await createTestView(2000);
    const compressing = [];
    for (let tick = 0; tick < 30; tick += 1) {
      const snapshot = view.tick(NOW_MS + tick * 1000);
      compressing.push(Promise.resolve(view.bodies.get(snapshot, 'native', 'gzip')));
      for (let i = 0; i < 2000; i += 1) view.table.applyState(fullState(i, NOW_MS + tick * 1000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    for (const { snapshot, bytes } of await Promise.all(compressing)) {
      const body = JSON.parse(gunzipSync(bytes).toString()) as { now: number; ac: unknown[] };
      expect(body.now * 1000).toBe(snapshot.times.nowMs);
      expect(body.ac).toHaveLength(2000);
    }
    expect(view.builder.pool.allocated).toBeLessThanOrEqual(4);
  });

  it('are tried again after a failure', async () => {
    const view = await createTestView(1);
    let fail = true;
    const compress: Compressor = async (body) => {
      if (fail) throw new Error('no memory');
      return Buffer.from(body);
    };
    const bodies = new EncodedBodies(new Map([['br', compress]]), () => view.clockMs);
    await expect(bodies.get(view.current()!, 'readsb', 'br')).rejects.toThrow('no memory');
    fail = false;
    expect((await bodies.get(view.current()!, 'readsb', 'br')).bytes.length).toBeGreaterThan(0);
    expect(bodies.stats().get('readsb br')).toMatchObject({ made: 1, failed: 1 });
  });
});

describe('signal statistics', () => {
  const statisticsOf = (...levels: number[]): ReturnType<typeof signalStatistics> =>
    signalStatistics(Int32Array.from(levels), Int32Array.from(levels.keys()), levels.length);

  it('count only aircraft with a level', () => {
    expect(statisticsOf(-495, -100, -200)).toMatchObject({ aircraftCount: 2, avg: -15, median: -15 });
    expect(statisticsOf(-495)).toEqual({ avg: null, median: null, p10: null, p90: null, aircraftCount: 0 });
    expect(statisticsOf()).toMatchObject({ aircraftCount: 0 });
  });

  it('interpolate percentiles between ranks', () => {
    const levels = Array.from({ length: 11 }, (_, i) => -10 * i);
    expect(statisticsOf(...levels)).toEqual({ avg: -5, median: -5, p10: -9, p90: -1, aircraftCount: 11 });
    expect(statisticsOf(-30)).toMatchObject({ median: -3, p10: -3, p90: -3 });
    expect(statisticsOf(5, 0)).toMatchObject({ avg: 0, aircraftCount: 2 });
  });
});
