// Walks over the records of a batch without an object, a key and a view for each: tens of thousands of aircraft states come each second.
import type { RecordBatch, RecordCursor, StoredRecord } from './event-log.ts';

/** A new cursor over the records of a batch. */
export function cursorOf(batch: RecordBatch): RecordCursor {
  return batch.cursor?.() ?? new ListCursor(batch.records);
}

/** Timestamp of the last record of a batch. */
export function lastTimestampMs(batch: RecordBatch): number {
  const record = cursorOf(batch);
  while (record.next());
  return record.timestampMs;
}

const NO_BYTES = new Uint8Array(0);

class ListCursor implements RecordCursor {
  offset = -1;
  timestampMs = 0;
  bytes: Uint8Array = NO_BYTES;
  readonly start = 0;
  end = -1;
  private index = -1;
  private readonly records: readonly StoredRecord[];

  constructor(records: readonly StoredRecord[]) {
    this.records = records;
  }

  next(): boolean {
    this.index += 1;
    const record = this.records[this.index];
    if (record === undefined) return false;
    this.offset = record.offset;
    this.timestampMs = record.timestampMs;
    this.bytes = record.value ?? NO_BYTES;
    this.end = record.value?.length ?? -1;
    return true;
  }

  key(): string | null {
    return this.records[this.index]!.key;
  }
}
