// Entry of a stages' worker thread: the fold and the flights stage, for the thread's share of the partitions. A heap of its own costs 20 MB.
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { type PartitionShare, sharedPartitions } from '../../pipeline/log/group.ts';
import { openData } from '../../pipeline/log/open-data.ts';
import { referenceFolder } from '../../pipeline/reference/open-reference.ts';
import { type FlightsStats, startFlights } from '../services/stages/flights-service.ts';
import { type FoldStats, startFold } from '../services/stages/fold-service.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-host.ts';

export interface StagesThreadData {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly share: PartitionShare;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

export interface StagesStats {
  readonly fold: WriterStats<FoldStats>;
  readonly flights: WriterStats<FlightsStats>;
}

const POLL_MS = 20;

await runThread<StagesStats>(async (logger) => {
  const { dataDir, log, share, receiver } = workerData as StagesThreadData;
  const logOptions = { ...log, share };
  // A stage closes its log when it stops, so each has its own.
  const flightsData = await openData(dataDir, 'write', logOptions);
  const flights = await startFlights({ ...flightsData, referenceFolder: referenceFolder(dataDir), logger });
  // Until the thread's own failure includes it, below.
  flights.ended.catch(() => {});
  const foldData = await openData(dataDir, 'write', logOptions);
  const fold = await startFold({ ...foldData, receiver, logger });

  const partitions = sharedPartitions(foldData.log.partitions('frames'), share).length;
  // The thread is ready when the fold's states of its partitions are restored, except those that damage of the log holds.
  const restored = async (): Promise<void> => {
    for (;;) {
      const { restored, held } = fold.owned();
      if (restored + held === partitions) return;
      await sleep(POLL_MS);
    }
  };
  await Promise.race([restored(), fold.ended, flights.ended]);

  return {
    info: {},
    failed: Promise.race([fold.ended, flights.ended]),
    async stats() {
      const [foldStats, flightsStats] = await Promise.all([fold.stats(), flights.stats()]);
      return {
        fold: { ...foldStats, held: foldData.log.disk().held, damages: foldData.log.damages() },
        flights: { ...flightsStats, held: flightsData.log.disk().held, damages: flightsData.log.damages() },
      };
    },
    async stop() {
      try {
        await fold.drain();
        await fold.stop();
      } finally {
        await flights.drain();
        await flights.stop();
      }
    },
  };
});
