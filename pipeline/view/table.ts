// The live table: the newest state of every aircraft in columns of scaled integers, found by hex.
// Rows stay where they are for an aircraft's whole life and are reused after it; ABSENT stands for a value that is not known.
import type { AcasAdvisory, AircraftState } from '../../schemas/avro/aircraft-state.ts';
import { limits } from '../../schemas/limits.ts';
import { advisoryObject } from './advisory.ts';
import { type AircraftFacts, type AircraftFactsSource, type AircraftRoute, annotationText } from './facts.ts';
import { hexKey } from './hex-key.ts';
import { asciiOnly, type Text, text } from './text.ts';

/** No value, as in a decoded message. */
export const ABSENT = -0x8000_0000;

/** Key of a row that holds no aircraft. */
export const FREE = -1;

/** Without reference data. */
const NO_FACTS: AircraftFactsSource = { version: 0, facts: () => null };

const FIRST_CAPACITY = 1024;
/** Bytes of a flight: characters that JSON must escape take up to six each. */
export const FLIGHT_BYTES = 48;
const FLIGHT_CHARACTERS = 8;
/** An advisory's member as JSON: twice what the longest one takes. A longer one is none of ours and is not shown. */
const ADVISORY_BYTES_MAX = 1000;

/** Columns of 32-bit integers, named like the field of AircraftState they hold. */
export const columnNames = [
  /** `hexKey` of the aircraft, FREE when the row has none. */
  'key',
  /** Partition whose fold owns the aircraft. */
  'partition',
  'source',
  'messages',
  'rssiDeciDbfs',
  /** 1 while the position is younger than 60 s. */
  'positionValid',
  'latitudeMicrodeg',
  'longitudeMicrodeg',
  'nic',
  'rcM',
  'gpsOkLatitudeMicrodeg',
  'gpsOkLongitudeMicrodeg',
  /** 1 on the ground, 0 in the air. */
  'onGround',
  /** Bytes in use of the row's `flights`; 0 when there is no call sign. */
  'flightLength',
  /** (letter − 'A') · 8 + digit. */
  'category',
  /** The four digits read as a decimal number. */
  'squawk',
  'emergency',
  'altitudeBaroFt',
  'altitudeGeomFt',
  'groundSpeedDeciKt',
  'iasKt',
  'tasKt',
  'machMilli',
  'trackCentideg',
  'calcTrackDeg',
  'trackRateCentidegPerS',
  'rollCentideg',
  'magHeadingCentideg',
  'trueHeadingCentideg',
  'baroRateFpm',
  'geomRateFpm',
  'navQnhDeciHpa',
  'navAltitudeMcpFt',
  'navAltitudeFmsFt',
  'navHeadingCentideg',
  'navModes',
  'version',
  'nicBaro',
  'nacP',
  'nacV',
  'sil',
  'silType',
  'gva',
  'sda',
  'alert',
  'spi',
  'windDirectionDeg',
  'windSpeedKt',
  'oatC',
  'tatC',
  'mlatFields',
  'tisbFields',
] as const;
export type ColumnName = (typeof columnNames)[number];

