// An audit on several processors: each thread audits every n-th partition.
import type { Environment } from '../../runtime/options.ts';
import { programFile } from '../../runtime/package-root.ts';
import { CalledThread } from '../../runtime/thread-calls.ts';
import { type Audit, type AuditedPartition, completeAudit } from './audit.ts';
import type { AuditOptions } from './stretch.ts';

export interface AuditThreadData {
  readonly location: {
    readonly data: string | null;
    readonly brokers: readonly { readonly host: string; readonly port: number }[];
    readonly registry: string | null;
  };
  readonly env: Environment;
  readonly receiver: { readonly lat: number; readonly lon: number } | null;
  readonly fromMs: number | null;
}

/** Progress of an audit in one partition. */
export interface PartitionProgress {
  readonly partition: number;
  readonly done: number;
  readonly total: number;
  readonly frames: number;
}

const auditThreadFile = programFile('pipeline/tools/audit/thread');

/** Like `audit`, in threads that open the log themselves. */
export async function auditInThreads(
  options: Pick<AuditOptions, 'log' | 'onProgress' | 'signal'>,
  { location, env, receiver, fromMs }: AuditThreadData,
  threadCount: number,
): Promise<Audit> {
  const { log, onProgress, signal } = options;
  const progress = new Map<number, PartitionProgress>();
  const note = (value: unknown): void => {
    const partitionProgress = value as PartitionProgress;
    progress.set(partitionProgress.partition, partitionProgress);
    const sum = (pick: (one: PartitionProgress) => number): number => [...progress.values()].reduce((total, one) => total + pick(one), 0);
    onProgress(
      sum(({ done }) => done),
      sum(({ total }) => total),
      sum(({ frames }) => frames),
    );
  };
  // Only what can be posted.
  const brokers = location.brokers.map(({ host, port }) => ({ host, port }));
  const data: AuditThreadData = {
    location: { data: location.data, brokers, registry: location.registry },
    env: { ...env },
    receiver,
    fromMs,
  };
  const partitions = log.partitions('frames');
  const threads = Array.from(
    { length: Math.min(threadCount, partitions) },
    (_, i) => new CalledThread<number, AuditedPartition>(`audit-${i}`, auditThreadFile, data, note),
  );
  const closeAll = (): Promise<unknown> => Promise.all(threads.map((thread) => thread.close()));
  const onAbort = (): void => void closeAll();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    const calls = Array.from({ length: partitions }, (_, partition) => threads[partition % threads.length]!.call(partition));
    return await completeAudit(options, await Promise.all(calls));
  } finally {
    signal.removeEventListener('abort', onAbort);
    await closeAll();
  }
}
