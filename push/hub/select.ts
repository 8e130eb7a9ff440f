// The aircraft of a filter in one snapshot, by index: a filter starts from its most selective condition, and the others are tested on what that finds.
// Indexes are built on their first use in a snapshot, for all filters.
import { ABSENT } from '../../pipeline/aircraft/columns.ts';
import { type Listing, operatorCode, plainText } from '../../pipeline/view/listing.ts';
import { inBox, listedInCircle, type Predicate, type Selection } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { FlightIndex } from '../../query-api/queries/flight-index.ts';
import { altitudeTest, shownAltitudeFt } from '../../query-api/queries/list-filters.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { Filter } from './filter.ts';

type Numbers = ArrayLike<number>;
const NONE: readonly number[] = [];
/** Conditions by which aircraft are found, the most selective one first; the others are tested on what it finds. */
const SOURCES = ['hexes', 'callsigns', 'squawks', 'airports', 'circle', 'box', 'types', 'operators'] as const;
type Source = (typeof SOURCES)[number] | 'military' | 'altitude' | 'none';
/** Conditions whose aircraft are found in the order of the listing. */
const LISTED: ReadonlySet<Source> = new Set(['circle', 'box', 'none']);
/** First characters of call signs that are the key of their index. */
const CALLSIGN_KEY = 3;
/** Aircraft for which memory is taken at a time. */
const FOUND_NUMBERS = 16 * 1024;

interface CallsignIndex {
  /** Call sign by number in the listing. */
  readonly texts: readonly string[];
  /** Aircraft by the first characters of their call sign. */
  readonly byStart: ReadonlyMap<string, readonly number[]>;
}

/** Resolves filters in one snapshot. Hold a lease of the snapshot while using it. */
export class FilterIndex {
  readonly snapshot: Snapshot;
  private readonly listing: Listing;
  private readonly flights: ReadModel['flights'];
  private squawks: ReadonlyMap<number, readonly number[]> | null = null;
  private flagged: readonly number[] | null = null;
  /** Aircraft with an altitude, lowest first, and their altitudes. */
  private byAltitude: { readonly order: Int32Array; readonly altitudesFt: Int32Array } | null = null;
  private byCallsign: CallsignIndex | null = null;
  private everyone: Int32Array | null = null;
  /** Found rows, filter behind filter: thousands of small arrays would each take memory of their own. */
  private found = new Int32Array(FOUND_NUMBERS);
  private foundEnd = 0;
  private flightIndex: FlightIndex | null = null;

  constructor(snapshot: Snapshot, flights: ReadModel['flights']) {
    this.snapshot = snapshot;
    this.listing = snapshot.listing;
    this.flights = flights;
  }

  /** Numbers of the filter's aircraft in the listing, ascending. */
  find(filter: Filter): Int32Array {
    const source = sourceOf(filter);
    // Before the start: they may use the memory of searches.
    const tests = this.tests(filter, source);
    const [start, length] = this.start(filter, source);
    if (this.foundEnd + length > this.found.length) {
      this.found = new Int32Array(Math.max(FOUND_NUMBERS, length));
      this.foundEnd = 0;
    }
    const { found, foundEnd } = this;
    let end = foundEnd;
    for (let n = 0; n < length; n += 1) {
      const i = start[n]!;
      if (meets(tests, i)) found[end++] = i;
    }
    if (!LISTED.has(source)) end = sortDistinct(found, foundEnd, end);
    this.foundEnd = end;
    return found.subarray(foundEnd, end);
  }

  /** The aircraft that meet the first condition, and how many they are. Valid until the next search. */
  private start(filter: Filter, source: Source): readonly [found: Numbers, count: number] {
    const { listing } = this;
    const selected = ({ indices, count }: Selection): readonly [Numbers, number] => [indices, count];
    const all = (lists: readonly Numbers[]): readonly [Numbers, number] => {
      const found = lists.length === 1 ? lists[0]! : lists.flatMap((list) => Array.from(list));
      return [found, found.length];
    };
    switch (source) {
      case 'hexes':
        return selected(this.snapshot.find(filter.hexes!));
      case 'callsigns':
        return all(filter.callsigns!.map((prefix) => this.withCallsign(prefix)));
      case 'squawks':
        return all(filter.squawks!.map((code) => this.withSquawk(code)));
      case 'airports':
        return all(filter.airports!.map((key) => this.atAirport(key)));
      case 'circle':
        return selected(listedInCircle(listing, filter.circle!));
      case 'box':
        return selected(inBox(listing, filter.box!));
      case 'types':
        return all(filter.types!.map((type) => listing.by('typeDesignator').get(type) ?? NONE));
      case 'operators':
        return all(filter.operators!.map((code) => listing.by('operator').get(code) ?? NONE));
      case 'military':
        return all([this.military()]);
      case 'altitude':
        return all([this.between(filter.altitudeFtMin, filter.altitudeFtMax)]);
      case 'none':
        return all([this.all()]);
    }
  }

