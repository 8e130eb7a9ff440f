// The limits as one process knows them: rules of trials, turns and bytes over tables of callers, without clock and I/O. Both adapters of the store share it.
// Feeders have a table of their own, so that no flood of addresses displaces them. Callers for whom no row is left share rows by a part of their hash.
import { limits } from '../../schemas/limits/index.ts';
import { CallerTable } from './caller-table.ts';
import type { Usage, Visit } from './limit-store.ts';

/** A row of one of the tables: the number of the row times 8, and the number of the table. */
export type CallerRow = number;

/** Columns of a row. A trial that is not a number: the caller is one of too many, and has none. */
const TRIAL = 0;
const SEEN = 1;
const TURN = 2;
const BYTES = 3;
const COLUMNS = 4;
/** Further columns where limits are shared: bytes of today that are not shared yet, and the time until which the row is current without a request. */
export const UNSHARED = 4;
export const KNOWN_UNTIL = 5;
export const SHARED_COLUMNS = 6;

/** Kinds of callers, each with a table. The third has rows that several callers share, the fourth the pages of an address; the fifth counts the turns of
 * feeders where others have bytes. */
const FEEDERS = 0;
const ADDRESSES = 1;
const SHARING = 2;
const PAGES = 3;
const TURNS = 4;
const NAMES = ['feeder', 'address', 'sharing', 'page', 'turns'] as const;

const DAY_MS = 86_400_000;
/** Rows that are looked at for unseen callers when a new one finds the table full. */
const ROWS_LOOKED_AT_IF_FULL = 64;

export interface CallersOptions {
  readonly addressesMax?: number | undefined;
  readonly columns?: number;
  /** The caller of this row is about to be dropped: it was unseen for `limits.trialAgainMs`, or is to be forgotten. */
  onDrop?(at: CallerRow): void;
}

export class Callers {
  readonly #tables: readonly CallerTable[];
  readonly #onDrop: (at: CallerRow) => void;
  /** Where the next look for unseen callers begins, by table. */
  readonly #cursors = NAMES.map(() => 0);

  constructor({ addressesMax = limits.addressesKnownMax, columns = COLUMNS, onDrop = () => {} }: CallersOptions = {}) {
    const { feedersKnownMax, callersSharingMax } = limits;
    const sizes = [feedersKnownMax, addressesMax, callersSharingMax, addressesMax, feedersKnownMax];
    this.#tables = sizes.map((rowsMax) => new CallerTable(rowsMax, columns));
    this.#onDrop = onDrop;
  }

  stats(): { readonly addresses: number; readonly feeders: number; readonly tableBytes: number } {
    return {
      addresses: this.#tables[ADDRESSES]!.size,
      feeders: this.#tables[FEEDERS]!.size,
      tableBytes: this.#tables.reduce((sum, { bytes }) => sum + bytes, 0),
    };
  }

  /** The caller's row: its own, a new one, or one that it shares if none is left. */
  rowOf(principal: string, nowMs: number): CallerRow {
    const kind = kindOf(principal);
    const high = wordAt(principal, principal.length - 16);
    const low = wordAt(principal, principal.length - 8);
    const row = this.#tables[kind]!.find(high, low);
    if (row >= 0) return 8 * row + kind;
    const added = this.#add(kind, high, low, nowMs);
    return added >= 0 ? added : this.#rowSharedBy(low % limits.callersSharingMax, nowMs);
  }

