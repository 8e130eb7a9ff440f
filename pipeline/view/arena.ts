// The memory of one tick: the listed aircraft, an index by hex, and their JSON in both views, each body in one piece. A view is written when it is asked for.
// Arenas are reused, but only without leases: a slow client keeps its arena, and the next tick uses another one.

import { limits } from '../../schemas/limits/index.ts';
import { FREE } from '../aircraft/columns.ts';
import { mixKey } from '../aircraft/hex-key.ts';
import { type View, views } from '../aircraft/plain.ts';
import type { LiveTable } from '../aircraft/table.ts';
import { freeBuffer } from '../runtime/free-buffer.ts';
import { Listing } from './listing.ts';
import { OBJECT_BYTES, RowWriter } from './render.ts';
import { ResponseBuffers } from './response-buffers.ts';
import { SearchMemory } from './search-memory.ts';

/** Bytes for the envelope in front of the objects. */
const ENVELOPE_BYTES = 256;
const FIRST_BYTES = 64 * 1024;
const GROWTH = 1.25;
const FIRST_ROWS = 256;
const COMMA = 0x2c;

/** Responses that can be built in the memory of their objects at the same time, and the largest of them. */
const SLOTS = 8;
const SLOT_BYTES = 512 * 1024;

/**
 * The bytes of one view: ENVELOPE_BYTES free bytes, the objects with commas between them, free bytes for the end; then slots for
 * responses: copying inside one memory creates no object per copy.
 */
export class ByteArea {
  bytes: Buffer = Buffer.alloc(0);
  view: DataView = dataView(this.bytes);
  /** The offsets of each object's first byte, of what both views share, and of the byte after the object. */
  starts = new Int32Array(FIRST_ROWS);
  tails = new Int32Array(FIRST_ROWS);
  ends = new Int32Array(FIRST_ROWS);
  /** The offset after the last object's comma. */
  end = ENVELOPE_BYTES;
  /** Number of objects. */
  written = 0;

  private readonly freeSlots = Array.from({ length: SLOTS }, (_, slot) => slot);

  /** Reserves room for one more object and the end of a body. */
  reserve(at: number): void {
    const needed = at + OBJECT_BYTES + ENVELOPE_BYTES + SLOTS * SLOT_BYTES;
    if (needed <= this.bytes.length) return;
    const bytes = Buffer.allocUnsafeSlow(Math.max(FIRST_BYTES + SLOTS * SLOT_BYTES, Math.ceil(needed * GROWTH)));
    this.bytes.copy(bytes, 0, 0, at);
    this.free();
    this.bytes = bytes;
    this.view = dataView(bytes);
  }

  free(): void {
    if (this.bytes.length > 0) freeBuffer(this.bytes);
    this.bytes = Buffer.alloc(0);
  }

  /** Forgets its objects. Keeps its memory only if there were any. */
  clear(): void {
    if (this.written === 0) this.free();
    this.written = 0;
    this.end = ENVELOPE_BYTES;
  }

  /** Number of a slot for a response of up to `bytes`; undefined when none is free or large enough. Requires a lease. */
  takeSlot(bytes: number): number | undefined {
    return bytes <= SLOT_BYTES ? this.freeSlots.pop() : undefined;
  }

  giveSlot(slot: number): void {
    this.freeSlots.push(slot);
  }

  /** The offset of a slot's first byte. */
  slotStart(slot: number): number {
    return this.bytes.length - (slot + 1) * SLOT_BYTES;
  }

