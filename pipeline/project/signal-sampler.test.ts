// The sampler of signal levels: each complete sample once, also after the store was away, and only while this process is the writer.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { until } from '../../test/support/until.ts';
import type { SignalSample } from '../view/signal-history.ts';
import { readBlocks } from './native-reader.ts';
import type { HistoryWriter } from './projection.ts';
import { startRowSampler } from './row-sampler.ts';
import { sampledSignals } from './signal-sampler.ts';

const START_MS = 1_700_000_000_000;
const level = (i: number): SignalSample => ({
  ...{ timeMs: START_MS + 2000 * i, aircraftCount: i },
  counts:
    i === 0
      ? null
      : { total: 9, withPosition: 8, messagesPerSecond: i === 1 ? 1234.5 : null, sources: { adsb_icao: 5, mlat: 1, tisb: 2, adsr: 0 } },
  ...(i % 3 === 0 ? { avg: null, median: null, p10: null, p90: null } : { avg: -12.3, median: -12, p10: -30.4, p90: -1.5 }),
});

it('writes each sample once, only as the writer; keeps a limited number while the store is away, and counts the others', async () => {
  const rows: unknown[][] = [];
  let [samples, isDown, isWriter, errors]: [SignalSample[], boolean, boolean, number] = [[level(0), level(1)], false, true, 0];
  const writer: Pick<HistoryWriter, 'insert'> = {
    insert: async ({ block, table }) => {
      const columns = readBlocks(Buffer.concat(block.pieces()))[0]!.columns;
      await sleep(1);
      if (isDown) throw new Error('down');
      expect(table).toBe('signal_history');
      for (const row of columns[0]!.values.keys()) rows.push(columns.map(({ values }) => values[row]));
    },
  };
  const onRetry = () => {
    errors += 1;
  };
  const sampler = startRowSampler(sampledSignals, { writer, samples: () => samples, isWriter: () => isWriter, onRetry, intervalMs: 2 });
  await until(() => rows.length === 2);
  expect(rows).toEqual([
    [START_MS / 1000, null, null, null, null, 0, null, null, null, null, null, null, null],
    [START_MS / 1000 + 2, -123, -120, -304, -15, 1, 9, 8, 12_345, 5, 1, 2, 0],
  ]);
  isDown = true;
  samples = [level(1), level(2)];
  await until(() => errors > 1);
  // The view forgets what is older than its minutes.
  samples = [level(3)];
  await until(() => errors > 3);
  isDown = false;
  await until(() => rows.length === 4);
  await sleep(10);
  expect(rows.map((row) => row[5])).toEqual([0, 1, 2, 3]);
  expect(sampler.stats).toMatchObject({ samples: 4, dropped: 0 });

  isWriter = false;
  isDown = true;
  await sleep(10);
  errors = 0;
  samples = Array.from({ length: limits.signalPendingMax + 5 }, (_, i) => level(i));
  await sleep(20);
  expect(errors).toBe(0);
  isWriter = true;
  await until(() => errors > 0);
  isDown = false;
  await until(() => rows.length === 4 + limits.signalPendingMax);
  await sampler.stop();
  expect(sampler.stats.dropped).toBe(5);
});
