// Logs of a stage: one whose commits wait while the disk is full, so that a full disk pauses a stage instead of ending it; one whose readers wait while
// the fold is behind; and one that records what happens to its group member: assigned and revoked partitions, restore times, commit times.
import { setTimeout as sleep } from 'node:timers/promises';
import { FOLD_GROUP } from '../../../pipeline/fold/version.ts';
import { damageOf } from '../../../pipeline/log/damage.ts';
import type { EventLog, GroupHandler } from '../../../pipeline/log/event-log.ts';
import { lastTimestampMs } from '../../../pipeline/log/record-cursor.ts';
import { pause } from '../../../pipeline/runtime/retry.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';

/** Calls of a log, to replace some of them. */
function delegating(log: EventLog): EventLog {
  return {
    partitions: (topic) => log.partitions(topic),
    append: (topic, partition, records) => log.append(topic, partition, records),
    commit: (commit) => log.commit(commit),
    committed: (group, topic, partition) => log.committed(group, topic, partition),
    bounds: (topic, partition) => log.bounds(topic, partition),
    offsetAt: (topic, partition, timestampMs) => log.offsetAt(topic, partition, timestampMs),
    read: (request) => log.read(request),
    join: (group, topic, handler) => log.join(group, topic, handler),
    close: () => log.close(),
  };
}

/** Temporary refusals. Such a commit has written nothing, and its records do not change while it waits, so a retry is the same commit. */
const TEMPORARY: readonly ErrorCode[] = ['log.no_space', 'log.no_descriptors'];

/** `waiting`: number of waiting commits. `giveUp` retries them once more; from then on, refused commits fail. */
export function patientLog(plain: EventLog, retryMs: number = limits.logDiskCheckMs) {
  const givingUp = new AbortController();
  let waiting = 0;
  const log: EventLog = {
    ...delegating(plain),
    async commit(commit) {
      for (;;) {
        const isLast = givingUp.signal.aborted;
        try {
          return await plain.commit(commit);
        } catch (error) {
          if (isLast || !(error instanceof SquitterError && TEMPORARY.includes(error.code))) throw error;
          waiting += 1;
          await sleep(retryMs, undefined, { signal: givingUp.signal }).catch(() => undefined);
          waiting -= 1;
        }
      }
    },
  };
  return { log, waiting: () => waiting, giveUp: () => givingUp.abort() };
}

/**
 * Readers of groups wait while the fold of their partition has more than `historyYieldRecords` before it, so that it has the processors: what they write
 * stays in the log. A fold that is behind for longer than `historyYieldMsMax` does not stop them: retention would remove what they have not read.
 * `nowMs` is a monotonic clock.
 */
export function yieldingLog(log: EventLog, nowMs: () => number): EventLog {
  /** When the fold of a partition fell behind. */
  const behindSince = new Map<number, number>();
  const isBehind = async (partition: number): Promise<boolean> => {
    const { earliest, next } = await log.bounds('frames', partition);
    const isNow = next - ((await log.committed(FOLD_GROUP, 'frames', partition)) ?? earliest) > limits.historyYieldRecords;
    if (!isNow) behindSince.delete(partition);
    else if (!behindSince.has(partition)) behindSince.set(partition, nowMs());
    return isNow && nowMs() - behindSince.get(partition)! < limits.historyYieldMsMax;
  };
  const yielding = (handler: GroupHandler): GroupHandler => ({
    ...handler,
    async batch(batch, signal) {
      while (!signal.aborted && (await isBehind(batch.partition))) await pause(limits.historyYieldCheckMs, signal);
      await handler.batch(batch, signal);
    },
  });
  return { ...delegating(log), join: (group, topic, handler) => log.join(group, topic, yielding(handler)) };
}

/** A partition that the member owns. */
export interface OwnedPartition {
  /** True once its state is restored: it receives batches. */
  restored: boolean;
  /** A damaged stretch of the log holds it: it receives no more batches. */
  held: boolean;
  /** Offset of the first record that the handler has not seen. */
  nextOffset: number;
  /** Time of the assignment, by the monotonic clock. */
  readonly sinceMs: number;
  /** Timestamp of the newest record that the handler has seen, ms since the Unix epoch; 0 before the first. */
  timestampMs: number;
}

/** Counts and total times since the start of the process: partitions assigned to the member and revoked from it, restores and the newest one, commits. */
const noObservation = () => ({
  owned: new Map<number, OwnedPartition>(),
  assigned: 0,
  revoked: 0,
  restores: 0,
  restoreMs: 0,
  lastRestoreMs: 0,
  commitMs: 0,
});
type GroupObservation = ReturnType<typeof noObservation>;

/** `nowMs` is a monotonic clock. */
export function observeLog(log: EventLog, nowMs: () => number) {
  const observation = noObservation();
  const observed: EventLog = {
    ...delegating(log),
    async commit(commit) {
      const start = nowMs();
      await log.commit(commit);
      observation.commitMs += nowMs() - start;
    },
    join: (group, topic, handler) => log.join(group, topic, observeHandler(handler, observation, nowMs)),
  };
  return { log: observed, observation };
}

function observeHandler(handler: GroupHandler, observation: GroupObservation, nowMs: () => number): GroupHandler {
  const { owned } = observation;
  /** After an error the member no longer owns the partition, and `revoked` is not called; damage only holds it. */
  const orForget = async <T>(partition: number, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      if (damageOf(error) === null) owned.delete(partition);
      throw error;
    }
  };
  return {
    async assigned(partition, committed) {
      const start = nowMs();
      const mine: OwnedPartition = { restored: false, held: false, nextOffset: committed ?? 0, sinceMs: start, timestampMs: 0 };
      owned.set(partition, mine);
      observation.assigned += 1;
      mine.nextOffset = await orForget(partition, handler.assigned(partition, committed));
      mine.restored = true;
      observation.restores += 1;
      observation.lastRestoreMs = nowMs() - start;
      observation.restoreMs += observation.lastRestoreMs;
      return mine.nextOffset;
    },
    async batch(batch, signal) {
      await orForget(batch.partition, handler.batch(batch, signal));
      const mine = owned.get(batch.partition);
      if (mine === undefined) return;
      mine.nextOffset = batch.nextOffset;
      mine.timestampMs = lastTimestampMs(batch);
    },
    held(partition) {
      owned.get(partition)!.held = true;
      handler.held?.(partition);
    },
    async revoked(partition) {
      owned.delete(partition);
      observation.revoked += 1;
      await handler.revoked(partition);
    },
  };
}
