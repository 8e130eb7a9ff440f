// Recent points of every aircraft in memory. Points are in blocks of 32, each block of one aircraft. A hand goes round the blocks and reuses
// the oldest ones: no block is ever moved, and nothing is allocated per position.
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
const FIRST_ROWS = 256;
/** Times in a block have 31 bits. */
const BLOCK_MS_MAX = 2 ** 31 - 1;
const MINUTE_MS = 60_000;

export interface TrackMemoryOptions {
  readonly bytesMax?: number;
  readonly spanMs?: number;
}

export interface TrackMemoryStats {
  /** Positions received. */
  positions: number;
  /** Positions that were not newer than the aircraft's last one. */
  late: number;
  /** Points that were removed before their time, because the memory was full. */
  displaced: number;
}

/** The track of one aircraft. */
interface Track {
  readonly key: number;
  /** Its index in `last` and `kept`. */
  readonly row: number;
  /** Its blocks, the oldest first. */
  readonly blocks: number[];
  /** Increases with each position. */
  version: number;
}

export class TrackMemory {
  readonly stats: TrackMemoryStats = { positions: 0, late: 0, displaced: 0 };
  private readonly spanMs: number;
  private readonly blocksMax: number;
  /** Event time of the newest position of all aircraft. */
  private newestMs = Number.NEGATIVE_INFINITY;
  /** Points before this time were displaced, or are not read from the log. */
  private lostMs = Number.NEGATIVE_INFINITY;

  private readonly tracks = new Map<number, Track>();
  private readonly freeRows: number[] = [];
  private rows = 0;
  /** By row: the newest position, which is not in a block yet, and the newest point in a block. */
  private readonly newest = new Points(FIRST_ROWS);
  private readonly stored = new Points(FIRST_ROWS);

  private readonly segments: Int32Array[] = [];
  private hand = 0;
  /** By block: its aircraft, null for a free block; time of its first and last point, number of points. */
  private readonly owners: (Track | null)[] = [];
  private baseMs = new Float64Array(0);
  private endMs = new Float64Array(0);
  private lengths = new Uint8Array(0);
  private pointCount = 0;

  constructor({ bytesMax = limits.trackMemoryBytesMax, spanMs = limits.trackMinutesMax * MINUTE_MS }: TrackMemoryOptions = {}) {
    this.spanMs = spanMs;
    this.blocksMax = Math.max(2, Math.floor(bytesMax / BLOCK_BYTES));
  }

  /** Aircraft with points. */
  get aircraft(): number {
    return this.tracks.size;
  }

  get points(): number {
    return this.pointCount + this.tracks.size;
  }

  /** Bytes of the blocks. */
  get bytes(): number {
    return this.segments.length * SEGMENT_BLOCKS * BLOCK_BYTES;
  }

  /** Adds the position that is point 0 of `position`; its flags are set. */
  add(key: number, position: Points): void {
    const { newest, stored, stats } = this;
    stats.positions += 1;
    const timeMs = position.timeMs[0]!;
    if (timeMs > this.newestMs) this.newestMs = timeMs;
    const track = this.tracks.get(key);
    if (track === undefined) {
      this.addTrack(key, position);
      return;
    }
    const { row } = track;
    if (timeMs <= newest.timeMs[row]!) {
      stats.late += 1;
      return;
    }
    const flags = flagsAfter(newest, row, position, 0);
    position.setFlags(0, flags);
    const isBreak = ((newest.flags(row) | flags) & (STALE | LEG)) !== 0;
    if (isBreak || Number.isNaN(stored.timeMs[row]!) || isChanged(stored, row, position, 0)) {
      this.store(track);
      stored.copy(row, newest, row);
    }
    newest.copy(row, position, 0);
    track.version += 1;
  }

  /** Event time from which on every aircraft's points are here. */
  get completeFromMs(): number {
    return Math.max(this.lostMs, this.newestMs - this.spanMs);
  }

  /** Says that positions before `timeMs` are missing. */
  beginAt(timeMs: number): void {
    this.lostMs = Math.max(this.lostMs, timeMs);
  }

  /** True when the aircraft has a position within the span of the memory. */
  has(key: number): boolean {
    const track = this.tracks.get(key);
    return track !== undefined && this.newest.timeMs[track.row]! >= this.newestMs - this.spanMs;
  }

  /** Changes with each new position of the aircraft. */
  version(key: number): number {
    return this.tracks.get(key)?.version ?? 0;
  }

  /** Adds the aircraft's points from `fromMs` to `toMs`, both included, in order of time: its newest `limits.trackMemoryPointsMax`. */
  read(key: number, fromMs: number, toMs: number, points: Points): void {
    const track = this.tracks.get(key);
    if (track === undefined) return;
    const { blocks, row } = track;
    let first = blocks.length;
    for (let found = 0; first > 0 && found < limits.trackMemoryPointsMax; first -= 1) {
      const block = blocks[first - 1]!;
      if (this.lengths[block]! > 0 && this.endMs[block]! < fromMs) break;
      found += this.lengths[block]!;
    }
    for (; first < blocks.length; first += 1) this.readBlock(blocks[first]!, fromMs, toMs, points);
    const newestMs = this.newest.timeMs[row]!;
    if (newestMs >= fromMs && newestMs <= toMs) points.push(this.newest, row);
  }