  /** The conditions other than the first. */
  private tests(filter: Filter, source: Source): readonly Predicate[] {
    const { listing } = this;
    const { columns } = listing;
    const { airports, circle, box, callsigns, types, operators, squawks, military, altitudeFtMin, altitudeFtMax } = filter;
    const tests: Predicate[] = [];
    if (airports !== null && source !== 'airports') tests.push(membersOf(airports.flatMap((key) => this.atAirport(key))));
    if (circle !== null && source !== 'circle') tests.push(selectedBy(listedInCircle(listing, circle)));
    if (box !== null && source !== 'box') tests.push(selectedBy(inBox(listing, box)));
    if (callsigns !== null && source !== 'callsigns')
      tests.push((i) => callsigns.some((prefix) => plainText(listing.flights[i] ?? '').startsWith(prefix)));
    if (types !== null && source !== 'types') tests.push(oneOf(types, (i) => plainText(listing.facts[i]?.typeDesignator ?? '')));
    if (operators !== null && source !== 'operators') tests.push(oneOf(operators, (i) => operatorCode(listing.flights[i]!)));
    if (squawks !== null && source !== 'squawks') tests.push(oneOf(squawks, (i) => columns.squawk[i]!));
    if (military !== null && source !== 'military') tests.push((i) => isMilitary(listing, i) === military);
    const altitude = source === 'altitude' ? null : altitudeTest([altitudeFtMin ?? -Infinity, altitudeFtMax ?? Infinity], columns);
    return altitude === null ? tests : [...tests, altitude];
  }

  private all(): Int32Array {
    this.everyone ??= Int32Array.from({ length: this.listing.count }, (_, i) => i);
    return this.everyone;
  }

  private military(): readonly number[] {
    this.flagged ??= [...this.all()].filter((i) => isMilitary(this.listing, i));
    return this.flagged;
  }

  private withSquawk(code: number): readonly number[] {
    if (this.squawks === null) {
      const squawks = new Map<number, number[]>();
      for (const i of this.all()) {
        const squawk = this.listing.columns.squawk[i]!;
        const found = squawks.get(squawk);
        if (found === undefined) squawks.set(squawk, [i]);
        else found.push(i);
      }
      this.squawks = squawks;
    }
    return this.squawks.get(code) ?? NONE;
  }

  /** One that begins and ends there is found twice. */
  private atAirport(key: string): readonly number[] {
    this.flightIndex ??= this.flights.index(this.snapshot);
    const index = this.flightIndex;
    return [...(index.ends('origin').get(key) ?? NONE), ...(index.ends('destination').get(key) ?? NONE)];
  }

  private withCallsign(prefix: string): readonly number[] {
    this.byCallsign ??= callsignIndex(this.listing);
    const { texts, byStart } = this.byCallsign;
    if (prefix.length < CALLSIGN_KEY) return [...byStart].flatMap(([start, found]) => (start.startsWith(prefix) ? found : NONE));
    const found = byStart.get(prefix.slice(0, CALLSIGN_KEY)) ?? NONE;
    return prefix.length === CALLSIGN_KEY ? found : found.filter((i) => texts[i]!.startsWith(prefix));
  }

  private between(least: number | null, greatest: number | null): Int32Array {
    if (this.byAltitude === null) {
      const { columns } = this.listing;
      const order = this.all().filter((i) => shownAltitudeFt(columns, i) !== ABSENT);
      order.sort((a, b) => shownAltitudeFt(columns, a) - shownAltitudeFt(columns, b));
      this.byAltitude = { order, altitudesFt: order.map((i) => shownAltitudeFt(columns, i)) };
    }
    const { order, altitudesFt } = this.byAltitude;
    const from = least === null ? 0 : lowerBound(altitudesFt, least);
    const to = greatest === null ? order.length : lowerBound(altitudesFt, greatest + 1);
    return order.subarray(from, Math.max(from, to));
  }
}

function isMilitary({ facts }: Listing, i: number): boolean {
  return ((facts[i]?.dbFlags ?? 0) & 1) === 1;
}

function callsignIndex({ flights, count }: Listing): CallsignIndex {
  const texts: string[] = [];
  const byStart = new Map<string, number[]>();
  for (let i = 0; i < count; i += 1) {
    const flight = flights[i] ?? null;
    texts.push(flight === null ? '' : plainText(flight));
    if (flight === null) continue;
    const start = texts[i]!.slice(0, CALLSIGN_KEY);
    const found = byStart.get(start);
    if (found === undefined) byStart.set(start, [i]);
    else found.push(i);
  }
  return { texts, byStart };
}

/** The condition to start from. */
function sourceOf(filter: Filter): Source {
  for (const source of SOURCES) if (filter[source] !== null) return source;
  if (filter.military === true) return 'military';
  return filter.altitudeFtMin === null && filter.altitudeFtMax === null ? 'none' : 'altitude';
}

function meets(tests: readonly Predicate[], i: number): boolean {
  for (let n = 0; n < tests.length; n += 1) if (!tests[n]!(i)) return false;
  return true;
}

function oneOf(items: readonly (string | number)[], value: (i: number) => string | number | null): Predicate {
  const wanted = new Set<string | number | null>(items);
  return (i) => wanted.has(value(i));
}

function membersOf(numbers: Numbers): Predicate {
  const members = new Set<number>(Array.from(numbers));
  return (i) => members.has(i);
}

function selectedBy({ indices, count }: Selection): Predicate {
  return membersOf(indices.subarray(0, count));
}

/** Sorts the numbers from `start` to `end` and keeps each once. Returns the new end. */
function sortDistinct(numbers: Int32Array, start: number, end: number): number {
  numbers.subarray(start, end).sort();
  let count = start;
  for (let n = start; n < end; n += 1) if (n === start || numbers[n] !== numbers[count - 1]) numbers[count++] = numbers[n]!;
  return count;
}

/** Number of the first item that is not less than a value. */
export function lowerBound(items: ArrayLike<number>, value: number): number {
  let from = 0;
  let to = items.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (items[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
