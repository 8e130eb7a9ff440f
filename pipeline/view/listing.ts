// The listed aircraft of one tick as columns, in the order of its bodies: the input of rendering and queries. Copied from the live table, which
// keeps changing, column by column: one column fits the processor's cache, whereas fifty columns of a row in another order are fifty misses.

import { ABSENT, type ColumnName, columnNames } from '../aircraft/columns.ts';
import type { AircraftFacts, AircraftRoute } from '../aircraft/facts.ts';
import { FLIGHT_BYTES, type LiveTable } from '../aircraft/table.ts';
import type { Text } from '../aircraft/text.ts';
import { MICRODEG_PER_DEG } from '../geo/earth.ts';
import { positionVector } from '../geo/sphere.ts';
import { PositionGrid } from './position-grid.ts';
import { SearchMemory } from './search-memory.ts';

const GROWTH = 1.25;
const FLIGHT_WORDS = FLIGHT_BYTES / 4;

/** Texts by which aircraft are found. */
export type ListedText = 'flight' | 'registration' | 'typeDesignator' | 'operator';

/** Form in which such texts are compared: capitals, without blanks and hyphens. */
export function plainText(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}

/** Operator of a flight: the three letters before the number of a call sign, `KLM` of `KLM12A`; null for other call signs. */
export function operatorCode(flight: string | null): string | null {
  return flight !== null && /^[A-Z]{3}\d/.test(flight) ? flight.slice(0, 3) : null;
}

export class Listing {
  /** Memory of searches; listings that are not searched at the same time may share it. */
  readonly searchMemory: SearchMemory;
  count = 0;
  /** Rows of the table. */
  rows: Int32Array = new Int32Array(0);
  /** Columns of the table. */
  columns = emptyColumns(0);
  /** Coordinates of valid positions; otherwise ABSENT. */
  latitudesMicrodeg = new Int32Array(0);
  longitudesMicrodeg = new Int32Array(0);
  /** The same positions as unit vectors. */
  x = new Float64Array(0);
  y = new Float64Array(0);
  z = new Float64Array(0);
  seenMs = new Float64Array(0);
  /** NaN without any position. */
  positionMs = new Float64Array(0);
  gpsOkMs = new Float64Array(0);
  /** FLIGHT_BYTES per aircraft, as in the table. */
  flightWords = new Int32Array(0);
  /** Other members of the aircraft object: offsets in the table's memory, valid until the table changes. */
  annotationStarts = new Int32Array(0);
  annotationLengths = new Int32Array(0);
  annotationWords = new Float64Array(0);
  readonly advisories = new Map<number, Text>();
  /** Call signs as sent, 8 characters. */
  flights: (string | null)[] = [];
  facts: (AircraftFacts | null)[] = [];
  routes: (AircraftRoute | null)[] = [];
  readonly grid = new PositionGrid();
  private readonly indexes = new Map<ListedText, ReadonlyMap<string, readonly number[]>>();

  constructor(searchMemory = new SearchMemory()) {
    this.searchMemory = searchMemory;
  }

