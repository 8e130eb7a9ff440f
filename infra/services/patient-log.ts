// A log whose commits wait while the disk has no room for them: a full disk holds the fold and does not end it.
// A refused commit wrote nothing, and its records stay as they are until it is done: trying it again is the same commit.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EventLog } from '../../pipeline/log/event-log.ts';
import { type ErrorCode, SquitterError } from '../../schemas/errors.ts';
import { limits } from '../../schemas/limits.ts';

/** Refusals that pass by themselves, and before which nothing was written. */
const PASSING: readonly ErrorCode[] = ['log.no_space', 'log.no_descriptors'];

export interface PatientLog {
  readonly log: EventLog;
  /** Commits that wait. */
  waiting(): number;
  /** Commits that wait are tried once more, and fail from now on. */
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
          if (isLast || !(error instanceof SquitterError && PASSING.includes(error.code))) throw error;
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
