// Parses one page of LMDB's file, as far as the index check needs it.

// Page, little-endian: 0 u64 number, 8 u64 transaction, 18 u16 flags, 20 u16 end of the pointers, 22 u16 start of the nodes,
// 24 … u16 pointers to nodes. All of these count from 24, the end of the head. Node: u16 low, u16 high, u16 flags, u16 key bytes, key, data.
// In a branch, low, high and flags are the number of a page; in a leaf, low and high are the bytes of the data.
export const PAGE_HEAD_BYTES = 24;
const NODE_HEAD_BYTES = 8;
const BRANCH_FLAG = 0x01;
const LEAF_FLAG = 0x02;
/** Overflow pages, meta pages, and kinds of trees with duplicate keys, which the log does not use. */
const OTHER_KINDS = 0x6c;
/** The data are in separate pages: u64 number, u64 transaction, u64 pages. */
const BIG_DATA_FLAG = 0x01;
const BIG_DATA_BYTES = 24;
/** The data describe a tree: 48 bytes, the last 8 are its root. */
const TREE_FLAG = 0x02;
const NODE_FLAGS = BIG_DATA_FLAG | TREE_FLAG;
const TREE_ROOT_AT = 40;
const TREE_BYTES = 48;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;

interface PageReference {
  readonly number: number;
  readonly pages: number;
  /** True for a branch or leaf, false for plain data. */
  readonly isTree: boolean;
  /** Part of the list of free pages. */
  readonly isFreeList: boolean;
  /** Bytes of plain data. */
  readonly bytes?: number;
}

/** Pages that a transaction does not use. */
export interface FreePages {
  readonly start: bigint;
  readonly count: bigint;
}

/** Reads a value of the free list: a count, then page numbers; a negative number is the length of a run, whose first page follows; 0 is unused. Null for other bytes. */
export function freePagesIn(value: Buffer): FreePages[] | null {
  const numbers = value.length < 8 ? -1 : Number(value.readBigInt64LE(0));
  if (numbers < 0 || 8 * (numbers + 1) > value.length) return null;
  const found: FreePages[] = [];
  for (let i = 1; i <= numbers; i += 1) {
    const number = value.readBigInt64LE(8 * i);
    if (number > 0n) found.push({ start: number, count: 1n });
    if (number >= 0n) continue;
    i += 1;
    if (i > numbers) return null;
    found.push({ start: value.readBigInt64LE(8 * i), count: -number });
  }
  return found;
}

/** Pages that are in use, and pages that the free list names. */
export interface Found {
  readonly references: PageReference[];
  readonly free: FreePages[];
}

/** Returns the fault of a branch or leaf page, or null. Adds the pages that it refers to. */
export function faultOfPage(page: Buffer, { number, isFreeList }: PageReference, newest: bigint, found: Found): string | null {
  if (page.readBigUInt64LE(0) !== BigInt(number)) return 'has the wrong page number';
  if (page.readBigUInt64LE(8) > newest) return 'is newer than the index';
  const flags = page.readUInt16LE(18);
  const kind = flags & (BRANCH_FLAG | LEAF_FLAG);
  if ((kind !== BRANCH_FLAG && kind !== LEAF_FLAG) || (flags & OTHER_KINDS) !== 0) return 'is neither branch nor leaf';
  const pointersEnd = PAGE_HEAD_BYTES + page.readUInt16LE(20);
  const nodesStart = PAGE_HEAD_BYTES + page.readUInt16LE(22);
  if (pointersEnd > nodesStart || nodesStart > page.length) return 'has impossible bounds';
  for (let pointer = PAGE_HEAD_BYTES; pointer < pointersEnd; pointer += 2) {
    const node = PAGE_HEAD_BYTES + page.readUInt16LE(pointer);
    if (node < nodesStart || node + NODE_HEAD_BYTES > page.length) return 'points outside of itself';
    const fault = kind === BRANCH_FLAG ? faultOfBranchNode(page, node, isFreeList, found) : faultOfLeafNode(page, node, isFreeList, found);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOfBranchNode(page: Buffer, node: number, isFreeList: boolean, { references }: Found): string | null {
  if (node + NODE_HEAD_BYTES + page.readUInt16LE(node + 6) > page.length) return 'has a key that is too long';
  references.push({ number: page.readUIntLE(node, 6), pages: 1, isTree: true, isFreeList });
  return null;
}

function faultOfLeafNode(page: Buffer, node: number, isFreeList: boolean, { references, free }: Found): string | null {
  const flags = page.readUInt16LE(node + 4);
  if ((flags & ~NODE_FLAGS) !== 0) return 'has a node of an unknown kind';
  const data = node + NODE_HEAD_BYTES + page.readUInt16LE(node + 6);
  const isBig = (flags & BIG_DATA_FLAG) !== 0;
  const isTree = (flags & TREE_FLAG) !== 0;
  const bytes = page.readUInt32LE(node);
  if (data + (isBig ? BIG_DATA_BYTES : bytes) > page.length || (isTree && bytes !== TREE_BYTES)) return 'has a node that is too long';
  if (isBig) {
    const [number, pages] = [Number(page.readBigUInt64LE(data)), Number(page.readBigUInt64LE(data + 16))];
    references.push({ number, pages, isTree: false, isFreeList, bytes });
  } else if (isFreeList) {
    const named = freePagesIn(page.subarray(data, data + bytes));
    if (named === null) return 'has a list of free pages that is none';
    free.push(...named);
  }
  if (isTree) {
    const root = page.readBigUInt64LE(data + TREE_ROOT_AT);
    if (root !== NO_PAGE) references.push({ number: Number(root), pages: 1, isTree: true, isFreeList });
  }
  return null;
}
