// The records (message Aircraft) of one tick, each encoded on its first use and shared by all streams.
import type { Snapshot } from '../../../pipeline/view/snapshot.ts';
import type { RecordWriter } from '../record-bytes.ts';

/** `seen_seconds`, the last field of a record here: a tag of two bytes and a double. An age changes without news of the aircraft. */
const AGE_BYTES = 10;

export class TickRecords {
  /** Leased by the owner of this object while it is used. */
  readonly snapshot: Snapshot;
  private readonly writer: RecordWriter;
  private readonly records: (Buffer | undefined)[];

  constructor(snapshot: Snapshot, writer: RecordWriter) {
    this.snapshot = snapshot;
    this.writer = writer;
    this.records = new Array(snapshot.listing.count);
  }

  /** The record of an aircraft by its number in the listing. */
  of(index: number): Buffer {
    this.records[index] ??= this.writer.aircraft({ snapshot: this.snapshot, index });
    return this.records[index];
  }

  /** True when the aircraft has the same values as in an earlier tick, apart from its age. */
  isSame(index: number, before: TickRecords, old: number): boolean {
    const now = this.of(index);
    const then = before.of(old);
    return now.length === then.length && now.compare(then, 0, then.length - AGE_BYTES, 0, now.length - AGE_BYTES) === 0;
  }
}
