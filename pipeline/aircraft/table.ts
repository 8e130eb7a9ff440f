// The live table: the newest state of every aircraft in columns of scaled integers, found by hex.
// A row keeps its number for an aircraft's whole life and is reused after it; ABSENT stands for an unknown value.
import { type AcasAdvisory, type AircraftState, aircraftStateSchema } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits/index.ts';
import { avroType } from '../log/avro.ts';
import { advisoryObject } from './advisory.ts';
import { type ColumnName, columnNames, FREE } from './columns.ts';
import { type AircraftFacts, type AircraftFactsSource, type AircraftRoute, annotationText } from './facts.ts';
import { hexKey } from './hex-key.ts';
import { cellNames, GPS_OK_TIME, KEY_CELL, POSITION_TIME, SEEN_TIME, StateReader } from './state-reader.ts';
import { asciiOnly, isText, type Text, text, textBefore } from './text.ts';
import { TextPool } from './text-pool.ts';

/** Without reference data. */
const NO_FACTS: AircraftFactsSource = { version: 0, facts: () => null };

const FIRST_CAPACITY = 1024;
/** Bytes per flight: characters that JSON must escape take up to six each. */
export const FLIGHT_BYTES = 48;
const FLIGHT_CHARACTERS = 8;

/** Decodes values of this schema and of its other versions. */
export interface StateCodec {
  bodyStart(bytes: Uint8Array, start?: number, end?: number): number;
  decode(value: Uint8Array): AircraftState;
}

const stateType = avroType(aircraftStateSchema);

