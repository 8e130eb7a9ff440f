// Changes from one snapshot to the next: aircraft added, aircraft removed, and changed fields of the others. Compares the two listings column by
// column, on request: a tick without a request costs nothing.
import { aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { columnNames } from '../aircraft/columns.ts';
import type { AircraftFacts, AircraftRoute } from '../aircraft/facts.ts';
import type { Text } from '../aircraft/text.ts';
import type { Listing } from './listing.ts';

export const factNames = [
  'registration',
  'typeDesignator',
  'description',
  'operator',
  'year',
  'dbFlags',
] as const satisfies readonly (keyof AircraftFacts)[];
export const routeNames = ['originIata', 'destinationIata'] as const satisfies readonly (keyof AircraftRoute)[];
const timeNames = ['seenMs', 'positionMs', 'gpsOkMs'] as const;

/** Fields whose change is not reported: an aircraft keeps its address, and each state has a tick. */
const UNCOMPARED: readonly string[] = ['hex', 'tickMs'];

/** Fields of an aircraft in the order of their bits: fields of its state, then facts and route. */
export const changeFields: readonly string[] = [
  ...aircraftStateSchema.fields.map(({ name }) => name).filter((name) => !UNCOMPARED.includes(name)),
  ...factNames,
  ...routeNames,
];

/** Words of 32 bits in the mask of an aircraft. */
export const MASK_WORDS = Math.ceil(changeFields.length / 32);

/** Typed arrays; the next tick overwrites them. */
export interface SnapshotChanges {
  /** Aircraft that the previous snapshot did not list, by their numbers in the listing. */
  readonly added: Int32Array;
  /** Aircraft of both snapshots with a changed field, by their numbers in the listing. */
  readonly changed: Int32Array;
  /** MASK_WORDS words for each of `changed`: bit k stands for `changeFields[k]`, bit 0 of the first word for the first. */
  readonly masks: Int32Array;
}

type Compare = (current: Listing, before: Listing, finder: ChangeFinder, bit: number) => void;

/** How each field is compared, in the order of the bits. */
const comparisons: readonly Compare[] = changeFields.map((name): Compare => {
  const column = columnNames.find((other) => other === name);
  if (column !== undefined) return (current, before, finder, bit) => finder.column(current.columns[column], before.columns[column], bit);
  const time = timeNames.find((other) => other === name);
  if (time !== undefined) return (current, before, finder, bit) => finder.times(current[time], before[time], bit);
  if (name === 'flight') return (current, before, finder, bit) => finder.values(current.flights, before.flights, bit);
  if (name === 'acasRa') return (current, before, finder, bit) => finder.advisories(current, before, bit);
  const fact = factNames.find((other) => other === name);
  if (fact !== undefined) return (current, before, finder, bit) => finder.members(current.facts, before.facts, fact, bit);
  const end = routeNames.find((other) => other === name);
  if (end !== undefined) return (current, before, finder, bit) => finder.members(current.routes, before.routes, end, bit);
  throw new Error(`no comparison for the field ${name}`);
});

/** Compares listings; its own memory is reused for every tick. */
export class ChangeFinder {
  /** Number in the previous listing + 1, by row of the table; 0 between uses. */
  private numberOfRow = new Int32Array(0);
  /** Aircraft of both listings: their numbers in the newer and in the older one. */
  private indices = new Int32Array(0);
  private olds = new Int32Array(0);
  private pairs = 0;
  private masks = new Int32Array(0);
  private added = new Int32Array(0);

  /** Without a previous listing all aircraft are added. */
  find(before: Listing | null, current: Listing): SnapshotChanges {
    this.reserve(Math.max(before?.count ?? 0, current.count));
    const added = this.match(before, current);
    this.masks.fill(0, 0, this.pairs * MASK_WORDS);
    if (before !== null) for (let bit = 0; bit < comparisons.length; bit += 1) comparisons[bit]!(current, before, this, bit);
    const changed = this.keepChanged();
    return {
      added: this.added.subarray(0, added),
      changed: this.indices.subarray(0, changed),
      masks: this.masks.subarray(0, changed * MASK_WORDS),
    };
  }

  column(current: Int32Array, before: Int32Array, bit: number): void {
    const { indices, olds, masks, pairs } = this;
    const [word, flag] = [bit >> 5, 1 << (bit & 31)];
    for (let n = 0; n < pairs; n += 1) if (current[indices[n]!] !== before[olds[n]!]) masks[n * MASK_WORDS + word]! |= flag;
  }

  /** NaN, an unknown time, equals NaN. */
  times(current: Float64Array, before: Float64Array, bit: number): void {
    const { indices, olds, masks, pairs } = this;
    const [word, flag] = [bit >> 5, 1 << (bit & 31)];
    for (let n = 0; n < pairs; n += 1) {
      const [now, was] = [current[indices[n]!]!, before[olds[n]!]!];
      if (now !== was && !(Number.isNaN(now) && Number.isNaN(was))) masks[n * MASK_WORDS + word]! |= flag;
    }
  }

  values(current: readonly unknown[], before: readonly unknown[], bit: number): void {
    for (let n = 0; n < this.pairs; n += 1) if (current[this.indices[n]!] !== before[this.olds[n]!]) this.mark(n, bit);
  }

  /** A member of objects that are mostly identical in both listings. */
  members<Name extends string>(
    current: readonly (Partial<Record<Name, unknown>> | null)[],
    before: readonly (Partial<Record<Name, unknown>> | null)[],
    name: Name,
    bit: number,
  ): void {
    for (let n = 0; n < this.pairs; n += 1) {
      const [now, was] = [current[this.indices[n]!]!, before[this.olds[n]!]!];
      if (now !== was && now?.[name] !== was?.[name]) this.mark(n, bit);
    }
  }

  advisories({ advisories: current }: Listing, { advisories: before }: Listing, bit: number): void {
    if (current.size === 0 && before.size === 0) return;
    for (let n = 0; n < this.pairs; n += 1) if (!isSameText(current.get(this.indices[n]!), before.get(this.olds[n]!))) this.mark(n, bit);
  }

  private mark(n: number, bit: number): void {
    this.masks[n * MASK_WORDS + (bit >> 5)]! |= 1 << (bit & 31);
  }

  /** Pairs the aircraft of both listings by row and key; returns how many are only in the newer one. */
  private match(before: Listing | null, { rows, columns: { key }, count }: Listing): number {
    this.numberRows(before);
    const { numberOfRow, indices, olds, added } = this;
    this.pairs = 0;
    let addedCount = 0;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      const old = row < numberOfRow.length ? numberOfRow[row]! - 1 : -1;
      if (old >= 0 && before!.columns.key[old] === key[i]) {
        indices[this.pairs] = i;
        olds[this.pairs] = old;
        this.pairs += 1;
      } else {
        added[addedCount] = i;
        addedCount += 1;
      }
    }
    return addedCount;
  }

  private numberRows(before: Listing | null): void {
    const count = before?.count ?? 0;
    this.numberOfRow.fill(0);
    for (let i = 0; i < count; i += 1) {
      const row = before!.rows[i]!;
      if (row >= this.numberOfRow.length) {
        const grown = new Int32Array(2 * (row + 1));
        grown.set(this.numberOfRow);
        this.numberOfRow = grown;
      }
      this.numberOfRow[row] = i + 1;
    }
  }

  /** Moves pairs with a bit to the front; returns their number. */
  private keepChanged(): number {
    const { masks, indices, pairs } = this;
    let changed = 0;
    for (let n = 0; n < pairs; n += 1) {
      let any = 0;
      for (let word = 0; word < MASK_WORDS; word += 1) any |= masks[n * MASK_WORDS + word]!;
      if (any === 0) continue;
      indices[changed] = indices[n]!;
      for (let word = 0; word < MASK_WORDS; word += 1) masks[changed * MASK_WORDS + word] = masks[n * MASK_WORDS + word]!;
      changed += 1;
    }
    return changed;
  }

  private reserve(count: number): void {
    if (this.indices.length >= count) return;
    const capacity = 2 * count;
    for (const name of ['indices', 'olds', 'added'] as const) this[name] = new Int32Array(capacity);
    this.masks = new Int32Array(capacity * MASK_WORDS);
  }
}

function isSameText(a: Text | undefined, b: Text | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  return a.length === b.length && a.words.every((word, i) => word === b.words[i]);
}
