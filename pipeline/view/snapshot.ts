// One tick of the API: immutable, written as JSON once, when somebody asks; responses are its bytes. Every response of a snapshot has the same times, so
// equal requests get equal bytes until the next tick, as a strong ETag promises: `ctime` is when the bytes were made.
import { sourceKinds } from '../../schemas/aircraft-fields.ts';
import { type NativeType, nativeType } from '../../schemas/native-members.ts';
import type { View } from '../aircraft/plain.ts';
import type { LiveTable } from '../aircraft/table.ts';
import { putText, text } from '../aircraft/text.ts';
import type { Turns } from '../runtime/waiting.ts';
import { type Arena, ArenaPool, type ByteArea } from './arena.ts';
import { putFixed, SLACK_BYTES } from './digits.ts';
import type { Listing } from './listing.ts';
import type { Selection } from './search.ts';
import { type SignalStatistics, signalStatistics } from './signal.ts';

interface SnapshotTimes {
  /** The tick, ms since the Unix epoch: the newest complete event time. */
  readonly nowMs: number;
  /** The newest message of any aircraft; before the first one, the first tick. */
  readonly heardMs: number;
  /** When the view had processed the tick. */
  readonly ptimeMs: number;
  /** When the bytes were ready. */
  readonly ctimeMs: number;
  /** By a steady clock, when `nowMs` last advanced; null while the first snapshot is ahead of the wall clock: that clock may be frozen. */
  readonly advancedAtMs: number | null;
}

export interface Totals {
  /** Messages that changed a state since the log began. */
  readonly messages: number;
  /** Over the last 10 s; null at the first tick. */
  readonly messagesPerSecond: number | null;
  /** Aircraft listed. */
  readonly total: number;
  /** Aircraft listed with a valid position. */
  readonly withPosition: number;
  /** Aircraft listed by their `type` in `/v2`; those of other sources have none. */
  readonly sources: Readonly<Record<NativeType, number>>;
}

/** A response's bytes; overwritten after `release`. */
export interface Composed {
  readonly bytes: Buffer;
  release(): void;
}

/** Its bytes are in an arena that later ticks reuse: hold a lease (`retain`, `release`) while writing them. */
export class Snapshot {
  /** Increases by one with each snapshot of this process. */
  readonly sequence: number;
  /** Unique among all snapshots, also of other processes. */
  readonly id: string;
  readonly times: SnapshotTimes;
  readonly totals: Totals;
  readonly signal: SignalStatistics;
  private readonly arena: Arena;
  private readonly generation: number;
  private readonly pool: ArenaPool;
  private readonly bodies: Partial<Record<View, Buffer>> = {};
  private readonly beforeTotal: string;
  private readonly behindTotal: string;

  constructor(builder: {
    sequence: number;
    epoch: string;
    times: Omit<SnapshotTimes, 'ctimeMs'>;
    totals: Totals;
    signal: SignalStatistics;
    arena: Arena;
    pool: ArenaPool;
    clock: () => number;
  }) {
    const { arena, times, totals } = builder;
    this.sequence = builder.sequence;
    this.id = `${builder.epoch}-${builder.sequence.toString(36)}`;
    this.times = { ...times, ctimeMs: Math.max(builder.clock(), times.ptimeMs) };
    this.totals = totals;
    this.signal = builder.signal;
    this.arena = arena;
    this.generation = arena.generation;
    this.pool = builder.pool;
    const { nowMs, ptimeMs, ctimeMs } = this.times;
    this.beforeTotal = `{"now":${seconds(nowMs)},"messages":${totals.messages},"total":`;
    this.behindTotal = `,"ctime":${seconds(ctimeMs)},"ptime":${seconds(ptimeMs)}`;
  }

  /** The native envelope up to the first aircraft. `echo` has further members, a comma before each. */
  opening(total: number, echo = ''): string {
    return `${this.beforeTotal}${total}${this.behindTotal}${echo},"ac":[`;
  }

  /** The complete body of `/v2/all` or `/data/aircraft.json`; the JSON of the view is written, if it is not yet. Hold a lease while using it. */
  body(view: View): Buffer {
    this.assertAlive();
    this.pool.noteRequest(view, this.sequence);
    this.bodies[view] ??= this.write(view);
    return this.bodies[view];
  }

  /** Writes the JSON before anybody asks, if requests come. */
  async writeAhead(turns: Turns): Promise<void> {
    const { arena } = this;
    for (const view of this.pool.viewsAhead(this.sequence, arena.count)) await turns.steps(arena.count, (_, to) => arena.write(view, to));
  }

  private write(view: View): Buffer {
    const { arena, times, totals } = this;
    arena.write(view);
    const readsbOpening = `{"now":${(times.nowMs / 1000).toFixed(3)},"messages":${totals.messages},"aircraft":[`;
    return arena[view].body(view === 'native' ? this.opening(totals.total) : readsbOpening, ENVELOPE_END);
  }

  /** The number of an aircraft in the listing, −1 when it is not listed. */
  numberOf(key: number): number {
    this.assertAlive();
    return this.arena.indexOf(key);
  }

