// How transactions of the index are committed.
import type { TransactionFlags } from 'lmdb';

/** Blocks until the disk has the pages; other transactions may begin before. lmdb 3.5.6 has no commit of a synchronous transaction that returns sooner. */
// MDB_NOSYNC and lmdb's SYNCHRONOUS_COMMIT, as its own putSync uses them; its type knows only the second.
export const COMMIT_OVERLAPPING = 0x10002 as TransactionFlags;
