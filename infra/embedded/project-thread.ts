// Entry of the project stage's worker thread: positions and ended flights into the history store. Filling a new store with the log of a month
// takes a core for minutes, which the stages and the view must not notice.
import { workerData } from 'node:worker_threads';
import { openData } from '../../pipeline/log/open-data.ts';
import { storeWriter } from '../../pipeline/project/store-writer.ts';
import { yieldToOthers } from '../../pipeline/runtime/thread-calls.ts';
import { type HistoryAddress, historyClient } from '../../pipeline/store/client.ts';
import { type ProjectStats, startProject } from '../services/stages/project-service.ts';
import { yieldingLog } from '../services/stages/stage-log.ts';
import { runThread } from './thread-body.ts';
import type { WriterLogOptions, WriterStats } from './thread-host.ts';

export interface ProjectThreadData {
  readonly dataDir: string;
  readonly log: WriterLogOptions;
  readonly address: HistoryAddress;
}

yieldToOthers();
await runThread<WriterStats<ProjectStats>>(async (logger) => {
  const { dataDir, log: logOptions, address } = workerData as ProjectThreadData;
  const data = await openData(dataDir, 'write', logOptions);
  const client = historyClient(address);
  const log = yieldingLog(data.log, () => performance.now());
  const project = await startProject({ ...data, log, writer: storeWriter(client), logger });
  const stop = async (): Promise<void> => {
    await project.stop();
    await client.close();
  };
  return {
    info: {},
    // Another thread replaces this one: the log must not stay open.
    failed: project.ended.catch(async (error: unknown) => {
      await stop().catch(() => {});
      throw error;
    }),
    stats: async () => ({ ...(await project.stats()), held: data.log.disk().held, damages: data.log.damages() }),
    stop,
  };
});