  /** The input of queries. */
  get listing(): Listing {
    this.assertAlive();
    return this.arena.listing;
  }

  /** Numbers of these aircraft (`hexKey`s) in the listing, in the requested order; unknown ones are skipped. */
  find(keys: readonly number[]): Selection {
    this.assertAlive();
    const indices = new Int32Array(keys.length);
    let count = 0;
    for (let n = 0; n < keys.length; n += 1) {
      const index = this.arena.indexOf(keys[n]!);
      if (index >= 0) indices[count++] = index;
    }
    return { count, indices: indices.subarray(0, count) };
  }

  /** For each of these keys its number in the listing, −1 for one that is not listed. */
  numbersOf(keys: Int32Array, numbers: Int32Array): void {
    this.assertAlive();
    for (let n = 0; n < keys.length; n += 1) numbers[n] = this.arena.indexOf(keys[n]!);
  }

  /** Memory of an aircraft's object: the native bytes from `starts[i]` to `ends[i]`. */
  get objects(): { readonly bytes: Buffer; readonly starts: Int32Array; readonly ends: Int32Array } {
    this.body('native');
    return this.arena.native;
  }

  /** The objects of a selection as text, commas between them. ASCII: Node then writes the head of a response and a short string in one system call. */
  text(view: View, { count, indices }: Selection): string {
    this.body(view);
    const { bytes, starts, ends } = this.arena[view];
    let objects = '';
    for (let n = 0; n < count; n += 1) {
      const i = indices[n]!;
      objects += `${n === 0 ? '' : ','}${bytes.toString('latin1', starts[i], ends[i])}`;
    }
    return objects;
  }

  /** A response with the objects of a selection, including distance and direction if the selection has them, in reused memory. */
  compose(view: View, selection: Selection, opening: string, closing: string): Composed {
    this.body(view);
    const area = this.arena[view];
    const bytesMax = opening.length + this.bytesMax(area, selection) + closing.length;
    const slot = area.takeSlot(bytesMax);
    const target = slot === undefined ? this.pool.buffers.lend(bytesMax) : area.bytes;
    const start = slot === undefined ? 0 : area.slotStart(slot);
    const objects = start + target.write(opening, start, 'latin1');
    const closingAt = putObjects(area, selection, target, objects);
    const bytes = target.subarray(start, closingAt + target.write(closing, closingAt, 'latin1'));
    if (slot === undefined) return { bytes, release: () => this.pool.buffers.giveBack(target) };
    this.retain();
    return {
      bytes,
      release: () => {
        area.giveSlot(slot);
        this.release();
      },
    };
  }

  private bytesMax({ starts, ends }: ByteArea, { count, indices }: Selection): number {
    let bytes = SLACK_BYTES;
    for (let n = 0; n < count; n += 1) bytes += ends[indices[n]!]! - starts[indices[n]!]! + DISTANCE_BYTES;
    return bytes;
  }

  /** Keeps the bytes unchanged until `release` is called as often. */
  retain(): void {
    this.assertAlive();
    this.pool.retain(this.arena);
  }

  release(): void {
    this.pool.release(this.arena);
  }

  /** Avoids serving another tick's bytes: throws when a snapshot without a lease is used after a later tick. */
  private assertAlive(): void {
    if (this.arena.generation !== this.generation)
      throw new Error(`the bytes of snapshot ${this.id} are gone: it was used without a lease`);
  }
}

/** End of the native envelope. */
export const ENVELOPE_END = ']}\n';
const DISTANCE = text(',"dst":');
const DIRECTION = text(',"dir":');
const COMMA = 0x2c;
/** `},` */
const CLOSE_BRACE_COMMA = 0x7d2c;
/** `,"dst":10807.123,"dir":359.9` and a comma. */
const DISTANCE_BYTES = 32;

/** Writes objects with commas between them; returns the offset after the last one. */
function putObjects(area: ByteArea, selection: Selection, target: Buffer, start: number): number {
  const { distancesNm, bearingsDeg } = selection;
  if (distancesNm === undefined || bearingsDeg === undefined) return putPlain(area, selection, target, start);
  return putWithDistances(area, { ...selection, distancesNm, bearingsDeg }, target, start);
}

/** Consecutive objects of the area are copied in one piece, including their commas. */
function putPlain(area: ByteArea, { count, indices }: Selection, target: Buffer, start: number): number {
  const { starts, ends } = area;
  let at = start;
  for (let n = 0; n < count; ) {
    const first = indices[n]!;
    let last = first;
    for (n += 1; n < count && indices[n] === last + 1; n += 1) last += 1;
    at = putBytes(area, target, at, starts[first]!, ends[last]!);
    target[at] = COMMA;
    at += 1;
  }
  return count === 0 ? start : at - 1;
}

