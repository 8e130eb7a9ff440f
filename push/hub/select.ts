// The aircraft of a filter in one snapshot, by index: a filter starts from its most selective condition, and the others are tested on what that finds.
// Indexes are built on their first use in a snapshot, for all filters.
import { ABSENT } from '../../pipeline/view/columns.ts';
import { type Listing, operatorCode, plainText } from '../../pipeline/view/listing.ts';
import { inBox, listedInCircle, type Predicate } from '../../pipeline/view/search.ts';
import type { Snapshot } from '../../pipeline/view/snapshot.ts';
import type { FlightIndex } from '../../query-api/queries/flight-index.ts';
import { shownAltitudeFt } from '../../query-api/queries/list-filters.ts';
import type { ReadModel } from '../../query-api/queries/read-model.ts';
import type { Filter } from './filter.ts';

type Numbers = ArrayLike<number>;
const NONE: readonly number[] = [];
/** Conditions whose aircraft are found in the order of the listing. */
const LISTED: ReadonlySet<keyof Filter> = new Set(['box', 'circle']);

/** Resolves filters in one snapshot. Hold a lease of the snapshot while using it. */
export class FilterIndex {
  readonly snapshot: Snapshot;
  /** Aircraft that were looked at, of all filters. */
  candidates = 0;
  private readonly listing: Listing;
  private readonly flights: ReadModel['flights'];
  private squawks: ReadonlyMap<number, readonly number[]> | null = null;
  private flagged: readonly number[] | null = null;
  /** Aircraft with an altitude, lowest first, and their altitudes. */
  private byAltitude: { readonly order: Int32Array; readonly altitudesFt: Int32Array } | null = null;
  /** Aircraft with a call sign in alphabetical order, and the call signs. */
  private byCallsign: { readonly order: readonly number[]; readonly callsigns: readonly string[] } | null = null;
  private everyone: Int32Array | null = null;
  /** Memory of `find`. */
  private found = new Int32Array(0);
  private flightIndex: FlightIndex | null = null;

  constructor(snapshot: Snapshot, flights: ReadModel['flights']) {
    this.snapshot = snapshot;
    this.listing = snapshot.listing;
    this.flights = flights;
  }

  /** Numbers of the filter's aircraft in the listing, ascending. */
  find(filter: Filter): Int32Array {
    const [source, start] = this.start(filter);
    const tests = this.tests(filter, source);
    this.candidates += start.length;
    if (this.found.length < start.length) this.found = new Int32Array(start.length);
    const { found } = this;
    let count = 0;
    for (let n = 0; n < start.length; n += 1) {
      const i = start[n]!;
      if (tests.length === 0 || tests.every((test) => test(i))) found[count++] = i;
    }
    const kept = found.slice(0, count);
    return source !== null && LISTED.has(source) ? kept : kept.sort();
  }

  /** The condition to start from, and the aircraft that meet it. */
  private start(filter: Filter): readonly [source: keyof Filter | null, found: Numbers] {
    const { listing } = this;
    if (filter.hexes !== null) {
      const { indices, count } = this.snapshot.find(filter.hexes);
      return ['hexes', indices.subarray(0, count)];
    }
    if (filter.callsigns !== null) return ['callsigns', unique(filter.callsigns.flatMap((prefix) => this.withCallsign(prefix)))];
    if (filter.squawks !== null) return ['squawks', filter.squawks.flatMap((code) => this.withSquawk(code))];
    if (filter.airports !== null) return ['airports', unique(filter.airports.flatMap((key) => this.atAirport(key)))];
    if (filter.circle !== null) {
      const { indices, count } = listedInCircle(listing, filter.circle);
      return ['circle', indices.slice(0, count)];
    }
    if (filter.box !== null) {
      const { indices, count } = inBox(listing, filter.box);
      return ['box', indices.slice(0, count)];
    }
    if (filter.types !== null) return ['types', filter.types.flatMap((type) => listing.by('typeDesignator').get(type) ?? NONE)];
    if (filter.operators !== null) return ['operators', filter.operators.flatMap((code) => listing.by('operator').get(code) ?? NONE)];
    if (filter.military === true) return ['military', this.military()];
    if (filter.altitudeFtMin !== null || filter.altitudeFtMax !== null)
      return [null, this.between(filter.altitudeFtMin, filter.altitudeFtMax)];
    return [null, this.all()];
  }

