// A stage as a service, in every profile: a worker that shares the partitions of its input topic with the others of its group.
// The fold and the flights stage are stages.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog, GroupMember } from '../../../pipeline/log/event-log.ts';
import { limits } from '../../../schemas/limits/index.ts';
import type { TopicId } from '../../../schemas/topics.ts';
import { type GroupStage, LagMeter, type PartitionLag } from './lag.ts';
import { observeLog, patientLog } from './stage-log.ts';

const POLL_MS = 20;

/** Statistics of every stage. Counts and times are since the start of the process. */
export interface StageStats {
  /** Partitions that the stage owns now. */
  readonly partitions: number;
  /** Partitions assigned to the stage, and revoked from it. */
  readonly assigned: number;
  readonly revoked: number;
  readonly rebalances: number;
  readonly restores: number;
  readonly restoreMs: number;
  readonly lastRestoreMs: number;
  readonly commitMs: number;
  readonly lag: readonly PartitionLag[];
}

/** The worker of a stage. */
export interface StageWorker<Stats> {
  readonly member: GroupMember;
  /** Settles when the worker has ended; rejects with the cause. */
  readonly done: Promise<void>;
  /** Completes the statistics. */
  stats(shared: StageStats): Stats;
  /** Leaves the group. The log is closed afterwards. */
  stop(): Promise<void>;
}

export interface Stage<Stats> extends GroupStage {
  /** Settles when the worker has ended; rejects with the cause. */
  readonly ended: Promise<void>;
  stats(): Promise<Stats>;
  /** Waits until the input of its partitions is read to the end, except those that damage holds: for 10 s at most, and only while the disk has room for the outputs. */
  drain(): Promise<void>;
  /** Leaves the group and closes the log. */
  stop(): Promise<void>;
}

/** Starts a worker on `input`, over a log that waits while the disk is full and that counts what the worker does. */
export async function startStage<Stats>(
  plainLog: EventLog,
  input: TopicId,
  startWorker: (log: EventLog) => Promise<StageWorker<Stats>>,
): Promise<Stage<Stats>> {
  const steadyMs = (): number => performance.now();
  const patient = patientLog(plainLog);
  const { log, observation } = observeLog(patient.log, steadyMs);
  const worker = await startWorker(log);
  const { owned } = observation;
  const lagMeter = new LagMeter(log, input, owned, steadyMs);
  return {
    ended: worker.done,
    owned: () => ({
      partitions: owned.size,
      restored: [...owned.values()].filter(({ restored, held }) => restored && !held).length,
      held: [...owned.values()].filter(({ held }) => held).length,
    }),
    hasShare: () => worker.member.rebalances > 0,
    async stats() {
      const lag = await lagMeter.measure();
      const { owned: _, ...counts } = observation;
      return worker.stats({ ...counts, partitions: owned.size, rebalances: worker.member.rebalances, lag });
    },
    async drain() {
      const deadline = performance.now() + limits.stageDrainMsMax;
      const mayWait = (): boolean => performance.now() < deadline && patient.waiting() === 0;
      const isBehind = ({ partition, records }: PartitionLag): boolean => records !== 0 && owned.get(partition)?.held !== true;
      while (mayWait() && (await lagMeter.measure()).some(isBehind)) await sleep(POLL_MS);
    },
    async stop() {
      patient.giveUp();
      await worker.stop();
      await log.close();
    },
  };
}
