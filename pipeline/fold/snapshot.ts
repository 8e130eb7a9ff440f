// The state of a fold as bytes, and back. Equal states give equal bytes: their hash is the fold's digest.
//
//   'SQFS', u32 layout, then little-endian:
//   u32 fold version that made the state, u32 the one that wrote the partition before it (0: none); in layouts from 5
//   u32 number of scalars, f64 each             (clock, counters; partition-fold.ts)
//   u32 receivers, each u32 length and UTF-8; RECEIVER_NUMBERS f64 and LATENESS_WORDS i32 of number 0 and of each
//   u32 free slots, u32 each, in the order of the list
//   u32 slots ever used, u32 live ones, each u32 slot and STRIDE_BYTES record
//   pending rows: u32 longs, f64 each, u32 words, i32 each; in layouts before 6 u32 numbers, f64 each
//   u32 feeders, FEEDER_NUMBERS f64 each; of each u32 words, u32 each: the aircraft that it heard in this minute; in layouts from 7
//   u32 slots of unconfirmed aircraft, u32 each, in their order; u32 keys of displaced ones that were emitted, u32 each; in layouts from 5
import { SquitterError } from '../../schemas/errors.ts';
import { CONFIRMING_MESSAGES } from './address-filter.ts';
import { AircraftTable } from './aircraft-table.ts';
import { FEEDER_NUMBERS, usedWords } from './feeder-rows.ts';
import {
  B_NEWCOMER,
  F_CALLSIGN,
  F_NAV_HEADING,
  F_NAV_MODES,
  F_SQUAWK,
  SOURCES,
  STRIDE_BYTES,
  STRIDE_WORDS,
  TIMES,
  VALUES,
  W_MESSAGES,
  W_SEEN,
} from './layout.ts';
import { PositionRows, ROW_LONGS, ROW_WORDS } from './position-rows.ts';
import {
  type Coordinates,
  LATENESS_WORDS,
  R_COVERAGE_DUE,
  R_COVERAGE_SAMPLES,
  R_COVERAGE_WEIGHT,
  R_COVERAGE_X,
  R_COVERAGE_Y,
  R_COVERAGE_Z,
  R_DISAGREEMENTS,
  R_DUPLICATES,
  R_HEARD,
  R_LATITUDE_MAX,
  R_LATITUDE_MIN,
  R_LEARNT,
  R_LONGITUDE_MAX,
  R_LONGITUDE_MIN,
  R_MESSAGES,
  R_POSITIONS,
  R_REFUSED,
  RECEIVER_NUMBERS,
  ReceiverTable,
} from './receivers.ts';
import { FOLD_VERSION, FOLD_VERSION_UNMARKED } from './version.ts';

const MAGIC = 0x5346_5153;
/** Raise it with every change of the layout, and keep reading the older ones: frames for a replay from the start may be deleted. */
const LAYOUT = 7;
/** Layout of fold version 2. */
const LAYOUT_VERSION_2 = 5;
/** Layout of fold version 1. */
const LAYOUT_WITHOUT_VERSION = 4;
/** Numbers of a receiver in the order of version 2. */
const COLUMNS_VERSION_2 = [
  ...[R_MESSAGES, R_DUPLICATES, R_REFUSED, R_POSITIONS, R_DISAGREEMENTS, R_HEARD, R_COVERAGE_DUE, R_LEARNT],
  ...[R_LATITUDE_MIN, R_LATITUDE_MAX, R_LONGITUDE_MIN, R_LONGITUDE_MAX],
  ...[R_COVERAGE_SAMPLES, R_COVERAGE_WEIGHT, R_COVERAGE_X, R_COVERAGE_Y, R_COVERAGE_Z],
];
/** Fields that changed places after version 2. */
const MOVED_FIELDS = [
  [F_SQUAWK, F_NAV_HEADING],
  [F_CALLSIGN, F_NAV_MODES],
] as const;

export interface SnapshotOrigin {
  /** Version of the fold that made the state. */
  readonly version: number;
  /** Version that wrote the partition before this one; 0 when this one wrote it from its start. */
  readonly versionBefore: number;
}

export interface FoldParts {
  readonly versionBefore: number;
  readonly scalars: readonly number[];
  readonly receivers: ReceiverTable;
  readonly table: AircraftTable;
  readonly rows: PositionRows;
}