  /** The conditions other than the first. */
  private tests(filter: Filter, source: keyof Filter | null): readonly Predicate[] {
    const { listing } = this;
    const tests: Predicate[] = [];
    const add = (name: keyof Filter, test: () => Predicate): void => {
      if (filter[name] !== null && name !== source) tests.push(test());
    };
    const oneOf = (items: readonly (string | number)[], value: (i: number) => string | number | null): Predicate => {
      const wanted = new Set<string | number | null>(items);
      return (i) => wanted.has(value(i));
    };
    add('airports', () => membersOf(filter.airports!.flatMap((key) => this.atAirport(key))));
    add('circle', () => {
      const { indices, count } = listedInCircle(listing, filter.circle!);
      return membersOf(indices.subarray(0, count));
    });
    add('box', () => {
      const { indices, count } = inBox(listing, filter.box!);
      return membersOf(indices.subarray(0, count));
    });
    add('callsigns', () => (i) => filter.callsigns!.some((prefix) => plainText(listing.flights[i] ?? '').startsWith(prefix)));
    add('types', () => oneOf(filter.types!, (i) => plainText(listing.facts[i]?.typeDesignator ?? '')));
    add('operators', () => oneOf(filter.operators!, (i) => operatorCode(listing.flights[i]!)));
    add('squawks', () => oneOf(filter.squawks!, (i) => listing.columns.squawk[i]!));
    add('military', () => (i) => isMilitary(listing, i) === filter.military);
    const [least, greatest] = [filter.altitudeFtMin ?? Number.NEGATIVE_INFINITY, filter.altitudeFtMax ?? Number.POSITIVE_INFINITY];
    if (filter.altitudeFtMin !== null || filter.altitudeFtMax !== null)
      tests.push((i) => {
        const altitudeFt = shownAltitudeFt(listing.columns, i);
        return altitudeFt !== ABSENT && altitudeFt >= least && altitudeFt <= greatest;
      });
    return tests;
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

  private atAirport(key: string): readonly number[] {
    this.flightIndex ??= this.flights.of(this.snapshot);
    const index = this.flightIndex;
    return [...(index.ends('origin').get(key) ?? NONE), ...(index.ends('destination').get(key) ?? NONE)];
  }

  private withCallsign(prefix: string): readonly number[] {
    if (this.byCallsign === null) {
      const entries: { readonly i: number; readonly callsign: string }[] = [];
      this.listing.flights.forEach((text, i) => {
        if (text !== null && i < this.listing.count) entries.push({ i, callsign: plainText(text) });
      });
      entries.sort((a, b) => (a.callsign < b.callsign ? -1 : a.callsign > b.callsign ? 1 : a.i - b.i));
      this.byCallsign = { order: entries.map(({ i }) => i), callsigns: entries.map(({ callsign }) => callsign) };
    }
    const { order, callsigns } = this.byCallsign;
    const from = lowerBound(callsigns, prefix);
    let to = from;
    while (to < order.length && callsigns[to]!.startsWith(prefix)) to += 1;
    return order.slice(from, to);
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

function membersOf(numbers: Numbers): Predicate {
  const members = new Set<number>(Array.from(numbers));
  return (i) => members.has(i);
}

function unique(numbers: readonly number[]): readonly number[] {
  return [...new Set(numbers)];
}

/** Number of the first item that is not less than a value. */
function lowerBound<Item extends string | number>(items: ArrayLike<Item>, value: Item): number {
  let from = 0;
  let to = items.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (items[middle]! < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
