// Entry of a thread of `squitter audit`: audits partitions one after the other. It opens the log itself.
import { workerData } from 'node:worker_threads';
import { TICK_MS } from '../../fold/worker.ts';
import { endpoint } from '../../runtime/options.ts';
import { serveCalls } from '../../runtime/thread-calls.ts';
import { openLog } from '../log-options.ts';
import { type AuditedPartition, auditPartition } from './audit.ts';
import type { AuditThreadData, PartitionProgress } from './threads.ts';

serveCalls<number, AuditedPartition>(async ({ note }) => {
  const { location, env, receiver, fromMs } = workerData as AuditThreadData;
  const brokers = location.brokers.map(({ host, port }) => endpoint(host, port));
  const { log, codecs } = await openLog({ ...location, brokers }, env, 'read');
  const stop = new AbortController();
  let turn: Promise<unknown> = Promise.resolve();
  const auditOne = (partition: number): Promise<AuditedPartition> =>
    auditPartition(
      {
        ...{ log, codecs, fromMs },
        fold: { tickMs: TICK_MS, receiver },
        onProgress: (done, total, frames) => note({ partition, done, total, frames } satisfies PartitionProgress),
        signal: stop.signal,
      },
      partition,
    );
  return {
    handle(partition) {
      const audited = turn.then(() => auditOne(partition));
      turn = audited.catch(() => {});
      return audited;
    },
    async close() {
      stop.abort();
      await turn;
      await log.close();
    },
  };
});
