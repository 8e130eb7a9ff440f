// The state of a fold as bytes, and back. Equal states give equal bytes.
//
//   'SQFS', u32 layout, then little-endian:
//   u32 number of scalars, f64 each             (clock, counters; partition-fold.ts)
//   u32 receivers, each u32 length and UTF-8; RECEIVER_NUMBERS f64 and LATENESS_WORDS i32 of number 0 and of each
//   u32 free slots, u32 each, in the order of the list
//   u32 slots ever used, u32 live ones, each u32 slot and STRIDE_BYTES record
//   pending rows: u32 longs, f64 each, u32 words, i32 each
//   u32 feeders, FEEDER_NUMBERS f64 each; of each u32 words, u32 each: the aircraft that it heard in this minute
//   u32 slots of unconfirmed aircraft, u32 each, in their order; u32 keys of displaced ones that were emitted, u32 each
import { SquitterError } from '../../schemas/errors.ts';
import { AircraftTable } from './aircraft-table.ts';
import { FEEDER_NUMBERS, usedWords } from './feeder-rows.ts';
import { STRIDE_BYTES } from './layout.ts';
import { PositionRows, ROW_LONGS, ROW_WORDS } from './position-rows.ts';
import { type Coordinates, LATENESS_WORDS, RECEIVER_NUMBERS, ReceiverTable } from './receivers.ts';

const MAGIC = 0x5346_5153;
/** Raise it with every change of the layout, and read the older ones from 8, that of 0.1.0: frames for a replay from the start may be deleted. */
const LAYOUT = 8;

interface FoldParts {
  readonly scalars: readonly number[];
  readonly receivers: ReceiverTable;
  readonly table: AircraftTable;
  readonly rows: PositionRows;
}

export function writeSnapshot(parts: FoldParts): Uint8Array {
  const { scalars, receivers, table, rows } = parts;
  const newcomers = [...table.newcomers.inOrder()];
  const { displaced } = table.newcomers;
  const ids = receivers.ids.map((id) => Buffer.from(id));
  const receiverBytes = ids.reduce((sum, id) => sum + 4 + id.length, (ids.length + 1) * (8 * RECEIVER_NUMBERS + 4 * LATENESS_WORDS));
  const { feeders } = receivers;
  feeders.takeNotes();
  const heard = feeders.receivers.map((_, i) => usedWords(feeders.heard(i + 1)));
  const feederBytes = heard.reduce((sum, { length }) => sum + 8 * FEEDER_NUMBERS + 4 + 4 * length, 4);
  const size =
    8 +
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

/** Error: `snapshot.unreadable`. */
export function readSnapshot(bytes: Uint8Array, given: Coordinates | null): FoldParts {
  const input = new Reader(bytes);
  if (input.u32() !== MAGIC) throw unreadable('wrong magic number');
  const layout = input.u32();
  if (layout !== LAYOUT) throw unreadable(`expected layout ${LAYOUT}, got ${layout}`);
  const scalars = input.list(8, () => input.f64());
  const receivers = new ReceiverTable(given);
  const ids = input.list(4, () => receivers.numberOf(Buffer.from(input.block(input.u32())).toString()));
  for (let i = 0; i < (ids.length + 1) * RECEIVER_NUMBERS; i += 1) receivers.numbers[i] = input.f64();
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
  const longs = input.list(8, () => input.f64());
  const words = input.list(4, () => input.u32());
  const rows = PositionRows.fromNumbers(longs, words);
  readFeeders(input, receivers);
  for (const slot of input.list(4, () => input.u32())) table.newcomers.add(slot);
  table.newcomers.displaced.push(...input.list(4, () => input.u32()));
  return { scalars, receivers, table, rows };
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
