// The memory of one tick's JSON: all listed aircraft in both views, each body in one piece, and an index by hex.
// Arenas are reused, but only without leases: a slow client keeps its arena, and the next tick uses another one.

import { FREE } from './columns.ts';
import { mixKey } from './hex-key.ts';
import { Listing } from './listing.ts';
import { OBJECT_BYTES_MAX, putNativeHead, putReadsbHead, putTail, rowSource } from './render.ts';
import { ResponseBuffers } from './response-buffers.ts';
import { SearchMemory } from './search-memory.ts';
import type { LiveTable } from './table.ts';

/** Bytes for the envelope in front of the objects. */
export const ENVELOPE_BYTES_MAX = 256;
const FIRST_BYTES = 64 * 1024;
const GROWTH = 1.25;
const FIRST_ROWS = 256;
const COMMA = 0x2c;
/** How long aircraft without a valid position are listed after their last message (decisions G5). */
export const LISTED_MS_MAX = 60_000;

/** Responses that can be built in the memory of their objects at the same time, and the largest of them. */
const SLOTS = 8;
const SLOT_BYTES = 512 * 1024;

/**
 * The bytes of one view: ENVELOPE_BYTES_MAX free bytes, the objects with commas between them, free bytes for the end; then slots for
 * responses: copying inside one memory creates no object per copy.
 */
export class ByteArea {
  bytes: Buffer = Buffer.allocUnsafeSlow(FIRST_BYTES + SLOTS * SLOT_BYTES);
  view: DataView = dataView(this.bytes);
  /** Offsets of each object's first byte and of the byte after it. */
  starts = new Int32Array(FIRST_ROWS);
  ends = new Int32Array(FIRST_ROWS);
  /** Offset after the last object's comma. */
  end = ENVELOPE_BYTES_MAX;

  private readonly freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot);

  /** Reserves room for one more object and the end of a body. */
  reserve(at: number): void {
    const needed = at + OBJECT_BYTES_MAX + ENVELOPE_BYTES_MAX + SLOTS * SLOT_BYTES;
    if (needed <= this.bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.ceil(needed * GROWTH));
    this.bytes.copy(bytes, 0, 0, at);
    this.bytes = bytes;
    this.view = dataView(bytes);
  }

  /** Number of a slot for a response of up to `bytes`; undefined when none is free or large enough. Requires a lease. */
  takeSlot(bytes: number): number | undefined {
    return bytes <= SLOT_BYTES ? this.freeSlots.pop() : undefined;
  }

  giveSlot(slot: number): void {
    this.freeSlots.push(slot);
  }

  /** Offset of a slot's first byte. */
  slotStart(slot: number): number {
    return this.bytes.length - (slot + 1) * SLOT_BYTES;
  }

  /** Writes an envelope around the objects; the body is one piece of memory. */
  body(opening: string, closing: string): Buffer {
    const start = ENVELOPE_BYTES_MAX - opening.length;
    this.bytes.write(opening, start, 'latin1');
    const last = this.end === ENVELOPE_BYTES_MAX ? this.end : this.end - 1;
    this.bytes.write(closing, last, 'latin1');
    return this.bytes.subarray(start, last + closing.length);
  }
}

export class Arena {
  readonly native = new ByteArea();
  readonly readsb = new ByteArea();
  /** The input of queries. */
  readonly listing: Listing;
  /** Table rows of the listed aircraft, in the order of the bodies. */
  rows = new Int32Array(FIRST_ROWS);
  keys = new Int32Array(FIRST_ROWS);
  count = 0;
  /** Changes with every change of the bytes. */
  generation = 0;
  /** Number of leases; 0 means that the bytes may be overwritten. */
  leases = 0;
  /** Open addressing: number in the listing + 1, 0 is empty. */
  private slots = new Int32Array(4 * FIRST_ROWS);

  constructor(searchMemory: SearchMemory) {
    this.listing = new Listing(searchMemory);
  }

