// Reads a partition of a topic from its start, and follows it.
import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

export interface FollowedTopic {
  /** Settles when every record that the partition had at the start is read. */
  readonly loaded: Promise<void>;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
}

export interface FollowOptions {
  readonly log: EventLog;
  readonly topic: TopicId;
  readonly partition?: number;
  /** Called with each record; it must expect records again. */
  readonly onRecord: (record: StoredRecord) => void;
  /** Where reading continues after an error; throws those that end it. */
  readonly after: (error: unknown) => number | 'earliest';
  readonly signal: AbortSignal;
}

/** Follows until the signal. */
export function followTopic({ log, topic, partition = 0, onRecord, after, signal }: FollowOptions): FollowedTopic {
  let from: number | 'earliest' = 'earliest';
  const read = async (to: number | 'follow'): Promise<void> => {
    for (;;) {
      try {
        for await (const { records, nextOffset } of log.read({ topic, partition, from, to, signal })) {
          for (const record of records) onRecord(record);
          from = nextOffset;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        from = after(error);
      }
    }
  };
  const load = async (): Promise<void> => read((await log.bounds(topic, partition)).next);
  const loaded = load();
  const done = loaded.then(() => (signal.aborted ? undefined : read('follow')));
  loaded.catch(() => {});
  done.catch(() => {});
  return { loaded, done };
}