export function writeSnapshot(parts: FoldParts): Uint8Array {
  const { versionBefore, scalars, receivers, table, rows } = parts;
  const newcomers = [...table.newcomers.slots()];
  const { displaced } = table.newcomers;
  const ids = receivers.ids.map((id) => Buffer.from(id));
  const receiverBytes = ids.reduce((sum, id) => sum + 4 + id.length, (ids.length + 1) * (8 * RECEIVER_NUMBERS + 4 * LATENESS_WORDS));
  const { feeders } = receivers;
  feeders.takeNotes();
  const heard = feeders.receivers.map((_, i) => usedWords(feeders.heard(i + 1)));
  const feederBytes = heard.reduce((sum, { length }) => sum + 8 * FEEDER_NUMBERS + 4 + 4 * length, 4);
  const size =
    16 +
    4 +
    8 * scalars.length +
    4 +
    receiverBytes +
    4 +
    4 * table.free.length +
    8 +
    table.count * (4 + STRIDE_BYTES) +
    8 +
    rows.count * (8 * ROW_LONGS + 4 * ROW_WORDS) +
    feederBytes +
    8 +
    4 * (newcomers.length + displaced.length);
  const out = new Writer(size);
  out.u32(MAGIC);
  out.u32(LAYOUT);
  out.u32(FOLD_VERSION);
  out.u32(versionBefore);
  out.u32(scalars.length);
  for (const scalar of scalars) out.f64(scalar);
  out.u32(ids.length);
  for (const id of ids) {
    out.u32(id.length);
    out.block(id);
  }
  for (let i = 0; i < (ids.length + 1) * RECEIVER_NUMBERS; i += 1) out.f64(receivers.numbers[i]!);
  for (let i = 0; i < (ids.length + 1) * LATENESS_WORDS; i += 1) out.u32(receivers.lateness[i]!);
  out.u32(table.free.length);
  for (const slot of table.free) out.u32(slot);
  out.u32(table.highWater);
  out.u32(table.count);
  for (let slot = 0; slot < table.highWater; slot += 1) {
    if (!table.isLive(slot)) continue;
    out.u32(slot);
    out.block(table.bytes.subarray(slot * STRIDE_BYTES, (slot + 1) * STRIDE_BYTES));
  }
  out.u32(rows.count * ROW_LONGS);
  for (let i = 0; i < rows.count * ROW_LONGS; i += 1) out.f64(rows.longs[i]!);
  out.u32(rows.count * ROW_WORDS);
  for (let i = 0; i < rows.count * ROW_WORDS; i += 1) out.u32(rows.words[i]!);
  out.u32(heard.length);
  for (let i = 0; i < heard.length * FEEDER_NUMBERS; i += 1) out.f64(feeders.numbers[i]!);
  for (const list of [...heard, newcomers, displaced]) {
    out.u32(list.length);
    for (const item of list) out.u32(item);
  }
  return out.bytes;
}

/** Version that made a snapshot. Errors: `snapshot.unreadable`, `fold.newer_version`. */
export function snapshotOrigin(bytes: Uint8Array): SnapshotOrigin {
  const { version, versionBefore } = readOrigin(new Reader(bytes));
  return { version, versionBefore };
}

function readOrigin(input: Reader): SnapshotOrigin & { readonly layout: number } {
  if (input.u32() !== MAGIC) throw unreadable('wrong magic number');
  const layout = input.u32();
  if (layout === LAYOUT_WITHOUT_VERSION) return { layout, version: FOLD_VERSION_UNMARKED, versionBefore: 0 };
  const version = input.u32();
  if (layout > LAYOUT_WITHOUT_VERSION && version > FOLD_VERSION)
    throw new SquitterError('fold.newer_version', { found: version, own: FOLD_VERSION });
  if (layout !== LAYOUT && layout !== LAYOUT_VERSION_2) throw unreadable(`expected layout ${LAYOUT}, got ${layout}`);
  return { layout, version, versionBefore: input.u32() };
}

