// A log whose commits wait while the disk is full, so that a full disk pauses a stage instead of ending it.
// A refused commit has written nothing, and its records do not change while it waits, so a retry is the same commit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../../../pipeline/log/event-log.ts';
import { type ErrorCode, SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits.ts';

/** Temporary refusals of a commit that has written nothing. */
const TEMPORARY: readonly ErrorCode[] = ['log.no_space', 'log.no_descriptors'];

export interface PatientLog {
  readonly log: EventLog;
  /** Number of waiting commits. */
  waiting(): number;
  /** Retries waiting commits once more. From then on, refused commits fail. */
  giveUp(): void;
}

export function patientLog(plain: EventLog, retryMs: number = limits.logDiskLookMs): PatientLog {
  const givingUp = new AbortController();
  let waiting = 0;
  const log: EventLog = {
    partitions: (topic) => plain.partitions(topic),
    append: (topic, partition, records) => plain.append(topic, partition, records),
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
    committed: (group, topic, partition) => plain.committed(group, topic, partition),
    bounds: (topic, partition) => plain.bounds(topic, partition),
    offsetAt: (topic, partition, timestampMs) => plain.offsetAt(topic, partition, timestampMs),
    read: (request) => plain.read(request),
    join: (group, topic, handler) => plain.join(group, topic, handler),
    close: () => plain.close(),
  };
  return { log, waiting: () => waiting, giveUp: () => givingUp.abort() };
}
