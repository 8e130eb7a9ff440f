// Airports by code and by position. Rows are sorted by latitude, so that the airports near a position are one run of rows.
import { Compass, chordOfNm, halfHeightDeg, nmOfChord, positionVector } from '../../geo/sphere.ts';
import type { Airport, AirportNearby, AirportType } from '../reference.ts';
import { codeKey, codeText } from '../store/code-key.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter, type Texts, writeRows } from '../store/columns.ts';
import { firstNotBelow, rowOf } from '../store/sorted.ts';
import { CodeHolders } from './code-holders.ts';
import { NameIndex } from './name-index.ts';

export const AIRPORTS = 'airports';

/** By descending importance: if airports share a code, the most important one gets it. */
export const airportTypes: readonly AirportType[] = [
  'large_airport',
  'medium_airport',
  'small_airport',
  'seaplane_base',
  'heliport',
  'balloonport',
  'closed',
];
const CLOSED = airportTypes.indexOf('closed');
/** Type unknown; ranks as a medium airport. */
const UNKNOWN_TYPE = airportTypes.length;
/** Coordinates of one airport differ by less than this between data sets. */
const SAME_POSITION_DEG = 0.1;
const NO_ELEVATION = -0x8000_0000;
/** Fields that are stored as they are. */
const fields = { latDeg: 'f64', lonDeg: 'f64', name: 'texts', city: 'texts?', country: 'sharedTexts?' } as const;
const codeNames = ['icao', 'iata', 'local'] as const;

interface CodeIndex {
  /** Code of each row; 0 if it has none. */
  readonly ofRows: Float64Array;
  /** Sorted codes, and their rows. */
  readonly keys: Float64Array;
  readonly rows: Uint32Array;
}

export class AirportTable {
  readonly rows: number;
  private readonly latsDeg: Float64Array;
  private readonly lonsDeg: Float64Array;
  /** Positions as unit vectors. */
  private readonly xs: Float64Array;
  private readonly ys: Float64Array;
  private readonly zs: Float64Array;
  private readonly elevationsFt: Int32Array;
  private readonly types: Uint8Array;
  private readonly airportNames: Texts;
  private readonly cities: Texts;
  private readonly countries: Texts;
  private readonly codes: readonly CodeIndex[];
  private readonly ready: (Airport | undefined)[];

  constructor(table: ColumnTable) {
    const reader = new TableReader(table);
    this.rows = reader.rows;
    this.latsDeg = reader.numbers('latDeg', 'f64');
    this.lonsDeg = reader.numbers('lonDeg', 'f64');
    this.xs = reader.numbers('x', 'f64');
    this.ys = reader.numbers('y', 'f64');
    this.zs = reader.numbers('z', 'f64');
    this.elevationsFt = reader.numbers('elevationFt', 'i32');
    this.types = reader.numbers('type', 'u8');
    this.airportNames = reader.texts('name');
    this.cities = reader.texts('city');
    this.countries = reader.sharedTexts('country');
    this.ready = new Array<Airport | undefined>(this.rows);
    this.codes = codeNames.map((name) => {
      const keys = reader.numbersOfAnyLength(`${name}.key`, 'f64');
      return { ofRows: reader.numbers(name, 'f64'), keys, rows: reader.numbers(`${name}.row`, 'u32', keys.length) };
    });
  }

  /** By ICAO, else IATA, else local code, in either case. */
  find(code: string): Airport | undefined {
    const key = codeKey(code);
    if (key === 0) return undefined;
    for (const { keys, rows } of this.codes) {
      const at = rowOf(keys, key);
      if (at >= 0) return this.at(rows[at]!);
    }
    return undefined;
  }

  /** Returns the same object for the same row, created at the first call. */
  at(row: number): Airport {
    const known = this.ready[row];
    if (known !== undefined) return known;
    const airport = this.made(row);
    this.ready[row] = airport;
    return airport;
  }

  /** Airports closer than `radiusNm`, nearest first, ties by code, without closed airports. */
  near(latDeg: number, lonDeg: number, radiusNm: number, limit: number): AirportNearby[] {
    const { x, y, z } = positionVector(latDeg, lonDeg);
    const chordMax = chordOfNm(radiusNm);
    // Slightly wider than the radius, so that rounding excludes no airport at its edge.
    const heightDeg = halfHeightDeg(radiusNm) + 1e-9;
    const found: { row: number; distanceNm: number }[] = [];
    for (let row = firstNotBelow(this.latsDeg, latDeg - heightDeg); row < this.rows && this.latsDeg[row]! <= latDeg + heightDeg; row += 1) {
      const dx = this.xs[row]! - x;
      const dy = this.ys[row]! - y;
      const dz = this.zs[row]! - z;
      const chord = Math.sqrt(dx * dx + dy * dy + dz * dz);
      if (chord < chordMax && this.types[row] !== CLOSED) found.push({ row, distanceNm: nmOfChord(chord) });
    }
    found.sort((a, b) => a.distanceNm - b.distanceNm || (this.codeOf(a.row) < this.codeOf(b.row) ? -1 : 1));
    const compass = new Compass(latDeg, lonDeg);
    return found.slice(0, limit).map(({ row, distanceNm }) => ({
      airport: this.at(row),
      distanceNm,
      bearingDeg: compass.bearingDeg(this.xs[row]!, this.ys[row]!, this.zs[row]!),
    }));
  }

  /** By codes, name and city, without closed ones; the most important kind of airport first. */
  names(): NameIndex<Airport> {
    const rows = Array.from(this.types.keys()).filter((row) => this.types[row] !== CLOSED);
    rows.sort((a, b) => importance(this.types[a]!) - importance(this.types[b]!));
    const codes = (row: number): string[] => this.codes.map(({ ofRows }) => codeText(ofRows[row]!));
    return new NameIndex(
      rows.map((row) => [...codes(row), this.airportNames.at(row), this.cities.at(row)]),
      (number) => this.at(rows[number]!),
    );
  }