  private readBlock(block: number, fromMs: number, toMs: number, points: Points): void {
    const words = this.segments[Math.floor(block / SEGMENT_BLOCKS)]!;
    const start = (block % SEGMENT_BLOCKS) * BLOCK_WORDS;
    for (let i = 0; i < this.lengths[block]!; i += 1) {
      unpackPoint(words, start + i * POINT_WORDS, this.baseMs[block]!, points);
      const timeMs = points.timeMs[points.count - 1]!;
      if (timeMs < fromMs || timeMs > toMs) points.count -= 1;
    }
  }

  private addTrack(key: number, position: Points): void {
    const row = this.freeRows.pop() ?? this.rows;
    if (row === this.rows) {
      this.rows += 1;
      this.newest.reserve(this.rows);
      this.stored.reserve(this.rows);
    }
    this.newest.copy(row, position, 0);
    this.stored.timeMs[row] = Number.NaN;
    const track = { key, row, blocks: [], version: 1 };
    this.tracks.set(key, track);
    this.startBlock(track);
  }

  /** Writes the newest position of an aircraft into its newest block. */
  private store(track: Track): void {
    const timeMs = this.newest.timeMs[track.row]!;
    let block = track.blocks.at(-1)!;
    if (this.lengths[block] === BLOCK_POINTS || timeMs - this.baseMs[block]! > BLOCK_MS_MAX) block = this.startBlock(track);
    const length = this.lengths[block]!;
    if (length === 0) this.baseMs[block] = timeMs;
    const words = this.segments[Math.floor(block / SEGMENT_BLOCKS)]!;
    const at = (block % SEGMENT_BLOCKS) * BLOCK_WORDS + length * POINT_WORDS;
    packPoint(words, at, this.baseMs[block]!, this.newest, track.row);
    this.lengths[block] = length + 1;
    this.endMs[block] = timeMs;
    this.pointCount += 1;
  }

  /** Gives an aircraft an empty block. */
  private startBlock(track: Track): number {
    const block = this.expiredBlock(track) ?? (this.owners.length < this.blocksMax ? this.addBlock() : this.displacedBlock(track));
    this.owners[block] = track;
    this.baseMs[block] = this.newest.timeMs[track.row]!;
    this.endMs[block] = this.newest.timeMs[track.row]!;
    track.blocks.push(block);
    return block;
  }

  /** A block whose points are all older than the span, but not the newest of `track`, which would be forgotten; undefined when the hand is at none. */
  private expiredBlock(track: Track): number | undefined {
    const horizonMs = this.newestMs - this.spanMs;
    for (let skips = 0; skips < SKIPS_MAX && this.owners.length > 0; skips += 1) {
      const block = this.nextBlock();
      const owner = this.owners[block]!;
      if (owner === null) return block;
      const isNewest = owner.blocks.at(-1) === block;
      if (isNewest && owner === track) continue;
      const endMs = isNewest ? this.newest.timeMs[owner.row]! : this.endMs[block]!;
      if (endMs < horizonMs) {
        this.free(block);
        return block;
      }
      if (!isNewest) {
        // The hand stays: this block is the next to expire.
        this.hand = block;
        return undefined;
      }
    }
    return undefined;
  }

  /** The oldest block that is not an aircraft's newest; if all are, the newest one of another aircraft. */
  private displacedBlock(track: Track): number {
    let block = this.nextBlock();
    const isNewest = (): boolean => this.owners[block]?.blocks.at(-1) === block;
    for (let skips = 0; skips < this.owners.length && isNewest(); skips += 1) block = this.nextBlock();
    const owner = this.owners[block]!;
    if (owner === null) return block;
    if (owner === track && isNewest()) return this.displacedBlock(track);
    const { points } = this;
    this.beginAt((isNewest() ? this.newest.timeMs[owner.row]! : this.endMs[block]!) + 1);
    this.free(block);
    this.stats.displaced += points - this.points;
    return block;
  }

  private nextBlock(): number {
    const block = this.hand % this.owners.length;
    this.hand = block + 1;
    return block;
  }

  /** Takes a block and all older ones from their aircraft, which is forgotten with its newest block. */
  private free(block: number): void {
    const { key, row, blocks } = this.owners[block]!;
    for (const free of blocks.splice(0, blocks.indexOf(block) + 1)) {
      this.pointCount -= this.lengths[free]!;
      this.lengths[free] = 0;
      this.owners[free] = null;
    }
    if (blocks.length > 0) return;
    this.tracks.delete(key);
    this.freeRows.push(row);
  }

  private addBlock(): number {
    const block = this.owners.push(null) - 1;
    if (block === this.segments.length * SEGMENT_BLOCKS) {
      this.segments.push(new Int32Array(SEGMENT_BLOCKS * BLOCK_WORDS));
      if (block >= this.lengths.length) {
        const capacity = 2 * block + SEGMENT_BLOCKS;
        this.baseMs = grown(this.baseMs, new Float64Array(capacity));
        this.endMs = grown(this.endMs, new Float64Array(capacity));
        this.lengths = grown(this.lengths, new Uint8Array(capacity));
      }
    }
    return block;
  }
}

function grown<Column extends Float64Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