export class LiveTable {
  readonly columns: Record<ColumnName, Int32Array>;
  /** Event time of the last message, ms since the Unix epoch. */
  seenMs = new Float64Array(FIRST_CAPACITY);
  /** Event time of the last reliable position; NaN when there never was one. */
  positionMs = new Float64Array(FIRST_CAPACITY);
  /** While satellite navigation is lost: event time of the last position with good accuracy; NaN otherwise. */
  gpsOkMs = new Float64Array(FIRST_CAPACITY);
  /** FLIGHT_BYTES per row: the call sign as it stands inside a JSON string. */
  flights: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_CAPACITY * FLIGHT_BYTES);
  /** `,"acas_ra":{…}` of the few rows that have an advisory. */
  readonly advisories = new Map<number, Text>();
  /** Call signs as they were sent, 8 characters. */
  readonly flightTexts: (string | null)[] = [];
  /** What reference data tell of each row's aircraft. */
  readonly facts: (AircraftFacts | null)[] = [];
  /** Routes that are believed. */
  readonly routes: (AircraftRoute | null)[] = [];
  /** Facts and route as members of the aircraft object. */
  readonly annotations: (Text | undefined)[] = [];
  /** Rows below this one were used at least once. */
  highWater = 0;
  private readonly rowByKey = new Map<number, number>();
  private readonly freeRows: number[] = [];
  private readonly factsSource: AircraftFactsSource;
  private factsVersion: number;
  /** Rows below this one have the facts of that version, or got their aircraft since. */
  private refreshedRows = Number.POSITIVE_INFINITY;

  constructor(factsSource: AircraftFactsSource = NO_FACTS) {
    this.factsSource = factsSource;
    this.factsVersion = factsSource.version;
    this.columns = Object.fromEntries(columnNames.map((name) => [name, new Int32Array(FIRST_CAPACITY)])) as Record<ColumnName, Int32Array>;
  }

  /** Number of aircraft. */
  get size(): number {
    return this.rowByKey.size;
  }

  /** Row of an aircraft, −1 when there is none of this hex. */
  rowOf(hex: string): number {
    return this.rowByKey.get(hexKey(hex)) ?? -1;
  }

  /** Puts the newest state of an aircraft in place of the one before. A hex that is none is refused: false. */
  applyState(state: AircraftState, partition = 0): boolean {
    const key = hexKey(state.hex);
    if (key < 0) return false;
    const row = this.rowByKey.get(key) ?? this.addRow(key);
    this.columns.partition[row] = partition;
    this.putIdentity(row, state);
    this.putMotion(row, state);
    this.putGpsOk(row, state);
    this.putAvionics(row, state);
    this.putAdvisory(row, state.acasRa);
    return true;
  }

  /** Forgets an aircraft; false when there is none. */
  remove(hex: string): boolean {
    const key = hexKey(hex);
    const row = this.rowByKey.get(key);
    if (row === undefined) return false;
    this.rowByKey.delete(key);
    this.columns.key[row] = FREE;
    this.freeRows.push(row);
    return true;
  }

  /** Forgets all aircraft of a partition, before its topic is read again from the start. */
  clearPartition(partition: number): void {
    const { key, partition: owner } = this.columns;
    for (let row = 0; row < this.highWater; row += 1) {
      if (key[row] === FREE || owner[row] !== partition) continue;
      this.rowByKey.delete(key[row]!);
      key[row] = FREE;
      this.freeRows.push(row);
    }
  }

  /** Looks aircraft up again where reference data were loaded since the last time: a part of them per call, as all at once would hold up requests. */
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

  /** Sets the route of a row's flight, or takes it away. */
  putRoute(row: number, route: AircraftRoute | null): void {
    if (this.routes[row] === route) return;
    this.routes[row] = route;
    this.annotate(row);
  }

  private annotate(row: number): void {
    this.annotations[row] = annotationText(this.facts[row]!, this.routes[row]!);
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
    this.seenMs = grown(this.seenMs, new Float64Array(capacity));
    this.positionMs = grown(this.positionMs, new Float64Array(capacity));
    this.gpsOkMs = grown(this.gpsOkMs, new Float64Array(capacity));
    this.flights = grown(this.flights, new Uint8Array(capacity * FLIGHT_BYTES));
  }

  private putIdentity(row: number, state: AircraftState): void {
    const { columns } = this;
    columns.source[row] = state.source;
    columns.messages[row] = state.messages;
    columns.rssiDeciDbfs[row] = state.rssiDeciDbfs;
    columns.squawk[row] = state.squawk === null ? ABSENT : Number(state.squawk);
    columns.emergency[row] = state.emergency ?? ABSENT;
    columns.category[row] = state.category === null ? ABSENT : categoryCode(state.category);
    columns.mlatFields[row] = state.mlatFields | 0;
    columns.tisbFields[row] = state.tisbFields | 0;
    this.seenMs[row] = state.seenMs;
    if (state.flight !== this.flightTexts[row]) this.putFlight(row, state.flight);
  }

  private putFlight(row: number, flight: string | null): void {
    this.flightTexts[row] = flight;
    const bytes = Buffer.from(flight === null ? '' : asciiJson(flight.slice(0, FLIGHT_CHARACTERS)));
    this.flights.set(bytes, row * FLIGHT_BYTES);
    this.columns.flightLength[row] = bytes.length;
  }

  private putAdvisory(row: number, advisory: AcasAdvisory | null): void {
    if (advisory === null) {
      if (this.advisories.size > 0) this.advisories.delete(row);
      return;
    }
    const json = asciiOnly(`,"acas_ra":${JSON.stringify(advisoryObject(advisory))}`);
    if (json.length <= ADVISORY_BYTES_MAX) this.advisories.set(row, text(json));
  }

  private putMotion(row: number, state: AircraftState): void {
    const { columns } = this;
    const located = state.positionMs !== null && state.latitudeMicrodeg !== null && state.longitudeMicrodeg !== null;
    this.positionMs[row] = located ? state.positionMs! : Number.NaN;
    columns.positionValid[row] = located && state.positionValid ? 1 : 0;
    columns.latitudeMicrodeg[row] = state.latitudeMicrodeg ?? ABSENT;
    columns.longitudeMicrodeg[row] = state.longitudeMicrodeg ?? ABSENT;
    columns.nic[row] = state.nic ?? 0;
    columns.rcM[row] = state.rcM ?? 0;
    columns.onGround[row] = state.onGround === null ? ABSENT : Number(state.onGround);
    columns.altitudeBaroFt[row] = state.altitudeBaroFt ?? ABSENT;
    columns.altitudeGeomFt[row] = state.altitudeGeomFt ?? ABSENT;
    columns.groundSpeedDeciKt[row] = state.groundSpeedDeciKt ?? ABSENT;
    columns.iasKt[row] = state.iasKt ?? ABSENT;
    columns.tasKt[row] = state.tasKt ?? ABSENT;
    columns.machMilli[row] = state.machMilli ?? ABSENT;
    columns.trackCentideg[row] = state.trackCentideg ?? ABSENT;
    columns.calcTrackDeg[row] = state.calcTrackDeg ?? ABSENT;
    columns.trackRateCentidegPerS[row] = state.trackRateCentidegPerS ?? ABSENT;
    columns.rollCentideg[row] = state.rollCentideg ?? ABSENT;
    columns.magHeadingCentideg[row] = state.magHeadingCentideg ?? ABSENT;
    columns.trueHeadingCentideg[row] = state.trueHeadingCentideg ?? ABSENT;
    columns.baroRateFpm[row] = state.baroRateFpm ?? ABSENT;
    columns.geomRateFpm[row] = state.geomRateFpm ?? ABSENT;
  }

  private putGpsOk(row: number, state: AircraftState): void {
    this.gpsOkMs[row] = state.gpsOkMs ?? Number.NaN;
    this.columns.gpsOkLatitudeMicrodeg[row] = state.gpsOkLatitudeMicrodeg ?? ABSENT;
    this.columns.gpsOkLongitudeMicrodeg[row] = state.gpsOkLongitudeMicrodeg ?? ABSENT;
  }

  private putAvionics(row: number, state: AircraftState): void {
    const { columns } = this;
    columns.navQnhDeciHpa[row] = state.navQnhDeciHpa ?? ABSENT;
    columns.navAltitudeMcpFt[row] = state.navAltitudeMcpFt ?? ABSENT;
    columns.navAltitudeFmsFt[row] = state.navAltitudeFmsFt ?? ABSENT;
    columns.navHeadingCentideg[row] = state.navHeadingCentideg ?? ABSENT;
    columns.navModes[row] = state.navModes ?? ABSENT;
    columns.version[row] = state.version ?? ABSENT;
    columns.nicBaro[row] = state.nicBaro ?? ABSENT;
    columns.nacP[row] = state.nacP ?? ABSENT;
    columns.nacV[row] = state.nacV ?? ABSENT;
    columns.sil[row] = state.sil ?? ABSENT;
    columns.silType[row] = state.silType ?? ABSENT;
    columns.gva[row] = state.gva ?? ABSENT;
    columns.sda[row] = state.sda ?? ABSENT;
    columns.alert[row] = state.alert ?? ABSENT;
    columns.spi[row] = state.spi ?? ABSENT;
    columns.windDirectionDeg[row] = state.windDirectionDeg ?? ABSENT;
    columns.windSpeedKt[row] = state.windSpeedKt ?? ABSENT;
    columns.oatC[row] = state.oatC ?? ABSENT;
    columns.tatC[row] = state.tatC ?? ABSENT;
  }
}

/** `A3` → 3, `B0` → 8; ABSENT for anything but A0 to D7. */
export function categoryCode(category: string): number {
  const letter = category.charCodeAt(0) - 0x41;
  const digit = category.charCodeAt(1) - 0x30;
  return category.length === 2 && letter >= 0 && letter < 4 && digit >= 0 && digit < 8 ? letter * 8 + digit : ABSENT;
}

/** The inside of a JSON string. */
function asciiJson(characters: string): string {
  return asciiOnly(JSON.stringify(characters).slice(1, -1));
}

function grown<Column extends Int32Array | Float64Array | Uint8Array>(old: Column, column: Column): Column {
  column.set(old);
  return column;
}
