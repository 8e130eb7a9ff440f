// Checks the index file before LMDB maps it: LMDB trusts its pages, and a bad page number or a short file ends the process with a signal.
// Walks the trees of the latest transaction. On any inconsistency the log is refused as damaged instead.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { SquitterError } from '../../../schemas/errors.ts';
import { limits } from '../../../schemas/limits/index.ts';
import { logFailure } from './failures.ts';
import { type Found, type FreePages, faultOfPage, freePagesIn, PAGE_HEAD_BYTES } from './index-page.ts';

// Meta page, little-endian (LMDB 0.9.90, 64 bit): 18 u16 page flags, 24 u32 magic, 28 u32 version,
// 48 u32 page size, 88 u64 root of the free list, 136 u64 root of the main tree, 144 u64 last page, 152 u64 transaction.
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_FLAG = 0x08;
const META_BYTES = 168;
/** lmdb keeps the last flushed meta data in the middle of the first page: the same fields without magic and flags; zeros if there are none. */
const FLUSHED_AT = 2048;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

/** A file that changes during the check is open in another process, so its log is sound. */
const ROUNDS = 5;

/** Returns true if there is no index yet. Errors: `log.damaged`, those of the disk, and `otherwise`. */
export function checkIndexFile(path: string, indexFile: string, otherwise: 'log.not_readable' | 'log.not_writable'): boolean {
  let file: number;
  try {
    file = openSync(indexFile, 'r');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return true;
    throw logFailure(path, error, otherwise);
  }
  try {
    // LMDB writes its first pages in one call; a process that died before that leaves an empty file.
    if (fstatSync(file).size === 0) return true;
    const detail = faultOf(file);
    if (detail !== null) throw new SquitterError('log.damaged', { path, detail });
    return false;
  } catch (error) {
    throw logFailure(path, error, otherwise);
  } finally {
    closeSync(file);
  }
}

interface Meta {
  readonly pageBytes: number;
  /** Root page of the free list, then that of the main tree. */
  readonly roots: readonly bigint[];
  readonly lastPage: bigint;
  readonly transaction: bigint;
}

function faultOf(file: number): string | null {
  let checked: bigint | null = null;
  for (let round = 0; round < ROUNDS; round += 1) {
    const first = readMeta(file, 0);
    if (first === null) return 'the index does not begin with an LMDB header';
    const second = readMeta(file, first.pageBytes);
    if (second === null || second.pageBytes !== first.pageBytes) return 'the second page of the index is invalid';
    const latest = first.transaction >= second.transaction ? first : second;
    const fault = isFlushedSound(file, latest) ? faultOfTrees(file, latest) : 'the first page of the index is invalid';
    if (fault === null || latest.transaction === checked) return fault;
    // A writer may have reused pages meanwhile: check again, and report a fault only if the transaction is still the same.
    checked = latest.transaction;
  }
  return null;
}

function readMeta(file: number, position: number): Meta | null {
  const page = Buffer.alloc(META_BYTES);
  if (readSync(file, page, 0, META_BYTES, position) < META_BYTES) return null;
  const isMeta = (page.readUInt16LE(18) & META_FLAG) !== 0;
  if (!isMeta || page.readUInt32LE(24) !== MAGIC || (page.readUInt32LE(28) & 0xffff) !== DATA_VERSION) return null;
  const pageBytes = page.readUInt32LE(48);
  if (pageBytes < 512 || pageBytes > 65_536 || (pageBytes & (pageBytes - 1)) !== 0) return null;
  return {
    pageBytes,
    roots: [page.readBigUInt64LE(88), page.readBigUInt64LE(136)],
    lastPage: page.readBigUInt64LE(144),
    transaction: page.readBigUInt64LE(152),
  };
}

function isFlushedSound(file: number, { pageBytes, transaction }: Meta): boolean {
  const page = Buffer.alloc(META_BYTES);
  if (
    pageBytes < FLUSHED_AT + META_BYTES ||
    readSync(file, page, 0, META_BYTES, FLUSHED_AT) < META_BYTES ||
    page.every((byte) => byte === 0)
  )
    return true;
  const pages = BigInt(Math.floor(fstatSync(file).size / pageBytes));
  const roots = [page.readBigUInt64LE(88), page.readBigUInt64LE(136)];
  const isInside = roots.every((root) => root === NO_PAGE || (root >= 2n && root < pages));
  return page.readUInt32LE(48) === pageBytes && isInside && page.readBigUInt64LE(152) <= transaction;
}

function faultOfTrees(file: number, meta: Meta): string | null {
  const { pageBytes, transaction, roots } = meta;
  const pagesInFile = Math.floor(fstatSync(file).size / pageBytes);
  // The last pages may be free and never written, but not most of them.
  if (meta.lastPage > 2 * pagesInFile + limits.logIndexPagesCheckedMax) return 'the index file is cut short';
  const page = Buffer.alloc(pageBytes);
  const found: Found = { references: [], free: [] };
  const { references } = found;
  roots.forEach((root, i) => {
    if (root !== NO_PAGE) references.push({ number: Number(root), pages: 1, isTree: true, isFreeList: i === 0 });
  });
  for (let i = 0; i < references.length; i += 1) {
    const reference = references[i]!;
    const { number, pages, isTree, isFreeList, bytes = 0 } = reference;
    if (number < 2 || number + pages > pagesInFile || PAGE_HEAD_BYTES + bytes > pages * pageBytes) return 'the index file is cut short';
    if (i >= limits.logIndexPagesCheckedMax || !(isTree || isFreeList)) continue;
    if (!isTree) {
      const value = Buffer.alloc(bytes);
      const free = readSync(file, value, 0, bytes, number * pageBytes + PAGE_HEAD_BYTES) < bytes ? null : freePagesIn(value);
      if (free === null) return `page ${number} of the index has a list of free pages that is none`;
      for (const run of free) found.free.push(run);
      continue;
    }
    if (readSync(file, page, 0, pageBytes, number * pageBytes) < pageBytes) return 'the index file is cut short';
    const fault = faultOfPage(page, reference, transaction, found);
    if (fault !== null) return `page ${number} of the index ${fault}`;
  }
  return faultOfFreePages(found, meta);
}

/** LMDB would write over a page that it believes to be free, and twice over one that is in the list twice. */
function faultOfFreePages({ references, free }: Found, { lastPage }: Meta): string | null {
  const used = new Set<number>();
  for (const { number, pages } of references) for (let i = 0; i < pages; i += 1) used.add(number + i);
  const claim = ({ start, count }: FreePages): boolean => {
    if (start < 2n || start + count - 1n > lastPage) return false;
    for (let number = Number(start); number < Number(start + count); number += 1) {
      if (used.has(number)) return false;
      used.add(number);
    }
    return true;
  };
  return free.every(claim) ? null : 'the list of free pages of the index has a page that is not free';
}
