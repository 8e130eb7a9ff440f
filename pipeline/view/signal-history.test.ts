// The signal history: samples of the live view, and the same ones restored from the aircraft topic after a restart.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bareState } from '../../test/support/full-state.ts';
import { temporaryFolder } from '../../test/support/service.ts';
import { LiveTable } from '../aircraft/table.ts';
import { type OpenData, openData } from '../log/open-data.ts';
import type { OutgoingRecord } from '../log/record-block.ts';
import type { SignalStatistics } from './signal.ts';
import { SIGNAL_SAMPLES, SignalHistory, type SignalSample } from './signal-history.ts';
import { restoreSignal } from './signal-restore.ts';
import { SnapshotBuilder } from './snapshot.ts';

const START_MS = 1_700_000_000_000;
const levels = (avg: number): SignalStatistics => ({ avg, median: avg, p10: avg, p90: avg, aircraftCount: 1 });
const tick = (nowMs: number, signal: SignalStatistics) => ({
  times: { nowMs, heardMs: nowMs, ptimeMs: nowMs, ctimeMs: nowMs, advancedAtMs: null },
  signal,
  totals: { messages: 0, messagesPerSecond: null, total: 1, withPosition: 1, sources: { adsb_icao: 1, mlat: 0, tisb: 0, adsr: 0 } },
});
/** Aircraft are heard in some ticks of some minutes. */
const isSilent = (n: number, i: number): boolean => (n * (i + 3)) % 7 > 3 || (i % 5 === 4 && n % 300 > 150);
/** States of a tick; null when the aircraft is forgotten. */
function statesOf(n: number, partition: number) {
  const heard = Array.from({ length: 20 }, (_, half) => 2 * half + partition).filter((i) => !isSilent(n, i));
  return heard.map((i) => {
    const hex = (0xaa0000 + i).toString(16);
    return { hex, state: i % 5 === 4 && n % 300 === 150 ? null : stateOf(hex, START_MS + n * 1000, n, i) };
  });
}
const stateOf = (hex: string, tickMs: number, n: number, i: number) =>
  bareState(hex, {
    ...{ tickMs, seenMs: tickMs - 300, messages: 1 + (n % 3), rssiDeciDbfs: -(((n * 13 + i * 17) % 490) + 5) },
    ...{ positionMs: tickMs, latitudeMicrodeg: 1, longitudeMicrodeg: 1, nic: 1, rcM: 1, positionValid: (n + i) % 11 < 5 },
  });
const shown = (samples: readonly SignalSample[]): (readonly [number, number | null])[] =>
  samples.map(({ timeMs, avg }) => [(timeMs - START_MS) / 1000, avg]);

describe('samples of the live view', () => {
  it('have the levels of the first tick, with partitions that come late', () => {
    const history = new SignalHistory();
    history.note(tick(START_MS, levels(-1)));
    history.note(tick(START_MS, levels(-2)));
    expect(history.samples(START_MS)).toEqual([]);
    history.note(tick(START_MS + 1000, levels(-3)));
    history.note(tick(START_MS + 5000, levels(-4)));
    history.note(tick(START_MS + 6000, levels(-5)));
    expect(shown(history.samples(START_MS + 6000))).toEqual([
      [0, -2],
      [4, -4],
    ]);
    // After a silence only what belongs to the last five minutes.
    history.note(tick(START_MS + 302_000, levels(-6)));
    history.note(tick(START_MS + 303_000, levels(-7)));
    expect(shown(history.samples(START_MS + 303_000))).toEqual([
      [4, -4],
      [6, -5],
      [302, -6],
    ]);
  });
});

describe('restored from the log', () => {
  const folder = temporaryFolder();
  let data: OpenData;
  const live = new SignalHistory();
  const SECONDS = 700;
  const STOPPED = new Set(Array.from({ length: 20 }, (_, n) => 501 + n));

  /** Aircraft that come, fade, are silent, lose their position and are forgotten, in two partitions; a stop of the service in between. */
  beforeAll(async () => {
    data = await openData(folder.path, 'write');
    const table = new LiveTable();
    const builder = new SnapshotBuilder(table, () => START_MS, 'test');
    const progress = (partition: number, tickMs: number) =>
      data.codecs.FoldProgress.encode({
        ...{ partition, tickMs, frameOffset: 0, frames: 0, messages: 0, positions: 0, positionsDropped: 0, aircraft: 0 },
        ...{ rejected: [], reaches: null, foldVersion: 1 },
      });
    const aircraft: OutgoingRecord[][] = [[], []];
    const ticks: OutgoingRecord[][] = [[], []];
    for (let n = 0; n <= SECONDS; n += 1) {
      if (STOPPED.has(n)) continue;
      const tickMs = START_MS + n * 1000;
      for (const partition of [0, 1]) {
        for (const { hex, state } of statesOf(n, partition)) {
          if (state === null) table.remove(hex);
          else table.applyState(state);
          aircraft[partition]!.push({ key: hex, value: state && data.codecs.AircraftState.encode(state), timestampMs: tickMs });
        }
        ticks[partition]!.push({ key: String(partition), value: progress(partition, tickMs), timestampMs: tickMs });
      }
      live.note(builder.build(tickMs, 0));
    }
    for (const partition of [0, 1]) {
      await data.log.append('aircraft', partition, aircraft[partition]!);
      await data.log.append('progress', partition, ticks[partition]!);
    }
  });
  afterAll(async () => {
    await data.log.close();
    folder.remove();
  });

  it('they are those of the live view', async () => {
    const restored = new SignalHistory();
    await restoreSignal(restored, { ...data, signal: new AbortController().signal });
    const endMs = START_MS + SECONDS * 1000;
    for (const history of [live, restored]) history.note(tick(endMs + 2000, levels(0)));
    expect(live.samples(endMs).length).toBe(SIGNAL_SAMPLES - 9);
    // The log's states do not say how many messages a second had.
    const samples = live.samples(endMs).map((sample) => ({ ...sample, counts: { ...sample.counts, messagesPerSecond: null } }));
    expect(restored.samples(endMs)).toEqual(samples);
    expect(new Set(samples.map(({ counts }) => counts.withPosition)).size).toBeGreaterThan(5);
  });

  it('they are those of the store, and what it lacks from the log', async () => {
    const endMs = START_MS + SECONDS * 1000;
    const { signal } = new AbortController();
    const [all, restored] = [new SignalHistory(), new SignalHistory()];
    await restoreSignal(all, { ...data, signal });
    all.note(tick(endMs + 1000, levels(0)));
    // The newest is not final.
    const stored = all.samples(endMs - 2000).filter(({ timeMs }) => timeMs > START_MS + 450_000 && timeMs < START_MS + 600_000);
    await restoreSignal(restored, { ...data, stored: async () => stored, signal });
    restored.note(tick(endMs + 1000, levels(0)));
    expect(restored.samples(endMs)).toEqual(all.samples(endMs));
  });

  it('after a stop of more than five minutes there are the samples since the start alone, and restoring costs none of them', async () => {
    const history = new SignalHistory();
    const startMs = START_MS + (SECONDS + 302) * 1000;
    // The view has ticks of its own while the log is read.
    for (let s = 0; s <= 60; s += 1) history.note(tick(startMs + s * 1000, levels(-s)));
    await restoreSignal(history, { ...data, signal: new AbortController().signal });
    const samples = shown(history.samples(startMs + 60_000));
    expect(samples).toEqual(Array.from({ length: 30 }, (_, n) => [SECONDS + 302 + 2 * n, -2 * n]));
  });
});
