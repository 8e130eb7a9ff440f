// A batch: a range of records of one partition, its rows in columns, and the token by which the store recognises a repeated insert.
import { topics } from '../../schemas/topics.ts';
import type { StoredRecord } from '../log/event-log.ts';
import { NativeBlock } from './native-block.ts';
import type { Projection } from './projection.ts';

/** A block with more rows is large. */
const SMALL_ROWS = 10_000;

export class HistoryBatch {
  block: NativeBlock;
  private wasLarge = false;
  /** The range begins at this offset, the committed one of the group. */
  first = 0;
  /** The range ends before this offset. */
  next = 0;
  /** Timestamps of the oldest and the newest record, ms since the Unix epoch; 0 without records. */
  firstMs = 0;
  lastMs = 0;
  /** Time at which the first record was added, by a monotonic clock. */
  sinceMs = 0;
  malformed = 0;

  constructor(projection: Projection) {
    this.block = new NativeBlock(projection.columns);
  }

  begin(first: number): void {
    // A backlog fills blocks with 50,000 rows, live traffic with 2,500: the first small block after a large one gives the memory back.
    const isLarge = this.block.rows > SMALL_ROWS;
    if (this.wasLarge && !isLarge) this.block = new NativeBlock(this.block.columns.map(({ name, type }) => ({ name, type: type.name })));
    else this.block.clear();
    this.wasLarge = isLarge;
    this.first = first;
    this.next = first;
    this.firstMs = 0;
    this.lastMs = 0;
    this.malformed = 0;
  }

  add(projection: Projection, partition: number, record: StoredRecord): void {
    if (this.firstMs === 0) this.firstMs = record.timestampMs;
    this.lastMs = record.timestampMs;
    this.next = record.offset + 1;
    if (!projection.add(this.block, partition, record)) this.malformed += 1;
  }

  get isEmpty(): boolean {
    return this.next === this.first;
  }

  /** Made from the range alone, so that a repeated insert has the same token. The time distinguishes the same range of another log. */
  token({ topic }: Projection, partition: number): string {
    return `${topics[topic].shortName}-${partition}-${this.first}-${this.next - 1}-${this.firstMs}`;
  }
}
