// What becomes of a topic in the history store, and the store as the sink sees it.
import type { TopicId } from '../../schemas/topics.ts';
import type { StoredRecord } from '../log/event-log.ts';
import type { ColumnDefinition, NativeBlock } from './native-block.ts';

/** How records of a topic become rows of a table. */
export interface Projection {
  readonly topic: TopicId;
  readonly table: string;
  /** Columns of an insert, in the types of the DDL. */
  readonly columns: readonly ColumnDefinition[];
  /** Adds the rows of a record. False, without rows, when the record cannot be read. */
  add(block: NativeBlock, partition: number, record: StoredRecord): boolean;
}

export interface HistoryInsert {
  readonly table: string;
  /** Inserts with the same token take effect once. */
  readonly token: string;
  readonly rows: number;
  /** Its content does not change until the insert is over. */
  readonly block: NativeBlock;
}

export interface HistoryWriter {
  /** Resolves when the store has confirmed the rows. Rejects when it has not, or when the signal aborts: the insert may have taken effect. */
  insert(insert: HistoryInsert, signal: AbortSignal): Promise<void>;
}
