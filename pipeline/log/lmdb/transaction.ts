// Optimistic transactions: read rows with their versions, collect writes, and let LMDB apply all or none of them in another thread.
// LMDB's own write transactions do not fit: synchronous ones wait for the disk on the event loop, and asynchronous callbacks hang on Node 20.
import type { Database } from 'lmdb';
import { SquitterError } from '../../../schemas/errors.ts';
import { causeOfCommit, logFailure } from './failures.ts';
import type { Row, SegmentRow, Store } from './rows.ts';
import { removeRetired } from './segment-files.ts';

// biome-ignore lint/suspicious/noExplicitAny: any database may take part
type AnyDatabase = Database<any, any>;

class MissingRow extends Error {
  readonly key: string;
  readonly initial: Row;
  constructor(key: string, initial: Row) {
    super(`row ${key} is missing`);
    this.key = key;
    this.initial = initial;
  }
}

/** In every round at least one contender succeeds; more rounds than this mean a fault. */
const ROUNDS = 10_000;

/**
 * Runs `body` until its writes are applied to exactly the rows it read, and returns its result. `body` runs synchronously, possibly several
 * times, and must write only through the transaction. If it throws, nothing is written and the error is passed on.
 * Segments without references are retired and removed. Errors: `log.not_writable` and those of the disk.
 */
export async function transact<T>(store: Store, body: (transaction: Transaction) => T): Promise<T> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const recorder = new Transaction(store);
    store.root.resetReadTxn();
    let result: T;
    try {
      result = body(recorder);
      recorder.settleSegments();
    } catch (error) {
      if (!(error instanceof MissingRow)) throw error;
      await createRow(store, error);
      continue;
    } finally {
      store.root.resetReadTxn();
    }
    if (recorder.isEmpty) return result;
    if (await recorder.apply().catch((error: unknown) => commitFailed(store, error))) {
      // The commit is valid even if a file cannot be removed now: it is removed when the log is next opened.
      await removeRetired(store, recorder.deadSegments).catch(() => undefined);
      return result;
    }
  }
  throw new SquitterError('log.not_writable', { path: store.path, detail: 'too many conflicts with other writers' });
}

async function createRow(store: Store, { key, initial }: MissingRow): Promise<void> {
  const created = store.rows.ifNoExists(key, () => leaveTo(store.rows.put(key, initial, 1)));
  await created.catch((error: unknown) => commitFailed(store, error));
}

/** Ignores the failure of a write inside a condition: the condition's promise reports it. */
function leaveTo(write: Promise<boolean> | undefined): void {
  write?.catch(() => undefined);
}

/** Errors: `log.not_writable` and those of the disk. */
export async function commitFailed(store: Store, error: unknown): Promise<never> {
  throw logFailure(store.path, await causeOfCommit(error), 'log.not_writable');
}

/** Records reads and writes of a body. */
export class Transaction {
  readonly deadSegments: number[] = [];
  private readonly store: Store;
  private readonly versions = new Map<string, number>();
  private readonly rows = new Map<string, Row>();
  private readonly writes: (() => void)[] = [];
  private readonly segments = new Map<number, { batches: number; isSealed: boolean }>();

  constructor(store: Store) {
    this.store = store;
  }

  get isEmpty(): boolean {
    return this.rows.size === 0 && this.writes.length === 0;
  }

  /** Reads a versioned row. The transaction is applied only if the row is then unchanged. A missing row is created as `initial` first. */
  row<T extends Row>(key: string, initial?: T): T {
    const own = this.rows.get(key);
    if (own !== undefined) return own as T;
    const entry = this.store.rows.getEntry(key);
    if (entry === undefined) {
      if (initial !== undefined) throw new MissingRow(key, initial);
      throw new SquitterError('log.damaged', { path: this.store.path, detail: `the row ${key} is missing` });
    }
    this.versions.set(key, entry.version ?? 0);
    return entry.value as T;
  }

  /** Replaces a row that this transaction has read. */
  setRow(key: string, row: Row): void {
    if (!this.versions.has(key)) throw new Error(`row ${key} was not read`);
    this.rows.set(key, row);
  }

  put(database: AnyDatabase, key: unknown, value: unknown): void {
    this.writes.push(() => leaveTo(database.put(key, value)));
  }

  remove(database: AnyDatabase, key: unknown): void {
    this.writes.push(() => leaveTo(database.remove(key)));
  }

  /** Adds to the number of batches in a segment. The transaction must also write the partition's row, which guards its segments. */
  addToSegment(segment: number, batches: number): void {
    this.segmentChange(segment).batches += batches;
  }

  /** Marks a segment as complete. Guarded like `addToSegment`. */
  sealSegment(segment: number): void {
    this.segmentChange(segment).isSealed = true;
  }

  private segmentChange(segment: number): { batches: number; isSealed: boolean } {
    let change = this.segments.get(segment);
    if (change === undefined) {
      change = { batches: 0, isSealed: false };
      this.segments.set(segment, change);
    }
    return change;
  }

  /** Turns the changes of segments into writes, in the snapshot that the body read. */
  settleSegments(): void {
    for (const [segment, change] of this.segments) {
      const row = this.store.segments.get(segment);
      if (row === undefined) continue;
      const next: SegmentRow = { ...row, batches: row.batches + change.batches, isOpen: row.isOpen && !change.isSealed };
      if (next.batches > 0 || next.isOpen) this.put(this.store.segments, segment, next);
      else {
        this.put(this.store.segments, segment, { ...next, isRetired: true });
        this.deadSegments.push(segment);
      }
    }
  }

  /** Nests the version checks with all writes innermost. The innermost promise says whether they were applied. */
  apply(): Promise<boolean> {
    const { rows } = this.store;
    const conditions = [...this.versions];
    if (conditions.length === 0) throw new Error('a transaction without a guarding row');
    const nest = (depth: number): Promise<boolean> => {
      const [key, version] = conditions[depth]!;
      let inner: Promise<boolean> | undefined;
      const own = rows.ifVersion(key, version, () => {
        if (depth < conditions.length - 1) inner = nest(depth + 1);
        else this.writeAll();
      });
      if (inner === undefined) return own;
      leaveTo(own);
      return inner;
    };
    return nest(0);
  }

  private writeAll(): void {
    for (const write of this.writes) write();
    for (const [key, row] of this.rows) leaveTo(this.store.rows.put(key, row, this.versions.get(key)! + 1));
  }
}
