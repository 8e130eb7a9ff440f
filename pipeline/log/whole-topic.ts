// Reads a compacted topic of one partition from its start, and follows it.
import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from './event-log.ts';

const PARTITION = 0;

export interface WholeTopic {
  /** Settles when every record that the topic had at the start is taken. */
  readonly loaded: Promise<void>;
  /** Settles when the follower stops; rejects with the error that stopped it. */
  readonly done: Promise<void>;
}

export interface WholeTopicOptions {
  readonly log: EventLog;
  readonly topic: TopicId;
  /** Called with each record; it must expect records again. */
  readonly take: (record: StoredRecord) => void;
  /** Where reading continues after an error; throws those that end it. */
  readonly after: (error: unknown) => number | 'earliest';
  readonly signal: AbortSignal;
}

/** Follows until the signal. */
export function followWhole({ log, topic, take, after, signal }: WholeTopicOptions): WholeTopic {
  let from: number | 'earliest' = 'earliest';
  const read = async (to: number | 'follow'): Promise<void> => {
    for (;;) {
      try {
        for await (const { records, nextOffset } of log.read({ topic, partition: PARTITION, from, to, signal })) {
          for (const record of records) take(record);
          from = nextOffset;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        from = after(error);
      }
    }
  };
  const load = async (): Promise<void> => read((await log.bounds(topic, PARTITION)).next);
  const loaded = load();
  const done = loaded.then(() => (signal.aborted ? undefined : read('follow')));
  loaded.catch(() => {});
  done.catch(() => {});
  return { loaded, done };
}