  /** Writes an envelope around the objects; the body is one piece of memory. */
  body(opening: string, closing: string): Buffer {
    const start = ENVELOPE_BYTES - opening.length;
    this.bytes.write(opening, start, 'latin1');
    const last = this.end === ENVELOPE_BYTES ? this.end : this.end - 1;
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
  /** The newest message of any aircraft in the table; −∞ without one. */
  heardMs = Number.NEGATIVE_INFINITY;
  /** Changes with every change of the bytes. */
  generation = 0;
  /** Number of leases; 0 means that the bytes may be overwritten. */
  leases = 0;
  private nowMs = 0;
  private writer: RowWriter | null = null;
  /** Open addressing: number in the listing + 1, 0 is empty. */
  private index = new Int32Array(4 * FIRST_ROWS);

  constructor(searchMemory: SearchMemory) {
    this.listing = new Listing(searchMemory);
  }

  /** Takes every listed aircraft at `nowMs`. */
  fill(table: LiveTable, nowMs: number): void {
    this.generation += 1;
    this.nowMs = nowMs;
    for (const view of views) this[view].clear();
    this.writer = null;
    table.refreshFacts();
    this.select(table, nowMs);
    this.listing.grid.order(this.rows, this.count, table.columns);
    this.buildIndex(table);
    this.listing.fill(table, this.rows, this.count);
  }

  /** Writes the JSON of one view, up to aircraft number `to`. Objects that are written stay. Tails that the other view has are copied. */
  write(view: View, to = this.count): void {
    const area = this[view];
    const other = view === 'native' ? this.readsb : this.native;
    this.writer ??= new RowWriter(this.listing, this.nowMs);
    const { writer } = this;
    area.reserve(area.end);
    for (let i = area.written; i < to; i += 1) {
      const start = area.end;
      area.reserve(start);
      const tail = view === 'native' ? writer.putNativeHead(area.view, start, i) : writer.putReadsbHead(area.view, start, i);
      const end =
        i < other.written ? tail + other.bytes.copy(area.bytes, tail, other.tails[i], other.ends[i]) : writer.putTail(area.view, tail, i);
      area.view.setUint8(end, COMMA);
      area.starts[i] = start;
      area.tails[i] = tail;
      area.ends[i] = end;
      area.end = end + 1;
    }
    area.written = Math.max(area.written, to);
  }

  /** Number of an aircraft in the listing, −1 when it is not listed. */
  indexOf(key: number): number {
    const mask = this.index.length - 1;
    for (let at = mixKey(key) & mask; ; at = (at + 1) & mask) {
      const entry = this.index[at]!;
      if (entry === 0) return -1;
      if (this.keys[entry - 1] === key) return entry - 1;
    }
  }

  /** Frees the bytes. The arena is used no more. */
  free(): void {
    this.generation += 1;
    for (const view of views) this[view].free();
  }

  private select({ columns, seenMs, highWater }: LiveTable, nowMs: number): void {
    if (this.rows.length < highWater) this.growLists(highWater);
    const { key, positionValid, messages } = columns;
    const { listedMsMax } = limits;
    let count = 0;
    let heardMs = Number.NEGATIVE_INFINITY;
    for (let row = 0; row < highWater; row += 1) {
      if (key[row] === FREE) continue;
      if (seenMs[row]! > heardMs) heardMs = seenMs[row]!;
      // A valid position is younger, too, unless the fold of the partition stands still.
      if (nowMs - seenMs[row]! > listedMsMax || (positionValid[row] !== 1 && messages[row]! < 2)) continue;
      this.rows[count] = row;
      count += 1;
    }
    this.count = count;
    this.heardMs = heardMs;
  }

  private growLists(rows: number): void {
    const capacity = Math.ceil(rows * GROWTH);
    this.rows = new Int32Array(capacity);
    this.keys = new Int32Array(capacity);
    for (const area of [this.native, this.readsb]) {
      area.starts = new Int32Array(capacity);
      area.tails = new Int32Array(capacity);
      area.ends = new Int32Array(capacity);
    }
  }

  private buildIndex({ columns: { key } }: LiveTable): void {
    while (this.index.length < 2 * this.count) this.index = new Int32Array(2 * this.index.length);
    const { index, rows, keys, count } = this;
    index.fill(0);
    const mask = index.length - 1;
    for (let i = 0; i < count; i += 1) {
      keys[i] = key[rows[i]!]!;
      let at = mixKey(keys[i]!) & mask;
      while (index[at] !== 0) at = (at + 1) & mask;
      index[at] = i + 1;
    }
  }
}

/** Lends arenas and takes them back. Keeps only a few spares, so that memory follows the number of leases. */
export class ArenaPool {
  /** For responses without a slot. */
  readonly buffers = new ResponseBuffers();
  /** One for all arenas, because searches never overlap. */
  private readonly searchMemory = new SearchMemory();
  private readonly spares: Arena[] = [];
  /** Arenas in memory: lent and spare ones. */
  allocated = 0;
  /** The two newest snapshots whose JSON was requested, by view. */
  private readonly requests = { native: { last: -Infinity, before: -Infinity }, readsb: { last: -Infinity, before: -Infinity } };
  private coldAircraft: number = limits.viewColdAircraft;
  /** Ticks in a row that left a spare. */
  private idleTicks = 0;

  lend(): Arena {
    const arena = this.spares.pop() ?? this.create();
    arena.leases = 1;
    this.idleTicks = this.spares.length === 0 ? 0 : this.idleTicks + 1;
    if (this.idleTicks > limits.arenaIdleTicksMax) this.drop(this.spares.pop()!);
    return arena;
  }

  /** Notes that the JSON of a snapshot was requested. */
  noteRequest(view: View, sequence: number): void {
    const { last } = this.requests[view];
    if (sequence > last) this.requests[view] = { last: sequence, before: last };
  }

  /** Views for which requests come; one alone may have been the last. Both for the first aircraft: the first request then finds compiled code. */
  viewsAhead(sequence: number, aircraft: number): View[] {
    const isCold = this.coldAircraft > 0;
    this.coldAircraft -= aircraft;
    return views.filter((view) => isCold || sequence - this.requests[view].before <= limits.viewAheadTicks);
  }

  retain(arena: Arena): void {
    arena.leases += 1;
  }

  release(arena: Arena): void {
    arena.leases -= 1;
    if (arena.leases > 0) return;
    // The oldest spare goes: the snapshot of a tick can be read without a lease until the one after the next.
    if (this.spares.length === limits.arenaSparesMax) this.drop(this.spares.shift()!);
    this.spares.push(arena);
  }

  private create(): Arena {
    this.allocated += 1;
    return new Arena(this.searchMemory);
  }

  private drop(arena: Arena): void {
    this.allocated -= 1;
    arena.free();
  }
}

function dataView(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