export class LiveTable {
  readonly columns: Record<ColumnName, Int32Array>;
  /** Event time of the last message, ms since the Unix epoch. */
  seenMs = new Float64Array(FIRST_CAPACITY);
  /** Event time of the last reliable position; NaN without one. */
  positionMs = new Float64Array(FIRST_CAPACITY);
  /** While satellite navigation is lost: event time of the last position with good accuracy; NaN otherwise. */
  gpsOkMs = new Float64Array(FIRST_CAPACITY);
  /** FLIGHT_BYTES per row: the call sign as in a JSON string. */
  flights: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY * FLIGHT_BYTES);
  /** `,"acas_ra":{…}` of the few rows that have an advisory. */
  readonly advisories = new Map<number, Text>();
  /** Call signs as sent, 8 characters. */
  readonly flightTexts: (string | null)[] = [];
  /** Facts of reference data for each row's aircraft. */
  readonly facts: (AircraftFacts | null)[] = [];
  /** Plausible routes. */
  readonly routes: (AircraftRoute | null)[] = [];
  /** Facts and route as members of the aircraft object. */
  readonly annotations = new TextPool();
  /** Rows below this one were used at least once. */
  highWater = 0;
  private readonly reader = new StateReader();
  /** The columns for a state's cells. */
  private cellColumns: Int32Array[];
  private readonly rowByKey = new Map<number, number>();
  private readonly freeRows: number[] = [];
  private readonly factsSource: AircraftFactsSource;
  private factsVersion: number;
  /** Rows below this one have the current facts, or got their aircraft since. */
  private refreshedRows = Number.POSITIVE_INFINITY;

  constructor(factsSource: AircraftFactsSource = NO_FACTS) {
    this.factsSource = factsSource;
    this.factsVersion = factsSource.version;
    this.columns = Object.fromEntries(columnNames.map((name) => [name, new Int32Array(FIRST_CAPACITY)])) as Record<ColumnName, Int32Array>;
    this.cellColumns = cellNames.map((name) => this.columns[name]);
  }

  /** Number of aircraft. */
  get size(): number {
    return this.rowByKey.size;
  }

  hasKey(key: number): boolean {
    return this.rowByKey.has(key);
  }

  /** Row of an aircraft, −1 when this hex has none. */
  rowOf(hex: string): number {
    return this.rowByKey.get(hexKey(hex)) ?? -1;
  }

  /**
   * Replaces the state of an aircraft by a newer one, a value of the aircraft topic: all bytes, or some of them.
   * False, without any change, when its hex is invalid. Errors, only for other versions of the schema and advisories: those of `decode`.
   */
  applyValue(codec: StateCodec, bytes: Uint8Array, partition = 0, start = 0, end = bytes.length): boolean {
    const body = codec.bodyStart(bytes, start, end);
    return (
      (body >= 0 && this.applyBody(bytes, body, end, partition) >= 0) ||
      this.applyState(codec.decode(bytes.subarray(start, end)), partition)
    );
  }

  /** The same for a state as an object. */
  applyState(state: AircraftState, partition = 0): boolean {
    const { acasRa } = state;
    const advisory = acasRa === null ? null : advisoryText(acasRa);
    const body = stateType.toBuffer(acasRa === null ? state : { ...state, acasRa: null });
    const row = this.applyBody(body, 0, body.length, partition);
    if (row >= 0 && advisory !== null) this.advisories.set(row, advisory);
    return row >= 0;
  }

  /** Removes an aircraft; false when there is none. */
  remove(hex: string): boolean {
    const key = hexKey(hex);
    const row = this.rowByKey.get(key);
    if (row === undefined) return false;
    this.rowByKey.delete(key);
    this.columns.key[row] = FREE;
    this.freeRows.push(row);
    return true;
  }

  /** Removes all aircraft of a partition, before its topic is read again from the start. */
  clearPartition(partition: number): void {
    const { key, partition: owner } = this.columns;
    for (let row = 0; row < this.highWater; row += 1) {
      if (key[row] === FREE || owner[row] !== partition) continue;
      this.rowByKey.delete(key[row]!);
      key[row] = FREE;
      this.freeRows.push(row);
    }
  }

  /** Looks up aircraft again after reference data were loaded: a part of them per call, because all at once would delay requests. */
  refreshFacts(): void {
    if (this.factsVersion !== this.factsSource.version) {
      this.factsVersion = this.factsSource.version;
      this.refreshedRows = 0;
    }
    const end = Math.min(this.highWater, this.refreshedRows + limits.factsRefreshedPerTickMax);
    for (; this.refreshedRows < end; this.refreshedRows += 1) {
      const row = this.refreshedRows;
      if (this.columns.key[row] === FREE) continue;
      this.facts[row] = this.factsSource.facts(this.columns.key[row]!);
      this.annotate(row);
    }
  }

  /** Sets or removes the route of a row's flight. */
  putRoute(row: number, route: AircraftRoute | null): void {
    if (this.routes[row] === route) return;
    this.routes[row] = route;
    this.annotate(row);
  }

  private annotate(row: number): void {
    this.annotations.put(row, annotationText(this.facts[row]!, this.routes[row]!));
  }

  private addRow(key: number): number {
    const row = this.freeRows.pop() ?? this.highWater;
    if (row === this.highWater) {
      if (row === this.seenMs.length) this.grow();
      this.highWater += 1;
    }
    this.rowByKey.set(key, row);
    this.columns.key[row] = key;
    this.flightTexts[row] = null;
    this.columns.flightLength[row] = 0;
    this.advisories.delete(row);
    this.facts[row] = this.factsSource.facts(key);
    this.routes[row] = null;
    this.annotate(row);
    return row;
  }

  private grow(): void {
    const capacity = 2 * this.seenMs.length;
    for (const name of columnNames) this.columns[name] = grown(this.columns[name], new Int32Array(capacity));
    this.cellColumns = cellNames.map((name) => this.columns[name]);
    this.seenMs = grown(this.seenMs, new Float64Array(capacity));
    this.positionMs = grown(this.positionMs, new Float64Array(capacity));
    this.gpsOkMs = grown(this.gpsOkMs, new Float64Array(capacity));
    this.flights = grown(this.flights, new Uint8Array(capacity * FLIGHT_BYTES));
  }

  /** Takes the state whose Avro body is the bytes from `from` to `end`. Returns its row; −1, without any change, when StateReader does not read it. */
  private applyBody(bytes: Uint8Array, from: number, end: number, partition: number): number {
    const { reader } = this;
    if (!reader.read(bytes, from, end)) return -1;
    const { cells, times, flightEnd, flightLength } = reader;
    const key = cells[KEY_CELL]!;
    const row = this.rowByKey.get(key) ?? this.addRow(key);
    const { cellColumns } = this;
    for (let i = 0; i < cells.length; i += 1) cellColumns[i]![row] = cells[i]!;
    this.columns.partition[row] = partition;
    this.seenMs[row] = times[SEEN_TIME]!;
    this.positionMs[row] = times[POSITION_TIME]!;
    this.gpsOkMs[row] = times[GPS_OK_TIME]!;
    if (!isText(this.flightTexts[row]!, bytes, flightEnd, flightLength)) this.putFlight(row, textBefore(bytes, flightEnd, flightLength));
    if (this.advisories.size > 0) this.advisories.delete(row);
    return row;
  }

  private putFlight(row: number, flight: string | null): void {
    this.flightTexts[row] = flight;
    const bytes = Buffer.from(flight === null ? '' : asciiJson(flight.slice(0, FLIGHT_CHARACTERS)));
    this.flights.set(bytes, row * FLIGHT_BYTES);
    this.columns.flightLength[row] = bytes.length;
  }
}

/** null when it is too long. */
function advisoryText(advisory: AcasAdvisory): Text | null {
  const json = asciiOnly(`,"acas_ra":${JSON.stringify(advisoryObject(advisory))}`);
  return json.length <= limits.advisoryBytesMax ? text(json) : null;
}

/** The inside of a JSON string. */
function asciiJson(characters: string): string {
  return asciiOnly(JSON.stringify(characters).slice(1, -1));
}

function grown<Column extends Int32Array | Float64Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
