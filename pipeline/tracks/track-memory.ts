// Recent points of every aircraft in memory. Points are in blocks of 32, each block of one aircraft and linked to the one before it. A hand goes
// round the blocks and takes the oldest ones again: no block is ever moved, and nothing is allocated per position.
import { limits } from '../../schemas/limits/index.ts';
import { POINT_WORDS, packPoint, unpackPoint } from './packed-points.ts';
import { LEG, Points, STALE } from './points.ts';
import { flagsAfter, isChanged } from './trace-point.ts';

const BLOCK_POINTS = 32;
const BLOCK_WORDS = BLOCK_POINTS * POINT_WORDS;
/** Blocks are allocated together, 384 KB at a time. */
const SEGMENT_BLOCKS = 512;
const BLOCK_BYTES = BLOCK_WORDS * Int32Array.BYTES_PER_ELEMENT;
/** How many blocks of aircraft that are still heard the hand skips before the memory grows instead. */
const SKIPS_MAX = 16;
const NONE = -1;
const FIRST_ROWS = 256;
/** Times in a block have 31 bits. */
const BLOCK_MS_MAX = 2 ** 31 - 1;
const MINUTE_MS = 60_000;

export interface TrackMemoryOptions {
  readonly bytesMax?: number;
  readonly spanMs?: number;
}

export interface TrackMemoryStats {
  /** Positions taken. */
  positions: number;
  /** Positions that were not newer than the aircraft's last one. */
  late: number;
  /** Points that were removed before their time, because the memory was full. */
  displaced: number;
}

export class TrackMemory {
  readonly stats: TrackMemoryStats = { positions: 0, late: 0, displaced: 0 };
  private readonly spanMs: number;
  private readonly blocksMax: number;
  /** Event time of the newest position of all aircraft. */
  private newestMs = Number.NEGATIVE_INFINITY;
  /** Points before this time were displaced, or are not read from the log. */
  private lostMs = Number.NEGATIVE_INFINITY;

  private readonly rowByKey = new Map<number, number>();
  private readonly freeRows: number[] = [];
  private rows = 0;
  /** By row: the newest position, which is not in a block yet, and the newest point in a block. */
  private readonly last = new Points(FIRST_ROWS);
  private readonly kept = new Points(FIRST_ROWS);
  private keys = new Int32Array(FIRST_ROWS);
  private newestBlock = new Int32Array(FIRST_ROWS);
  /** Number of the row's newest block; it never goes back, so that a block of an earlier aircraft is not taken for one of this one. */
  private ordinals = new Int32Array(FIRST_ROWS);
  /** Increases with each position of the aircraft. */
  private versions = new Int32Array(FIRST_ROWS);

  private readonly segments: Int32Array[] = [];
  private blocks = 0;
  private hand = 0;
  /** By block: its row, its number, the block before it, time of its first and last point, number of points. */
  private owner = new Int32Array(0);
  private ordinal = new Int32Array(0);
  private before = new Int32Array(0);
  private baseMs = new Float64Array(0);
  private endMs = new Float64Array(0);
  private length = new Uint8Array(0);
  private pointCount = 0;

  constructor({ bytesMax = limits.trackMemoryBytesMax, spanMs = limits.trackMinutesMax * MINUTE_MS }: TrackMemoryOptions = {}) {
    this.spanMs = spanMs;
    this.blocksMax = Math.max(2, Math.floor(bytesMax / BLOCK_BYTES));
  }

  /** Aircraft with points. */
  get aircraft(): number {
    return this.rowByKey.size;
  }

  get points(): number {
    return this.pointCount + this.rowByKey.size;
  }

  /** Bytes of the blocks. */
  get bytes(): number {
    return this.segments.length * SEGMENT_BLOCKS * BLOCK_BYTES;
  }

