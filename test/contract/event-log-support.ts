// Shared by the cases of the EventLog contract: the harness that an adapter provides, and small helpers.
import { expect } from 'vitest';
import type { EventLog, ReadRequest, RecordCursor, StoredRecord } from '../../pipeline/log/event-log.ts';
import type { OutgoingRecord } from '../../pipeline/log/record-block.ts';
import { cursorOf } from '../../pipeline/log/record-cursor.ts';
import type { TopicId } from '../../schemas/topics.ts';

export interface EventLogHarness {
  /** Prepares an empty folder or broker for a log; everything below refers to it. */
  setUp(): Promise<void>;
  tearDown(): Promise<void>;
  /** Another connection of this process; closed by the case or by `tearDown`. */
  open(): Promise<EventLog>;
  /** A read-only connection, as a second process has. */
  openReader(): Promise<EventLog>;
  /** Command line of `event-log-child.ts` for this log. */
  childCommand(): readonly string[];
  /** Shortens the retention of tombstones to a second or two, for logs whose clock `compactNow` cannot move. */
  shortenTombstones(): Promise<void>;
  /** Compacts all compacted topics; with `tombstonesExpired`, as if the retention of tombstones were over. */
  compactNow(log: EventLog, tombstonesExpired: boolean): Promise<void>;
  /** Applies retention at a time. */
  expireAt(log: EventLog, nowMs: number): Promise<void>;
  /** The size limit that the harness set for one partition of the deadletter topic. */
  readonly deadletterBytesMax: number;
  /** How many processes may write at a time. Adapters differ in nothing else. */
  readonly writers: 'one' | 'any';
}

export interface CaseContext {
  readonly harness: EventLogHarness;
  log(): EventLog;
  check(name: string, body: () => Promise<void>): void;
}

export const text = (value: string): Buffer => Buffer.from(value);
export const record = (key: string | null, value: string | null, timestampMs = 1000): OutgoingRecord => ({
  key,
  value: value === null ? null : text(value),
  timestampMs,
});
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Reads all records of a request; values are copied, as `read` requires. */
export async function readAll(log: EventLog, request: ReadRequest): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const batch of log.read(request)) {
    expect(batch.records.length).toBeGreaterThan(0);
    expect(batch.nextOffset).toBeGreaterThan(batch.records.at(-1)!.offset);
    const cursor = cursorOf(batch);
    for (const stored of batch.records) {
      records.push({ ...stored, value: stored.value === null ? null : Buffer.from(stored.value) });
      if (!cursor.next() || !isAt(cursor, records.at(-1)!)) throw new Error(`the cursor is not at offset ${stored.offset}`);
    }
    expect(cursor.next()).toBe(false);
  }
  return records;
}

function isAt(cursor: RecordCursor, { offset, timestampMs, key, value }: StoredRecord): boolean {
  const { bytes, start, end } = cursor;
  const isValue = value === null ? end < 0 : Buffer.compare(value, bytes.subarray(start, end)) === 0;
  return cursor.offset === offset && cursor.timestampMs === timestampMs && cursor.key() === key && isValue;
}

export const whole = (topic: TopicId, partition = 0): ReadRequest => ({ topic, partition, from: 'earliest', to: 'end' });
export const valuesOf = (records: readonly StoredRecord[]): (string | null)[] =>
  records.map(({ value }) => (value === null ? null : Buffer.from(value).toString()));

/** Counts turns of the event loop until the returned function is called, which returns their number. */
export function countTurns(): () => number {
  let turns = 0;
  const count = (): void => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  return () => {
    clearImmediate(next);
    return turns;
  };
}