/** Errors: `snapshot.unreadable`, `fold.newer_version`. */
export function readSnapshot(bytes: Uint8Array, given: Coordinates | null): FoldParts {
  const input = new Reader(bytes);
  const { layout, version, versionBefore } = readOrigin(input);
  const scalars = input.list(8, () => input.f64());
  const receivers = new ReceiverTable(given);
  const ids = input.list(4, () => receivers.numberOf(Buffer.from(input.block(input.u32())).toString()));
  const columns = layout < LAYOUT ? COLUMNS_VERSION_2 : Array.from({ length: RECEIVER_NUMBERS }, (_, i) => i);
  for (let row = 0; row <= ids.length; row += 1)
    for (const column of columns) receivers.numbers[row * RECEIVER_NUMBERS + column] = input.f64();
  for (let i = 0; i < (ids.length + 1) * LATENESS_WORDS; i += 1) receivers.lateness[i] = input.u32();
  const table = new AircraftTable();
  const free = input.list(4, () => input.u32());
  table.clear(input.u32());
  table.free.push(...free);
  const live = input.u32();
  for (let i = 0; i < live; i += 1) {
    const slot = input.u32();
    table.restore(slot, input.block(STRIDE_BYTES));
  }
  if (layout < LAYOUT) moveFields(table);
  const longs = input.list(8, () => input.f64());
  const rows =
    layout < LAYOUT
      ? PositionRows.ofVersion2(longs)
      : PositionRows.of(
          longs,
          input.list(4, () => input.u32()),
        );
  if (layout === LAYOUT) readFeeders(input, receivers);
  if (version === FOLD_VERSION_UNMARKED) findNewcomers(table);
  else {
    for (const slot of input.list(4, () => input.u32())) table.newcomers.add(slot);
    table.newcomers.displaced.push(...input.list(4, () => input.u32()));
  }
  return { versionBefore, scalars, receivers, table, rows };
}

/** Their rows exist already: each feeder has got one with its number. */
function readFeeders(input: Reader, { feeders }: ReceiverTable): void {
  const count = input.u32();
  if (count !== feeders.receivers.length) throw unreadable(`expected ${feeders.receivers.length} feeders, got ${count}`);
  for (let i = 0; i < count * FEEDER_NUMBERS; i += 1) feeders.numbers[i] = input.f64();
  for (let row = 1; row <= count; row += 1) {
    const words = input.list(4, () => input.u32());
    if (words.length > feeders.stride) feeders.spread(words.length, feeders.aircraft.length / feeders.stride);
    feeders.heard(row).set(words);
  }
}

/** Values, times and sources of records as versions 1 and 2 wrote them. */
function moveFields({ words, bytes, highWater }: AircraftTable): void {
  for (let slot = 0; slot < highWater; slot += 1)
    for (const [a, b] of MOVED_FIELDS) {
      for (const first of [VALUES, TIMES]) swap(words, slot * STRIDE_WORDS + first + 2 * a, slot * STRIDE_WORDS + first + 2 * b);
      swap(bytes, slot * STRIDE_BYTES + SOURCES + a, slot * STRIDE_BYTES + SOURCES + b);
    }
}

function swap(array: Int32Array | Uint8Array, a: number, b: number): void {
  const value = array[a]!;
  array[a] = array[b]!;
  array[b] = value;
}

/** Version 1 did not mark unconfirmed aircraft. */
function findNewcomers(table: AircraftTable): void {
  const { words, bytes } = table;
  const found: number[] = [];
  for (let slot = 0; slot < table.highWater; slot += 1)
    if (table.isLive(slot) && words[slot * STRIDE_WORDS + W_MESSAGES]! < CONFIRMING_MESSAGES) found.push(slot);
  found.sort((a, b) => words[a * STRIDE_WORDS + W_SEEN]! - words[b * STRIDE_WORDS + W_SEEN]! || a - b);
  for (const slot of found) {
    bytes[slot * STRIDE_BYTES + B_NEWCOMER] = 1;
    table.newcomers.add(slot);
  }
}

function unreadable(detail: string): SquitterError {
  return new SquitterError('snapshot.unreadable', { detail });
}

class Writer {
  readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.view = new DataView(this.bytes.buffer);
  }

  u32(value: number): void {
    this.view.setUint32(this.at, value, true);
    this.at += 4;
  }

  f64(value: number): void {
    this.view.setFloat64(this.at, value, true);
    this.at += 8;
  }

  block(bytes: Uint8Array): void {
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}

class Reader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  u32(): number {
    this.need(4);
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }

  f64(): number {
    this.need(8);
    this.at += 8;
    return this.view.getFloat64(this.at - 8, true);
  }

  block(length: number): Uint8Array {
    this.need(length);
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** A count, followed by as many items of at least `bytesEach`. */
  list<Item>(bytesEach: number, item: () => Item): Item[] {
    const count = this.u32();
    this.need(count * bytesEach);
    return Array.from({ length: count }, item);
  }

  private need(bytes: number): void {
    if (this.at + bytes > this.bytes.length) throw unreadable('truncated');
  }
}
