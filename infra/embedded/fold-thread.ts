// Entry of the fold's worker thread: decode and fold, for all partitions of the embedded log.
import { setTimeout as sleep } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import { openData } from '../../pipeline/log/open-data.ts';
import { type FoldStats, startFold } from '../services/fold-service.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-protocol.ts';

export interface FoldThreadData {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
}

const POLL_MS = 20;

await runThread<WriterStats<FoldStats>>(async (say) => {
  const { dataDir, log: logOptions, receiver } = workerData as FoldThreadData;
  const { log, codecs } = await openData(dataDir, 'write', logOptions);
  const fold = await startFold({ log, codecs, receiver, logger: { warn: (fields, text) => say('warn', fields, text) } });

  // The thread is ready when the states of all partitions are restored.
  const restored = async (): Promise<void> => {
    while (fold.owned().restored < log.partitions('frames')) await sleep(POLL_MS);
  };
  await Promise.race([restored(), fold.ended]);

  return {
    info: {},
    failed: fold.ended,
    stats: async () => ({ ...(await fold.stats()), held: log.disk().held }),
    async stop() {
      await fold.drain();
      await fold.stop();
    },
  };
});
