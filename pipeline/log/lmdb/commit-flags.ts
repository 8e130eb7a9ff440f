// How transactions of the index are committed.
import type { TransactionFlags } from 'lmdb';

/** Blocks until the pages are written, but not until the disk has them. */
// MDB_NOSYNC and lmdb's SYNCHRONOUS_COMMIT, as its own putSync uses them; its type knows only the second.
export const COMMIT_WITHOUT_FLUSH = 0x10002 as TransactionFlags;