  /** -1 if the table is full of callers that were seen. */
  #add(kind: number, high: number, low: number, nowMs: number): CallerRow {
    const table = this.#tables[kind]!;
    if (table.size === table.rowsMax) this.#dropUnseenOf(kind, nowMs, ROWS_LOOKED_AT_IF_FULL);
    const row = table.add(high, low);
    if (row < 0) return -1;
    table.setValue(row, TRIAL, kind === SHARING ? Number.NaN : nowMs);
    table.setValue(row, SEEN, nowMs);
    return 8 * row + kind;
  }

  #rowSharedBy(low: number, nowMs: number): CallerRow {
    const row = this.#tables[SHARING]!.find(0, low);
    return row >= 0 ? 8 * row + SHARING : this.#add(SHARING, 0, low, nowMs);
  }

  get(at: CallerRow, column: number): number {
    return this.#tables[at & 7]!.value(at >> 3, column);
  }

  /** Sets a number and marks the row as changed. */
  set(at: CallerRow, column: number, value: number): void {
    const table = this.#tables[at & 7]!;
    table.setValue(at >> 3, column, value);
    table.markChanged(at >> 3);
  }

  /** True if the caller shares its row with others. */
  sharesRow(at: CallerRow): boolean {
    return (at & 7) === SHARING;
  }

  /** `feeder/HASH`, `address/HASH`, `page/HASH`, or `sharing/NUMBER` for callers that are too many, also where this process has a row for each. */
  nameOf(at: CallerRow): string {
    const table = this.#tables[at & 7]!;
    const [high, low] = [table.high(at >> 3), table.low(at >> 3)];
    if (Number.isNaN(this.get(at, TRIAL))) return `${NAMES[SHARING]}/${low % limits.callersSharingMax}`;
    return `${NAMES[at & 7]}/${digitsOf(high)}${digitsOf(low)}`;
  }

  visit(at: CallerRow, nowMs: number): Visit {
    if (nowMs - this.get(at, SEEN) >= limits.trialAgainMs && !this.sharesRow(at)) this.set(at, TRIAL, nowMs);
    this.set(at, SEEN, nowMs);
    const trialMs = this.get(at, TRIAL);
    return { trialMs: Number.isNaN(trialMs) ? null : trialMs, bytes: this.bytesOn(dayOf(nowMs), at) };
  }

  setTrial(at: CallerRow, trialMs: number | null): void {
    this.set(at, TRIAL, trialMs ?? Number.NaN);
  }

  /** Milliseconds until a turn is accepted; 0 if it is now. A last turn that is in the future is from a wrong clock and does not count. */
  waitMs(at: CallerRow, intervalMs: number, nowMs: number): number {
    const lastMs = this.get(at, TURN);
    return lastMs > nowMs ? 0 : Math.max(0, lastMs + turnMs(intervalMs) - nowMs);
  }

  /** Takes the turn if it has come. Returns 0, or the ms until it does. */
  takeTurn(at: CallerRow, intervalMs: number, nowMs: number): number {
    const waitMs = this.waitMs(at, intervalMs, nowMs);
    if (waitMs === 0) this.setTurn(at, nowMs);
    return waitMs;
  }

  usage(at: CallerRow, intervalMs: number, sockets: number, nowMs: number): Usage {
    return { waitMs: this.waitMs(at, intervalMs, nowMs), bytes: this.bytesOn(dayOf(nowMs), at), sockets };
  }

  setTurn(at: CallerRow, lastMs: number): void {
    this.set(at, TURN, lastMs);
  }

  /** False if it was not the last turn, or has lapsed. */
  giveBack(at: CallerRow, intervalMs: number, takenMs: number, nowMs: number): boolean {
    if (this.get(at, TURN) !== takenMs || this.waitMs(at, intervalMs, nowMs) === 0) return false;
    this.set(at, TURN, 0);
    return true;
  }

  /** Adds bytes to those of today, and returns the sum. */
  spend(at: CallerRow, bytes: number, nowMs: number): number {
    const total = this.bytesOn(dayOf(nowMs), at) + bytes;
    this.setBytes(at, total, dayOf(nowMs));
    return total;
  }

  setBytes(at: CallerRow, bytes: number, day: number): void {
    this.#tables[at & 7]!.setDay(at >> 3, day);
    this.set(at, BYTES, bytes);
  }

  bytesOn(day: number, at: CallerRow): number {
    return this.dayOf(at) === day ? this.get(at, BYTES) : 0;
  }

  /** The day of its bytes. */
  dayOf(at: CallerRow): number {
    return this.#tables[at & 7]!.day(at >> 3);
  }

  /** Takes the marks of changed rows, one after another. A row that changes meanwhile may come again. */
  *takeChanged(): Generator<CallerRow> {
    for (const [kind, table] of this.#tables.entries())
      for (let row = table.nextChanged(0); row >= 0; row = table.nextChanged(row + 1)) yield 8 * row + kind;
  }

  /** Marks a row whose change could not be saved; it may be free by now. */
  markChanged(at: CallerRow): void {
    this.#tables[at & 7]!.markChanged(at >> 3);
  }

  /** Looks at the next `rows` rows of each table for unseen callers. */
  dropUnseen(nowMs: number, rows: number): void {
    for (const kind of this.#tables.keys()) this.#dropUnseenOf(kind, nowMs, rows);
  }

  #dropUnseenOf(kind: number, nowMs: number, rows: number): void {
    const table = this.#tables[kind]!;
    for (let i = 0; i < Math.min(rows, table.rowsUsed); i += 1) {
      const row = (this.#cursors[kind]! + 1) % table.rowsUsed;
      this.#cursors[kind] = row;
      if (table.isUsed(row) && nowMs - table.value(row, SEEN) >= limits.trialAgainMs) this.drop(8 * row + kind);
    }
  }

  drop(at: CallerRow): void {
    this.#onDrop(at);
    this.#tables[at & 7]!.remove(at >> 3);
  }

  /** The row as 5 numbers, day last; and back. For saving. */
  key(at: CallerRow): Buffer {
    const table = this.#tables[at & 7]!;
    const key = Buffer.alloc(KEY_BYTES);
    key.writeUInt8(at & 7);
    key.writeUInt32BE(table.high(at >> 3), 1);
    key.writeUInt32BE(table.low(at >> 3), 5);
    return key;
  }

  encode(at: CallerRow): Buffer {
    const row = Buffer.alloc(ROW_BYTES);
    for (let column = 0; column < COLUMNS; column += 1) row.writeDoubleLE(this.get(at, column), 8 * column);
    row.writeUInt32LE(this.dayOf(at), 8 * COLUMNS);
    return row;
  }

  /** Restores a row that was saved; one that finds no room is left out. Throws if it is not a row. */
  restore(key: Buffer, row: Buffer): void {
    const kind = key.length === KEY_BYTES ? key.readUInt8() : NAMES.length;
    const isRow = kind < NAMES.length && row.length === ROW_BYTES;
    const numbers = isRow ? Array.from({ length: COLUMNS }, (_, column) => row.readDoubleLE(8 * column)) : [];
    if (!isRow || numbers.some((number, column) => !(number >= 0) && column !== TRIAL)) throw new Error('a row has impossible values');
    const at = this.#add(kind, key.readUInt32BE(1), key.readUInt32BE(5), numbers[SEEN]!);
    if (at < 0) return;
    for (const [column, number] of numbers.entries()) this.set(at, column, number);
    this.setBytes(at, numbers[BYTES]!, row.readUInt32LE(8 * COLUMNS));
  }
}

/** Kind, and the hash. */
const KEY_BYTES = 9;
/** Columns, and the day. */
const ROW_BYTES = 8 * COLUMNS + 4;

/** How long a turn lasts. */
export function turnMs(intervalMs: number): number {
  return Math.round(intervalMs * (1 - limits.turnEarlyShare));
}

/** Number of the UTC day since 1970. */
export function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS);
}