  /** All airports, as objects that this table does not store. */
  *all(): Generator<Airport> {
    for (let row = 0; row < this.rows; row += 1) yield this.ready[row] ?? this.made(row);
  }

  private made(row: number): Airport {
    const [icao = '', iata = '', local = ''] = this.codes.map(({ ofRows }) => codeText(ofRows[row]!));
    const city = this.cities.at(row);
    const country = this.countries.at(row);
    const elevationFt = this.elevationsFt[row]!;
    const type = airportTypes[this.types[row]!];
    return {
      ...(icao !== '' && { icao }),
      ...(iata !== '' && { iata }),
      ...(local !== '' && { local }),
      name: this.airportNames.at(row),
      ...(city !== '' && { city }),
      ...(country !== '' && { country }),
      latDeg: this.latsDeg[row]!,
      lonDeg: this.lonsDeg[row]!,
      ...(elevationFt !== NO_ELEVATION && { elevationFt }),
      ...(type !== undefined && { type }),
    };
  }

  private codeOf(row: number): string {
    return codeText(this.codes.find(({ ofRows }) => ofRows[row] !== 0)?.ofRows[row] ?? 0);
  }
}

/**
 * Airports during an import, identified by ICAO code, else IATA code, else local code and country. A later `put` wins, except that absent values
 * never replace others. If an import gives an IATA code to an airport in use, other airports lose that code unless the import gives it to them too.
 */
export class AirportSet {
  private readonly airports = new Map<string, Airport>();
  private readonly iataCodes: CodeHolders;

  constructor(before: Iterable<Airport>) {
    for (const airport of before) this.airports.set(nameOf(airport)!, airport);
    this.iataCodes = new CodeHolders([...this.airports].map(([name, { iata }]) => [iata, name]));
  }

  /** Returns the reason to reject an airport, or null. */
  put(airport: Airport): string | null {
    const { icao, iata, local, latDeg, lonDeg } = airport;
    const name = nameOf(airport);
    if (name === undefined) return 'no code';
    if ([icao, iata, local].some((code) => code !== undefined && codeKey(code) === 0)) return 'not an airport code';
    if (!(Math.abs(latDeg) <= 90 && Math.abs(lonDeg) <= 180)) return 'invalid coordinates';
    const known = this.airports.get(name);
    if (known !== undefined && isExchanged(known, airport)) return 'latitude and longitude exchanged';
    if (airport.type !== 'closed') this.takeIata(iata, name);
    this.airports.set(name, known === undefined ? airport : { ...known, ...airport });
    return null;
  }

  /** Takes an IATA code from its former holders. An airport identified by that code alone is deleted. */
  private takeIata(iata: string | undefined, name: string): void {
    for (const loser of this.iataCodes.give(iata, name)) {
      const { iata: _, ...others } = this.airports.get(loser)!;
      if (others.icao === undefined) this.airports.delete(loser);
      else this.airports.set(loser, others);
    }
  }

  pack(): PackedTable {
    const airports = [...this.airports.values()].sort((a, b) => a.latDeg - b.latDeg);
    const types = airports.map(({ type }) => (type === undefined ? UNKNOWN_TYPE : airportTypes.indexOf(type)));
    const writer = new TableWriter(AIRPORTS, airports.length).numbers('type', Uint8Array.from(types));
    const vectors = airports.map(({ latDeg, lonDeg }) => positionVector(latDeg, lonDeg));
    for (const axis of ['x', 'y', 'z'] as const) writer.numbers(axis, Float64Array.from(vectors.map((vector) => vector[axis])));
    writer.numbers('elevationFt', Int32Array.from(airports.map(({ elevationFt }) => elevationFt ?? NO_ELEVATION)));
    writeRows<Pick<Airport, keyof typeof fields>>(writer, fields, airports);
    for (const name of codeNames) {
      const codes = Float64Array.from(airports.map((airport) => codeKey(airport[name] ?? '')));
      const holders = holdersOf(codes, types);
      const keys = Float64Array.from(holders.keys()).sort();
      const rows = Uint32Array.from(keys, (key) => holders.get(key)!);
      writer.numbers(name, codes).numbers(`${name}.key`, keys).numbers(`${name}.row`, rows);
    }
    return writer.pack();
  }
}

/** Identifier of an airport; undefined if it has no code. */
function nameOf({ icao, iata, local, country = '' }: Airport): string | undefined {
  return icao ?? iata ?? (local === undefined ? undefined : `${country} ${local}`);
}

/** True if latitude and longitude are exchanged compared with the known ones. */
function isExchanged(known: Airport, { latDeg, lonDeg }: Airport): boolean {
  const same = (a: number, b: number): boolean => Math.abs(a - b) < SAME_POSITION_DEG;
  return same(known.latDeg, lonDeg) && same(known.lonDeg, latDeg) && !same(known.latDeg, latDeg);
}

/** Rank of a type, the least first. */
function importance(type: number): number {
  return type === UNKNOWN_TYPE ? airportTypes.indexOf('medium_airport') : type;
}

/** The row that gets each code: the most important, then the southernmost. */
function holdersOf(codes: Float64Array, types: readonly number[]): Map<number, number> {
  const holders = new Map<number, number>();
  const rank = (row: number): number => importance(types[row]!);
  for (const [row, code] of codes.entries()) {
    const holder = holders.get(code);
    if (code !== 0 && (holder === undefined || rank(row) < rank(holder))) holders.set(code, row);
  }
  return holders;
}