  /** Copies rows of the table, in the order of the grid. */
  fill(table: LiveTable, rows: Int32Array, count: number): void {
    if (this.seenMs.length < count) this.grow(Math.ceil(count * GROWTH));
    this.count = count;
    this.rows = rows;
    this.indexes.clear();
    for (const name of columnNames) gather(this.columns[name], table.columns[name], rows, count);
    for (const name of ['seenMs', 'positionMs', 'gpsOkMs'] as const) gather(this[name], table[name], rows, count);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      this.flights[i] = table.flightTexts[row]!;
      this.facts[i] = table.facts[row]!;
      this.routes[i] = table.routes[row]!;
    }
    table.annotations.arrange(rows, count);
    gather(this.annotationStarts, table.annotations.starts, rows, count);
    gather(this.annotationLengths, table.annotations.lengths, rows, count);
    this.annotationWords = table.annotations.words;
    this.fillTexts(table, rows, count);
    this.fillPositions(count);
  }

  /** Numbers of aircraft by `plainText`; built on the first request of a tick. */
  by(text: ListedText): ReadonlyMap<string, readonly number[]> {
    let index = this.indexes.get(text);
    if (index === undefined) {
      index = this.buildIndex(text);
      this.indexes.set(text, index);
    }
    return index;
  }

  /** True when an aircraft has a valid position. */
  hasPosition(i: number): boolean {
    return this.latitudesMicrodeg[i] !== ABSENT;
  }

  /** A text of an aircraft as shown. */
  textOf(text: ListedText, i: number): string | null {
    if (text === 'flight') return this.flights[i]!;
    if (text === 'operator') return operatorCode(this.flights[i]!);
    return this.facts[i]?.[text] ?? null;
  }

  private buildIndex(text: ListedText): ReadonlyMap<string, readonly number[]> {
    const index = new Map<string, number[]>();
    for (let i = 0; i < this.count; i += 1) {
      const shown = this.textOf(text, i);
      if (shown === null) continue;
      const key = plainText(shown);
      const found = index.get(key);
      if (found === undefined) index.set(key, [i]);
      else found.push(i);
    }
    return index;
  }

  private fillTexts({ flights, advisories }: LiveTable, rows: Int32Array, count: number): void {
    const { flightWords } = this;
    const { flightLength } = this.columns;
    const words = new Int32Array(flights.buffer);
    this.advisories.clear();
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      const used = (flightLength[i]! + 3) >> 2;
      for (let word = 0; word < used; word += 1) flightWords[i * FLIGHT_WORDS + word] = words[row * FLIGHT_WORDS + word]!;
      const advisory = advisories.size === 0 ? undefined : advisories.get(row);
      if (advisory !== undefined) this.advisories.set(i, advisory);
    }
  }

  private fillPositions(count: number): void {
    const { positionValid, latitudeMicrodeg, longitudeMicrodeg } = this.columns;
    for (let i = 0; i < count; i += 1) {
      const hasPosition = positionValid[i] === 1;
      this.latitudesMicrodeg[i] = hasPosition ? latitudeMicrodeg[i]! : ABSENT;
      this.longitudesMicrodeg[i] = hasPosition ? longitudeMicrodeg[i]! : ABSENT;
      if (!hasPosition) continue;
      const { x, y, z } = positionVector(latitudeMicrodeg[i]! / MICRODEG_PER_DEG, longitudeMicrodeg[i]! / MICRODEG_PER_DEG);
      this.x[i] = x;
      this.y[i] = y;
      this.z[i] = z;
    }
  }

  private grow(capacity: number): void {
    this.columns = emptyColumns(capacity);
    this.latitudesMicrodeg = new Int32Array(capacity);
    this.longitudesMicrodeg = new Int32Array(capacity);
    this.flightWords = new Int32Array(capacity * FLIGHT_WORDS);
    for (const name of ['x', 'y', 'z', 'seenMs', 'positionMs', 'gpsOkMs'] as const) this[name] = new Float64Array(capacity);
    for (const name of ['flights', 'facts', 'routes'] as const) this[name] = new Array(capacity).fill(null);
    this.annotationStarts = new Int32Array(capacity);
    this.annotationLengths = new Int32Array(capacity);
  }
}

/** All columns in one memory, in which RowWriter finds them. */
function emptyColumns(capacity: number): Record<ColumnName, Int32Array> {
  const block = new Int32Array(capacity * columnNames.length);
  return Object.fromEntries(columnNames.map((name, n) => [name, block.subarray(n * capacity, (n + 1) * capacity)])) as Record<
    ColumnName,
    Int32Array
  >;
}

function gather<Column extends Int32Array | Float64Array>(to: Column, from: Column, rows: Int32Array, count: number): void {
  for (let i = 0; i < count; i += 1) to[i] = from[rows[i]!]!;
}
