// A log that notes what happens to its group member: partitions that come and go, how long their states take to be rebuilt, commits.
import type { EventLog, GroupHandler } from '../../pipeline/log/event-log.ts';

/** A partition that the member has. */
export interface OwnedPartition {
  /** Its state is rebuilt, batches come. */
  restored: boolean;
  /** First offset that the handler has not seen. */
  nextOffset: number;
  /** When it was handed to the member, by the steady clock. */
  readonly sinceMs: number;
  /** Timestamp of the newest record that the handler has seen, ms since the Unix epoch; 0 before the first. */
  timestampMs: number;
}

/** Counts and times since the start of the process. */
export interface GroupObservation {
  readonly owned: Map<number, OwnedPartition>;
  /** Partitions that were handed to the member, and taken back. */
  assigned: number;
  revoked: number;
  restores: number;
  restoreMs: number;
  /** Time of the newest restore. */
  lastRestoreMs: number;
  /** Time that commits took. */
  commitMs: number;
}

/** The same log; `nowMs` is a steady clock. */
export function observeLog(log: EventLog, nowMs: () => number): { readonly log: EventLog; readonly observation: GroupObservation } {
  const observation: GroupObservation = {
    owned: new Map(),
    assigned: 0,
    revoked: 0,
    restores: 0,
    restoreMs: 0,
    lastRestoreMs: 0,
    commitMs: 0,
  };
  const observed: EventLog = {
    partitions: (topic) => log.partitions(topic),
    append: (topic, partition, records) => log.append(topic, partition, records),
    async commit(commit) {
      const start = nowMs();
      await log.commit(commit);
      observation.commitMs += nowMs() - start;
    },
    committed: (group, topic, partition) => log.committed(group, topic, partition),
    bounds: (topic, partition) => log.bounds(topic, partition),
    offsetAt: (topic, partition, timestampMs) => log.offsetAt(topic, partition, timestampMs),
    read: (request) => log.read(request),
    join: (group, topic, handler) => log.join(group, topic, observeHandler(handler, observation, nowMs)),
    close: () => log.close(),
  };
  return { log: observed, observation };
}

function observeHandler(handler: GroupHandler, observation: GroupObservation, nowMs: () => number): GroupHandler {
  const { owned } = observation;
  /** After an error the partition is not the member's any more, and nobody calls `revoked`. */
  const orForget = async <T>(partition: number, work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      owned.delete(partition);
      throw error;
    }
  };
  return {
    async assigned(partition, committed) {
      const start = nowMs();
      const place: OwnedPartition = { restored: false, nextOffset: committed ?? 0, sinceMs: start, timestampMs: 0 };
      owned.set(partition, place);
      observation.assigned += 1;
      place.nextOffset = await orForget(partition, handler.assigned(partition, committed));
      place.restored = true;
      observation.restores += 1;
      observation.lastRestoreMs = nowMs() - start;
      observation.restoreMs += observation.lastRestoreMs;
      return place.nextOffset;
    },
    async batch(batch) {
      await orForget(batch.partition, handler.batch(batch));
      const place = owned.get(batch.partition);
      if (place === undefined) return;
      place.nextOffset = batch.nextOffset;
      place.timestampMs = batch.records.at(-1)!.timestampMs;
    },
    async revoked(partition) {
      owned.delete(partition);
      observation.revoked += 1;
      await handler.revoked(partition);
    },
  };
}