  /** Takes the position that is point 0 of `position`; its flags are set. */
  take(key: number, position: Points): void {
    const { last, kept, stats } = this;
    stats.positions += 1;
    const timeMs = position.timeMs[0]!;
    if (timeMs > this.newestMs) this.newestMs = timeMs;
    const row = this.rowByKey.get(key);
    if (row === undefined) {
      this.addRow(key, position);
      return;
    }
    if (timeMs <= last.timeMs[row]!) {
      stats.late += 1;
      return;
    }
    const flags = flagsAfter(last, row, position, 0);
    position.flags[0] = flags;
    const isBreak = ((last.flags[row]! | flags) & (STALE | LEG)) !== 0;
    if (isBreak || Number.isNaN(kept.timeMs[row]!) || isChanged(kept, row, position, 0)) {
      this.append(row);
      kept.copy(row, last, row);
    }
    last.copy(row, position, 0);
    this.versions[row] = this.versions[row]! + 1;
  }

  /** Event time from which on every aircraft's points are here. */
  get completeFromMs(): number {
    return Math.max(this.lostMs, this.newestMs - this.spanMs);
  }

  /** Says that positions before `timeMs` are not taken. */
  beginAt(timeMs: number): void {
    this.lostMs = Math.max(this.lostMs, timeMs);
  }

  /** True when the aircraft has a position within the span of the memory. */
  has(key: number): boolean {
    const row = this.rowByKey.get(key);
    return row !== undefined && this.last.timeMs[row]! >= this.newestMs - this.spanMs;
  }

  /** Changes with each new position of the aircraft. */
  version(key: number): number {
    const row = this.rowByKey.get(key);
    return row === undefined ? 0 : this.versions[row]!;
  }

  /** Adds the aircraft's points from `fromMs` to `toMs`, both included, in order of time: its newest `limits.trackMemoryPointsMax`. */
  read(key: number, fromMs: number, toMs: number, points: Points): void {
    const row = this.rowByKey.get(key);
    if (row === undefined) return;
    const chain: number[] = [];
    let found = 0;
    let ordinal = this.ordinals[row]!;
    for (let block = this.newestBlock[row]!; block !== NONE && this.owner[block] === row && this.ordinal[block] === ordinal; ordinal -= 1) {
      if (found >= limits.trackMemoryPointsMax) break;
      if (this.length[block]! > 0 && this.endMs[block]! < fromMs) break;
      chain.push(block);
      found += this.length[block]!;
      block = this.before[block]!;
    }
    for (const block of chain.reverse()) this.readBlock(block, fromMs, toMs, points);
    const lastMs = this.last.timeMs[row]!;
    if (lastMs >= fromMs && lastMs <= toMs) points.push(this.last, row);
  }

  private readBlock(block: number, fromMs: number, toMs: number, points: Points): void {
    const words = this.segments[Math.floor(block / SEGMENT_BLOCKS)]!;
    const start = (block % SEGMENT_BLOCKS) * BLOCK_WORDS;
    for (let i = 0; i < this.length[block]!; i += 1) {
      unpackPoint(words, start + i * POINT_WORDS, this.baseMs[block]!, points);
      const timeMs = points.timeMs[points.count - 1]!;
      if (timeMs < fromMs || timeMs > toMs) points.count -= 1;
    }
  }

  private addRow(key: number, position: Points): void {
    const row = this.freeRows.pop() ?? this.rows;
    if (row === this.rows) {
      this.rows += 1;
      this.reserveRows(this.rows);
    }
    this.keys[row] = key;
    this.last.copy(row, position, 0);
    this.kept.timeMs[row] = Number.NaN;
    this.versions[row] = 1;
    this.newestBlock[row] = NONE;
    this.rowByKey.set(key, row);
    this.startBlock(row);
  }

  private reserveRows(rows: number): void {
    this.last.reserve(rows);
    this.kept.reserve(rows);
    if (rows <= this.keys.length) return;
    this.keys = grown(this.keys, new Int32Array(2 * rows));
    this.newestBlock = grown(this.newestBlock, new Int32Array(2 * rows));
    this.ordinals = grown(this.ordinals, new Int32Array(2 * rows));
    this.versions = grown(this.versions, new Int32Array(2 * rows));
  }

