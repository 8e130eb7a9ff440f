// The listed aircraft of one tick as columns, in the order of its bodies: what queries look at. Copied from the live table when the tick
// is rendered, since the table goes on changing.

import { ABSENT, type ColumnName } from './columns.ts';
import type { AircraftFacts, AircraftRoute } from './facts.ts';
import { PlaceGrid } from './place-grid.ts';
import { placeVector } from './sphere.ts';
import type { LiveTable } from './table.ts';

/** Columns of the table that queries use. A value that is not known is ABSENT. */
export const listedColumns = [
  'key',
  'source',
  'category',
  'squawk',
  'emergency',
  'onGround',
  'altitudeBaroFt',
  'groundSpeedDeciKt',
  'trackCentideg',
  'baroRateFpm',
  'geomRateFpm',
] as const satisfies readonly ColumnName[];
export type ListedColumn = (typeof listedColumns)[number];

const GROWTH = 1.25;
const MICRODEG = 1_000_000;

/** Texts that aircraft are found by. */
export type ListedText = 'flight' | 'registration' | 'typeDesignator' | 'operator';

/** How such texts are compared: capitals, without blanks and hyphens. */
export function plainText(text: string): string {
  return text.replace(/[\s-]/g, '').toUpperCase();
}

/** Operator of a flight: the three letters before the number of a call sign, `KLM` of `KLM12A`; null where it is none of an operator. */
export function operatorCode(flight: string | null): string | null {
  return flight !== null && /^[A-Z]{3}\d/.test(flight) ? flight.slice(0, 3) : null;
}

export class Listing {
  count = 0;
  columns = emptyColumns(0);
  /** Of valid positions; ABSENT else. */
  latitudesMicrodeg = new Int32Array(0);
  longitudesMicrodeg = new Int32Array(0);
  /** The same places as unit vectors. */
  x = new Float64Array(0);
  y = new Float64Array(0);
  z = new Float64Array(0);
  seenMs = new Float64Array(0);
  /** NaN where there never was a position. */
  positionMs = new Float64Array(0);
  /** Call signs as sent, 8 characters. */
  flights: (string | null)[] = [];
  facts: (AircraftFacts | null)[] = [];
  routes: (AircraftRoute | null)[] = [];
  readonly grid = new PlaceGrid();
  private readonly indexes = new Map<ListedText, ReadonlyMap<string, readonly number[]>>();

  /** Takes rows of the table, in the order that the grid gave them. */
  fill(table: LiveTable, rows: Int32Array, count: number): void {
    if (this.seenMs.length < count) this.grow(Math.ceil(count * GROWTH));
    this.count = count;
    this.indexes.clear();
    for (const name of listedColumns) gather(this.columns[name], table.columns[name], rows, count);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      this.seenMs[i] = table.seenMs[row]!;
      this.positionMs[i] = table.positionMs[row]!;
      this.flights[i] = table.flightTexts[row]!;
      this.facts[i] = table.facts[row]!;
      this.routes[i] = table.routes[row]!;
    }
    this.fillPlaces(table, rows, count);
  }

  /** Numbers of aircraft by a `plainText`; made when somebody asks for the first time in a tick. */
  by(text: ListedText): ReadonlyMap<string, readonly number[]> {
    let index = this.indexes.get(text);
    if (index === undefined) {
      index = this.buildIndex(text);
      this.indexes.set(text, index);
    }
    return index;
  }

  /** Whether an aircraft has a valid position. */
  isPlaced(i: number): boolean {
    return this.latitudesMicrodeg[i] !== ABSENT;
  }

  /** A text of an aircraft as it is shown. */
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

  private fillPlaces({ columns }: LiveTable, rows: Int32Array, count: number): void {
    const { positionValid, latitudeMicrodeg, longitudeMicrodeg } = columns;
    for (let i = 0; i < count; i += 1) {
      const row = rows[i]!;
      const isPlaced = positionValid[row] === 1;
      this.latitudesMicrodeg[i] = isPlaced ? latitudeMicrodeg[row]! : ABSENT;
      this.longitudesMicrodeg[i] = isPlaced ? longitudeMicrodeg[row]! : ABSENT;
      if (!isPlaced) continue;
      const { x, y, z } = placeVector(latitudeMicrodeg[row]! / MICRODEG, longitudeMicrodeg[row]! / MICRODEG);
      this.x[i] = x;
      this.y[i] = y;
      this.z[i] = z;
    }
  }

  private grow(capacity: number): void {
    this.columns = emptyColumns(capacity);
    this.latitudesMicrodeg = new Int32Array(capacity);
    this.longitudesMicrodeg = new Int32Array(capacity);
    for (const name of ['x', 'y', 'z', 'seenMs', 'positionMs'] as const) this[name] = new Float64Array(capacity);
    for (const name of ['flights', 'facts', 'routes'] as const) this[name] = new Array(capacity).fill(null);
  }
}

function emptyColumns(capacity: number): Record<ListedColumn, Int32Array<ArrayBuffer>> {
  return Object.fromEntries(listedColumns.map((name) => [name, new Int32Array(capacity)])) as Record<ListedColumn, Int32Array<ArrayBuffer>>;
}

function gather(to: Int32Array, from: Int32Array, rows: Int32Array, count: number): void {
  for (let i = 0; i < count; i += 1) to[i] = from[rows[i]!]!;
}
