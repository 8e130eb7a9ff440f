// The ports of a sink: how a topic becomes rows of a table, and the history store.
import type { TopicId } from '../../schemas/topics.ts';
import type { EventLog, StoredRecord } from '../log/event-log.ts';
import type { ColumnDefinition, NativeBlock } from './native-block.ts';

/** How records of a topic become rows of a table. */
export interface Projection {
  readonly topic: TopicId;
  readonly table: string;
  /** Columns of an insert, in the types of the DDL. */
  readonly columns: readonly ColumnDefinition[];
  /** Columns that order the rows of a partition as the log does. */
  readonly order: readonly string[];
  /** The column by which the table is partitioned. */
  readonly time: TimeColumn;
  /** Adds the rows of a record. False, without rows, when the record cannot be read. */
  add(block: NativeBlock, partition: number, record: StoredRecord): boolean;
}

/** A time column, ClickHouse's functions between its values and numbers, and how many of these a millisecond has. */
export interface TimeColumn {
  readonly column: string;
  readonly from: string;
  readonly to: string;
  readonly perMs: number;
}

/** The offsets of a partition before its first insert. */
export interface StartRequest {
  readonly log: EventLog;
  readonly projection: Projection;
  readonly partition: number;
  readonly committed: number | null;
  readonly planned: number | null;
  /** Where the first batch begins. */
  readonly first: number;
  /** The batch may be on its way already, whole or in part: only what is before it counts. */
  readonly isAgain: boolean;
}

/** Where rows of a batch are found again. */
export interface RowOrder {
  /** Partition of the topic. */
  readonly partition: number;
  readonly order: readonly string[];
  readonly time: TimeColumn;
}

export interface HistoryInsert {
  readonly table: string;
  /** Inserts with the same token take effect once. */
  readonly token: string;
  /** Its content does not change until the insert is over. */
  readonly block: NativeBlock;
}

export interface OrderedInsert extends HistoryInsert {
  readonly rowOrder: RowOrder;
}

export interface HistoryWriter {
  /** Resolves when the store has confirmed the rows. Rejects when it has not, or when the signal aborts: the insert may have taken effect. */
  insert(insert: HistoryInsert, signal: AbortSignal): Promise<void>;
  /** The rows of a confirmed insert that the store does not have; null if it has all. Errors: those of the client. */
  missing(insert: OrderedInsert, signal: AbortSignal): Promise<NativeBlock | null>;
  /** The offset at which a partition must begin by what the store has: `first` if log and store agree. */
  start(request: StartRequest, signal: AbortSignal): Promise<number>;
}