function putWithDistances(
  area: ByteArea,
  { count, indices, distancesNm, bearingsDeg }: Required<Selection>,
  target: Buffer,
  start: number,
): number {
  const { starts, ends } = area;
  const numbers = new DataView(target.buffer, target.byteOffset, target.length);
  let at = start;
  for (let n = 0; n < count; n += 1) {
    const i = indices[n]!;
    // Without the closing brace.
    at = putBytes(area, target, at, starts[i]!, ends[i]! - 1);
    at = putFixed(numbers, putText(numbers, at, DISTANCE), Math.round(distancesNm[n]! * 1000), 3);
    at = putFixed(numbers, putText(numbers, at, DIRECTION), Math.round(bearingsDeg[n]! * 10) % 3600, 1);
    numbers.setUint16(at, CLOSE_BRACE_COMMA);
    at += 2;
  }
  return count === 0 ? start : at - 1;
}

function putBytes({ bytes }: ByteArea, target: Buffer, at: number, from: number, end: number): number {
  if (target === bytes) target.copyWithin(at, from, end);
  else bytes.copy(target, at, from, end);
  return at + end - from;
}

/** Aircraft by `type` from their numbers by source. */
export function byType(bySource: Int32Array): Totals['sources'] {
  const sources = { adsb_icao: 0, mlat: 0, tisb: 0, adsr: 0 };
  bySource.forEach((count, i) => {
    const type = nativeType(sourceKinds[i]!);
    if (type !== undefined) sources[type] += count;
  });
  return sources;
}

/** Seconds with one decimal, rounded down: later times never look earlier. */
export function seconds(ms: number): string {
  return (Math.floor(ms / 100) / 10).toFixed(1);
}

const RATE_WINDOW_MS = 10_000;

/** Messages per second: the mean over the last ticks, because partitions count at different times. */
class MessageRate {
  private readonly totals: { readonly timeMs: number; readonly messages: number }[] = [];

  /** Takes the total at a tick. Returns messages per second with one decimal; null before the second tick. */
  note(timeMs: number, messages: number): number | null {
    const { totals } = this;
    while (totals.length > 1 && timeMs - totals[0]!.timeMs > RATE_WINDOW_MS) totals.shift();
    const first = totals[0];
    totals.push({ timeMs, messages });
    if (first === undefined || timeMs <= first.timeMs) return null;
    return Math.max(0, Math.round((10_000 * (messages - first.messages)) / (timeMs - first.timeMs)) / 10);
  }
}

/** Takes the table tick by tick; the newest snapshot stays valid until the next one is ready. */
export class SnapshotBuilder {
  current: Snapshot | null = null;
  readonly pool = new ArenaPool();
  private readonly table: LiveTable;
  private readonly rate = new MessageRate();
  private readonly clock: () => number;
  private readonly steadyMs: () => number;
  private readonly epoch: string;
  private sequence = 0;

  /** `clock` returns ms since the Unix epoch; `epoch` distinguishes this process from others that serve the same log. */
  constructor(table: LiveTable, clock: () => number, epoch: string, steadyMs: () => number = () => performance.now()) {
    this.table = table;
    this.clock = clock;
    this.steadyMs = steadyMs;
    this.epoch = epoch;
  }

  /** Takes the table, and shows it. */
  build(nowMs: number, messages: number): Snapshot {
    return this.show(this.prepare(nowMs, messages));
  }

  /** Makes a snapshot the current one. */
  show(snapshot: Snapshot): Snapshot {
    this.current?.release();
    this.current = snapshot;
    return snapshot;
  }

  /** Takes the table as the next snapshot. */
  prepare(nowMs: number, messages: number): Snapshot {
    const { table, clock, pool } = this;
    const isAhead = nowMs > clock();
    const ptimeMs = Math.max(clock(), nowMs);
    const arena = pool.lend();
    arena.fill(table, nowMs);
    const { rows, count } = arena;
    let withPosition = 0;
    const bySource = new Int32Array(sourceKinds.length);
    for (let i = 0; i < count; i += 1) {
      withPosition += table.columns.positionValid[rows[i]!]!;
      bySource[table.columns.source[rows[i]!]!]! += 1;
    }
    this.sequence += 1;
    const previous = this.current;
    const advancedAtMs =
      previous === null
        ? isAhead
          ? null
          : this.steadyMs()
        : previous.times.nowMs === nowMs
          ? previous.times.advancedAtMs
          : this.steadyMs();
    // An aircraft may be forgotten, and a state may be of a later tick.
    const newestMs = Math.max(arena.heardMs, previous?.times.heardMs ?? Number.NEGATIVE_INFINITY);
    const heardMs = newestMs === Number.NEGATIVE_INFINITY ? nowMs : Math.min(newestMs, nowMs);
    return new Snapshot({
      sequence: this.sequence,
      epoch: this.epoch,
      times: { nowMs, heardMs, ptimeMs, advancedAtMs },
      totals: { messages, messagesPerSecond: this.rate.note(nowMs, messages), total: count, withPosition, sources: byType(bySource) },
      signal: signalStatistics(table.columns.rssiDeciDbfs, rows, count),
      arena,
      pool,
      clock,
    });
  }
}
