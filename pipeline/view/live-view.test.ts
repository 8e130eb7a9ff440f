// The view over the real embedded log: commits of a fold appear whole, a restart loads the same state, stopping ends it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fullState, NOW_MS } from '../../test/support/full-state.ts';
import { type OpenData, openData } from '../log/open-data.ts';
import { type FollowedView, openLiveView } from './live-view.ts';

describe('the live view over the embedded log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'squitter-view-'));
  let data: OpenData;
  let committed: number[];

  beforeAll(async () => {
    data = await openData(folder, 'write');
    committed = Array.from({ length: data.log.partitions('frames') }, () => 0);
  });
  afterAll(async () => {
    await data.log.close();
    rmSync(folder, { recursive: true });
  });

  /** Commits what the fold commits for a tick: states, tombstones and progress together. */
  async function commit(partition: number, tickMs: number, aircraft: readonly number[], gone: readonly number[]): Promise<void> {
    const { log, codecs } = data;
    const nextOffset = (await log.append('frames', partition, [{ key: null, value: Buffer.from('frame'), timestampMs: tickMs }])) + 1;
    const states = aircraft.map((i) => fullState(i, tickMs));
    const put = states.map((state) => ({ key: state.hex, value: codecs.AircraftState.encode(state), timestampMs: tickMs }));
    const removed = gone.map((i) => ({ key: fullState(i).hex, value: null, timestampMs: tickMs }));
    const counts = {
      frameOffset: 0,
      frames: 1,
      messages: tickMs - NOW_MS,
      positions: 0,
      positionsDropped: 0,
      aircraft: aircraft.length,
      rejected: [],
      reaches: null,
      foldVersion: 1,
    };
    const progress = codecs.FoldProgress.encode({ partition, tickMs, ...counts });
    const outputs = [
      { topic: 'aircraft', partition, records: [...put, ...removed] },
      { topic: 'progress', partition, records: [{ key: String(partition), value: progress, timestampMs: tickMs }] },
    ] as const;
    await log.commit({ group: 'fold', topic: 'frames', partition, fromOffset: committed[partition]!, nextOffset, outputs });
    committed[partition] = nextOffset;
  }

  async function withView(use: (view: FollowedView, at: (nowMs: number) => Promise<string[]>) => Promise<void>): Promise<void> {
    const stop = new AbortController();
    const view = await openLiveView(data.log, data.codecs, { clock: () => NOW_MS, signal: stop.signal, partitionWaitMs: 1000 });
    await view.follower.ready;
    const at = async (nowMs: number): Promise<string[]> => {
      for (let i = 0; i < 500 && view.current()?.times.nowMs !== nowMs; i += 1) await new Promise((resolve) => setTimeout(resolve, 10));
      const body = JSON.parse(view.current()!.body('native').toString()) as { now: number; ac: { hex: string }[] };
      expect(body.now * 1000).toBe(nowMs);
      return body.ac.map(({ hex }) => hex).sort();
    };
    await use(view, at);
    stop.abort();
    await view.follower.done;
  }

  it('follows, removes, and loads the same after a restart', async () => {
    const hexes = (...aircraft: number[]): string[] => aircraft.map((i) => fullState(i).hex).sort();
    await withView(async (view, at) => {
      expect(view.current()).toBeNull();
      await commit(0, NOW_MS + 1000, [0, 2, 4], []);
      await commit(1, NOW_MS + 1000, [1, 3], []);
      expect(await at(NOW_MS + 1000)).toEqual(hexes(0, 1, 2, 3, 4));
      await commit(0, NOW_MS + 2000, [2], [0]);
      await commit(1, NOW_MS + 2000, [5], []);
      expect(await at(NOW_MS + 2000)).toEqual(hexes(1, 2, 3, 4, 5));
      expect(view.current()!.totals.messages).toBe(4000);
      expect(view.follower.stats.malformed).toBe(0);
    });
    await withView(async (view, at) => {
      expect(view.isReady()).toBe(true);
      expect(await at(NOW_MS + 2000)).toEqual(hexes(1, 2, 3, 4, 5));
    });
  });
});