  /** Renders every listed aircraft at `nowMs`. */
  render(table: LiveTable, nowMs: number): void {
    this.generation += 1;
    table.refreshFacts();
    this.select(table, nowMs);
    this.listing.grid.order(this.rows, this.count, table.columns);
    this.buildIndex(table);
    this.listing.fill(table, this.rows, this.count);
    const source = rowSource(this.listing);
    const { native, readsb } = this;
    let nativeAt = ENVELOPE_BYTES_MAX;
    let readsbAt = ENVELOPE_BYTES_MAX;
    for (let i = 0; i < this.count; i += 1) {
      native.reserve(nativeAt);
      readsb.reserve(readsbAt);
      native.starts[i] = nativeAt;
      const tail = putNativeHead(native.view, nativeAt, source, i);
      const nativeEnd = putTail(native.view, tail, source, i, nowMs);
      native.ends[i] = nativeEnd;
      native.view.setUint8(nativeEnd, COMMA);
      nativeAt = nativeEnd + 1;
      readsb.starts[i] = readsbAt;
      const readsbTail = putReadsbHead(readsb.view, readsbAt, source, i);
      native.bytes.copy(readsb.bytes, readsbTail, tail, nativeAt);
      readsbAt = readsbTail + nativeAt - tail;
      readsb.ends[i] = readsbAt - 1;
    }
    native.end = nativeAt;
    readsb.end = readsbAt;
  }

  /** Number of an aircraft in the listing, −1 when it is not listed. */
  indexOf(key: number): number {
    const mask = this.slots.length - 1;
    for (let at = mixKey(key) & mask; ; at = (at + 1) & mask) {
      const entry = this.slots[at]!;
      if (entry === 0) return -1;
      if (this.keys[entry - 1] === key) return entry - 1;
    }
  }

  private select({ columns, seenMs, highWater }: LiveTable, nowMs: number): void {
    if (this.rows.length < highWater) this.growLists(highWater);
    const { key, positionValid, messages } = columns;
    let count = 0;
    for (let row = 0; row < highWater; row += 1) {
      if (key[row] === FREE) continue;
      const heard = messages[row]! >= 2 && nowMs - seenMs[row]! <= LISTED_MS_MAX;
      if (positionValid[row] !== 1 && !heard) continue;
      this.rows[count] = row;
      count += 1;
    }
    this.count = count;
  }

  private growLists(rows: number): void {
    const capacity = Math.ceil(rows * GROWTH);
    this.rows = new Int32Array(capacity);
    this.keys = new Int32Array(capacity);
    for (const area of [this.native, this.readsb]) {
      area.starts = new Int32Array(capacity);
      area.ends = new Int32Array(capacity);
    }
  }

  private buildIndex({ columns: { key } }: LiveTable): void {
    while (this.slots.length < 2 * this.count) this.slots = new Int32Array(2 * this.slots.length);
    const { slots, rows, keys, count } = this;
    slots.fill(0);
    const mask = slots.length - 1;
    for (let i = 0; i < count; i += 1) {
      keys[i] = key[rows[i]!]!;
      let at = mixKey(keys[i]!) & mask;
      while (slots[at] !== 0) at = (at + 1) & mask;
      slots[at] = i + 1;
    }
  }
}

/** Spare arenas for later ticks: one is enough without slow clients, two because compression holds one for part of a tick. */
const SPARES_MAX = 2;

/** Lends arenas and takes them back. Keeps only a few spares, so that memory follows the number of leases. */
export class ArenaPool {
  /** For responses without a slot. */
  readonly buffers = new ResponseBuffers();
  /** One for all arenas, because searches never overlap. */
  private readonly searchMemory = new SearchMemory();
  private readonly spares: Arena[] = [];
  /** Arenas created so far: grows only while clients are slower than ticks. */
  created = 0;

  take(): Arena {
    const arena = this.spares.pop() ?? this.create();
    arena.leases = 1;
    return arena;
  }

  retain(arena: Arena): void {
    arena.leases += 1;
  }

  release(arena: Arena): void {
    arena.leases -= 1;
    if (arena.leases === 0 && this.spares.length < SPARES_MAX) this.spares.push(arena);
  }

  private create(): Arena {
    this.created += 1;
    return new Arena(this.searchMemory);
  }
}

function dataView(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
