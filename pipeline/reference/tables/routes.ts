// Routes by call sign: the airports of a scheduled flight in order. Call signs and airports are stored as numbers, about 16 bytes a route.
import { limits } from '../../../schemas/limits/index.ts';
import { codeKey, codeText } from '../store/code-key.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter } from '../store/columns.ts';
import { rowOf } from '../store/sorted.ts';

export const ROUTES = 'routes';

export class RouteTable {
  readonly rows: number;
  private readonly callsigns: Float64Array;
  /** End of each route's stops in `stops`. */
  private readonly ends: Uint32Array;
  /** Indexes into `airports`. */
  private readonly stops: Uint16Array;
  private readonly airports: Float64Array;

  constructor(table: ColumnTable) {
    const reader = new TableReader(table);
    this.rows = reader.rows;
    this.callsigns = reader.numbers('callsign', 'f64');
    this.ends = reader.numbers('end', 'u32');
    this.stops = reader.numbersOfAnyLength('stop', 'u16');
    this.airports = reader.numbersOfAnyLength('airport', 'f64');
  }

  /** Airport codes of a call sign, in either case. */
  find(callsign: string): readonly string[] | undefined {
    const key = codeKey(callsign.trimEnd());
    const row = key === 0 ? -1 : rowOf(this.callsigns, key);
    return row < 0 ? undefined : this.stopsOf(row);
  }

  callsignAt(row: number): string {
    return codeText(this.callsigns[row]!);
  }

  stopsOf(row: number): readonly string[] {
    const stops: string[] = [];
    for (let i = row === 0 ? 0 : this.ends[row - 1]!; i < this.ends[row]!; i += 1) stops.push(codeText(this.airports[this.stops[i]!]!));
    return stops;
  }
}

/** Routes during an import; a later `put` wins. */
export class RouteSet {
  private readonly stopsByCallsign = new Map<number, readonly number[]>();
  /** Number of an airport by its key, in order of first use. */
  private readonly airports = new Map<number, number>();

  constructor(before?: RouteTable) {
    if (before === undefined) return;
    for (let row = 0; row < before.rows; row += 1) this.put(before.callsignAt(row), before.stopsOf(row));
  }

  /** Returns the reason to reject a route, or null. */
  put(callsign: string, stops: readonly string[]): string | null {
    const key = codeKey(callsign);
    if (key === 0) return 'not a call sign';
    if (stops.length < 2) return 'fewer than two airports';
    if (stops.length > limits.referenceRouteStopsMax) return `more than ${limits.referenceRouteStopsMax} airports`;
    const numbers = stops.map((stop) => this.airportNumber(codeKey(stop)));
    if (numbers.includes(-1)) return 'not an airport code';
    this.stopsByCallsign.set(key, numbers);
    return null;
  }

  pack(): PackedTable {
    const callsigns = Float64Array.from(this.stopsByCallsign.keys()).sort();
    const ends = new Uint32Array(callsigns.length);
    const stops: number[] = [];
    for (let row = 0; row < callsigns.length; row += 1) {
      stops.push(...this.stopsByCallsign.get(callsigns[row]!)!);
      ends[row] = stops.length;
    }
    return new TableWriter(ROUTES, callsigns.length)
      .numbers('callsign', callsigns)
      .numbers('end', ends)
      .numbers('stop', Uint16Array.from(stops))
      .numbers('airport', Float64Array.from(this.airports.keys()))
      .pack();
  }

  private airportNumber(key: number): number {
    if (key === 0) return -1;
    const known = this.airports.get(key);
    if (known !== undefined) return known;
    // Numbers have 16 bits, enough for all airports with scheduled flights.
    if (this.airports.size > 0xffff) return -1;
    this.airports.set(key, this.airports.size);
    return this.airports.size - 1;
  }
}