  /** Writes the newest position of a row into its block. */
  private append(row: number): void {
    const timeMs = this.last.timeMs[row]!;
    let block = this.newestBlock[row]!;
    if (this.length[block] === BLOCK_POINTS || timeMs - this.baseMs[block]! > BLOCK_MS_MAX) block = this.startBlock(row);
    const length = this.length[block]!;
    if (length === 0) this.baseMs[block] = timeMs;
    const words = this.segments[Math.floor(block / SEGMENT_BLOCKS)]!;
    const at = (block % SEGMENT_BLOCKS) * BLOCK_WORDS + length * POINT_WORDS;
    packPoint(words, at, this.baseMs[block]!, this.last, row);
    this.length[block] = length + 1;
    this.endMs[block] = timeMs;
    this.pointCount += 1;
  }

  /** Gives a row an empty block. */
  private startBlock(row: number): number {
    const block = this.expiredBlock(row) ?? (this.blocks < this.blocksMax ? this.addBlock() : this.displacedBlock(row));
    this.ordinals[row] = this.ordinals[row]! + 1;
    this.owner[block] = row;
    this.ordinal[block] = this.ordinals[row]!;
    this.before[block] = this.newestBlock[row]!;
    this.baseMs[block] = this.last.timeMs[row]!;
    this.endMs[block] = this.last.timeMs[row]!;
    this.length[block] = 0;
    this.newestBlock[row] = block;
    return block;
  }

  /** A block whose points are all older than the span, but not the newest of `row`, which would be forgotten; undefined when the hand is at none. */
  private expiredBlock(row: number): number | undefined {
    const horizonMs = this.newestMs - this.spanMs;
    for (let skips = 0; skips < SKIPS_MAX && this.blocks > 0; skips += 1) {
      const block = this.nextBlock();
      if (this.newestBlock[row] === block) continue;
      const isOpen = this.isNewest(block);
      const endMs = isOpen ? this.last.timeMs[this.owner[block]!]! : this.endMs[block]!;
      if (endMs < horizonMs) {
        this.free(block);
        return block;
      }
      if (!isOpen) {
        // The hand stays: this block is the next to expire.
        this.hand = block;
        return undefined;
      }
    }
    return undefined;
  }

  /** The oldest block that is not an aircraft's newest; if all are, the newest one of another aircraft. */
  private displacedBlock(row: number): number {
    for (let skips = 0; skips < this.blocks; skips += 1) {
      const block = this.nextBlock();
      if (this.isNewest(block)) continue;
      this.stats.displaced += this.length[block]!;
      this.beginAt(this.endMs[block]! + 1);
      this.free(block);
      return block;
    }
    let block = this.nextBlock();
    if (this.owner[block] === row) block = this.nextBlock();
    this.stats.displaced += this.length[block]! + 1;
    this.beginAt(this.last.timeMs[this.owner[block]!]! + 1);
    this.free(block);
    return block;
  }

  private nextBlock(): number {
    const block = this.hand % this.blocks;
    this.hand = block + 1;
    return block;
  }

  private isNewest(block: number): boolean {
    const row = this.owner[block]!;
    return row !== NONE && this.newestBlock[row] === block;
  }

  /** Takes a block from its aircraft, which is forgotten with its newest one. */
  private free(block: number): void {
    this.pointCount -= this.length[block]!;
    if (this.isNewest(block)) {
      const row = this.owner[block]!;
      this.rowByKey.delete(this.keys[row]!);
      this.newestBlock[row] = NONE;
      this.freeRows.push(row);
    }
    this.owner[block] = NONE;
    this.length[block] = 0;
  }

  private addBlock(): number {
    const block = this.blocks;
    if (block === this.segments.length * SEGMENT_BLOCKS) {
      this.segments.push(new Int32Array(SEGMENT_BLOCKS * BLOCK_WORDS));
      this.reserveBlocks(this.segments.length * SEGMENT_BLOCKS);
    }
    this.blocks += 1;
    return block;
  }

  private reserveBlocks(blocks: number): void {
    if (blocks <= this.owner.length) return;
    const capacity = Math.max(blocks, 2 * this.owner.length);
    this.owner = grown(this.owner, new Int32Array(capacity));
    this.ordinal = grown(this.ordinal, new Int32Array(capacity));
    this.before = grown(this.before, new Int32Array(capacity));
    this.baseMs = grown(this.baseMs, new Float64Array(capacity));
    this.endMs = grown(this.endMs, new Float64Array(capacity));
    this.length = grown(this.length, new Uint8Array(capacity));
  }
}

function grown<Column extends Int32Array | Float64Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