function kindOf(principal: string): number {
  if (principal.length === 24 && principal.startsWith('address/')) return ADDRESSES;
  if (principal.length === 23 && principal.startsWith('feeder/')) return FEEDERS;
  if (principal.length === 21 && principal.startsWith('page/')) return PAGES;
  if (principal.length === 22 && principal.startsWith('turns/')) return TURNS;
  throw new Error(`not a principal: ${principal}`);
}

/** Eight lower-case hex digits as a number. */
function wordAt(text: string, from: number): number {
  let word = 0;
  for (let i = from; i < from + 8; i += 1) {
    const code = text.charCodeAt(i);
    const digit = code >= 97 && code <= 102 ? code - 87 : code - 48;
    if (digit < 0 || digit > 15 || (code > 57 && code < 97)) throw new Error(`not a principal: ${text}`);
    word = (word << 4) | digit;
  }
  return word >>> 0;
}

function digitsOf(word: number): string {
  return word.toString(16).padStart(8, '0');
}

/** Sockets that callers hold in this process. */
export class HeldSockets {
  readonly #ids = new Map<string, Set<string>>();

  /** False if the caller holds `socketsMax` others. */
  add(principal: string, id: string, socketsMax: number): boolean {
    const ids = this.#ids.get(principal) ?? new Set();
    if (!ids.has(id) && ids.size >= socketsMax) return false;
    this.#ids.set(principal, ids.add(id));
    return true;
  }

  delete(principal: string, id: string): void {
    const ids = this.#ids.get(principal);
    ids?.delete(id);
    if (ids?.size === 0) this.#ids.delete(principal);
  }

  count(principal: string): number {
    return this.#ids.get(principal)?.size ?? 0;
  }

  has(principal: string, id: string): boolean {
    return this.#ids.get(principal)?.has(id) ?? false;
  }

  *[Symbol.iterator](): Generator<readonly [principal: string, id: string]> {
    for (const [principal, ids] of this.#ids) for (const id of ids) yield [principal, id];
  }
}
