// The sampler of signal levels: each complete sample once, also after the store was away, and only while this process is the writer.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { limits } from '../../schemas/limits/index.ts';
import { until } from '../../test/support/until.ts';
import type { SignalSample } from '../view/signal-history.ts';
import { readBlocks } from './native-reader.ts';
import type { HistoryWriter } from './projection.ts';
import { startSignalSampler } from './signal-sampler.ts';

const START_MS = 1_700_000_000_000;
const level = (i: number): SignalSample => ({
  ...{ timeMs: START_MS + 2000 * i, aircraftCount: i },
  counts:
    i === 0
      ? null
      : { total: 9, withPosition: 8, messagesPerSecond: i === 1 ? 1234.5 : null, sources: { adsb_icao: 5, mlat: 1, tisb: 2, adsr: 0 } },
  ...(i % 3 === 0 ? { avg: null, median: null, p10: null, p90: null } : { avg: -12.3, median: -12, p10: -30.4, p90: -1.5 }),
});

class Stand {
  samples: SignalSample[] = [];
  isDown = false;
  isWriter = true;
  errors = 0;
  readonly rows: unknown[][] = [];
  readonly writer: Pick<HistoryWriter, 'insert'> = {
    insert: async ({ block, table }) => {
      const columns = readBlocks(Buffer.concat(block.pieces()))[0]!.columns;
      await sleep(1);
      if (this.isDown) throw new Error('down');
      expect(table).toBe('signal_history');
      columns[0]!.values.forEach((_, row) => {
        this.rows.push(columns.map(({ values }) => values[row]));
      });
    },
  };
  readonly sampler = startSignalSampler({
    writer: this.writer,
    samples: () => this.samples,
    isWriter: () => this.isWriter,
    onRetry: () => {
      this.errors += 1;
    },
    intervalMs: 2,
  });
}

it('writes each sample once, and those of an outage after it', async () => {
  const stand = new Stand();
  stand.samples = [level(0), level(1)];
  await until(() => stand.rows.length === 2);
  expect(stand.rows).toEqual([
    [START_MS / 1000, null, null, null, null, 0, null, null, null, null, null, null, null],
    [START_MS / 1000 + 2, -123, -120, -304, -15, 1, 9, 8, 12_345, 5, 1, 2, 0],
  ]);
  stand.isDown = true;
  stand.samples = [level(1), level(2)];
  await until(() => stand.errors > 1);
  // The view forgets what is older than its minutes.
  stand.samples = [level(3)];
  await until(() => stand.errors > 3);
  stand.isDown = false;
  await until(() => stand.rows.length === 4);
  await sleep(10);
  await stand.sampler.stop();
  expect(stand.rows.map((row) => row[5])).toEqual([0, 1, 2, 3]);
  expect(stand.sampler.stats).toMatchObject({ samples: 4, dropped: 0 });
});

it('writes only while this process is the writer; keeps a limited number of samples while the store is away, and counts the others', async () => {
  const stand = new Stand();
  stand.isDown = true;
  stand.isWriter = false;
  stand.samples = Array.from({ length: limits.signalPendingMax + 5 }, (_, i) => level(i));
  await sleep(20);
  expect(stand.errors).toBe(0);
  stand.isWriter = true;
  await until(() => stand.errors > 0);
  stand.isDown = false;
  await until(() => stand.rows.length === limits.signalPendingMax);
  await stand.sampler.stop();
  expect(stand.sampler.stats.dropped).toBe(5);
});
