// Writes one listed aircraft as a JSON object into bytes: the fast version of plain.ts; a property test compares the two.
// Members and their order are planned from the field table. The native and the readsb object differ only in their head, so the rest
// is rendered once and copied.
import { fieldNames, type MemberRow, memberFields, sourceKinds } from '../../schemas/aircraft-fields.ts';
import { ABSENT, type ColumnName, categoryNames, columnNames } from './columns.ts';
import { type Decimals, putFixed, putGroup, putInteger, putUnsigned, SLACK_BYTES } from './digits.ts';
import { NON_ICAO_BIT } from './hex-key.ts';
import type { Listing } from './listing.ts';
import { isNativeCategory, nativeType } from './plain.ts';
import { FLIGHT_BYTES } from './table.ts';
import { putText, putWords, type Text, text } from './text.ts';

/** Upper bound of an object: all keys, the longest numbers, both lists with every name, an advisory and an annotation. */
export const OBJECT_BYTES_MAX = 6144 - SLACK_BYTES;

const HEX_START = text('{"hex":"');
const TILDE = 0x7e;
const QUOTE = 0x22;
const CLOSE_BRACE = 0x7d;
/** Three hex digits of 0 to 4095. */
const HEX_DIGITS = Int32Array.from({ length: 4096 }, (_, i) => text(i.toString(16).padStart(3, '0')).words[0]!);

/** Text after the hex, by source. */
const nativeSources = sourceKinds.map((source) => {
  const type = nativeType(source);
  return text(`",${type === undefined ? '' : `"type":"${type}",`}"source":"${source}"`);
});
const readsbSources = sourceKinds.map((source) => text(`","type":"${source}"`));
const UNKNOWN_SOURCE = sourceKinds.indexOf('unknown');
const IN_THE_AIR = text(',"on_ground":false');
const ON_GROUND = text(',"on_ground":true');
const ALTITUDE_GROUND = text(',"alt_baro":"ground"');
const ALTITUDE = text(',"alt_baro":');
const FLIGHT = text(',"flight":"');
const SQUAWK = text(',"squawk":"');
const categories = categoryNames.map((name) => text(`,"category":"${name}"`));
const isNative = categoryNames.map(isNativeCategory);
const SIL_TYPE_UNKNOWN = text(',"sil_type":"unknown"');
const LATITUDE = text(',"lat":');
const LONGITUDE = text(',"lon":');
const LAST_POSITION = text(',"lastPosition":{"lat":');
const NIC = text(',"nic":');
const RC = text(',"rc":');
const SEEN_POSITION = text(',"seen_pos":');
const GPS_OK_BEFORE = text(',"gpsOkBefore":');
const GPS_OK_LATITUDE = text(',"gpsOkLat":');
const GPS_OK_LONGITUDE = text(',"gpsOkLon":');
const NO_LISTS = text(',"mlat":[],"tisb":[]');
const MLAT = text(',"mlat":[');
const TISB = text(',"tisb":[');
const listNames = fieldNames.map((name) => text(`"${name}",`));
const CLOSE_BRACKET = 0x5d;
const SEEN = text(',"seen":');

// Kinds of steps of the tail.
/** Consecutive numbers. */
const NUMBERS = 0;
/** One of a list of texts, selected by the number in the column. */
const CHOICE = 1;
/** Some of a list of texts, selected by the bits in the column. */
const BITS = 2;
const FLIGHT_STEP = 3;
/** Facts of reference data and the route. */
const ANNOTATION = 4;
const ALTITUDE_STEP = 5;
const SQUAWK_STEP = 6;
const CATEGORY = 7;
const POSITION = 8;
const GPS_OK = 9;
const ADVISORY = 10;
const LISTS = 11;
const SEEN_STEP = 12;
/** Nothing: the head, or the step of another member, writes it. */
const NOTHING = 13;

/** Members that are not just the value of their column. */
const specialSteps: { readonly [member: string]: number } = {
  hex: NOTHING,
  type: NOTHING,
  source: NOTHING,
  on_ground: NOTHING,
  flight: FLIGHT_STEP,
  alt_baro: ALTITUDE_STEP,
  squawk: SQUAWK_STEP,
  category: CATEGORY,
  lat: POSITION,
  lon: NOTHING,
  nic: NOTHING,
  rc: NOTHING,
  seen_pos: NOTHING,
  lastPosition: NOTHING,
  gpsOkBefore: GPS_OK,
  gpsOkLat: NOTHING,
  gpsOkLon: NOTHING,
  acas_ra: ADVISORY,
  mlat: LISTS,
  tisb: NOTHING,
  seen: SEEN_STEP,
};

interface NumberField {
  readonly key: Text;
  readonly column: ColumnName;
  readonly decimals: Decimals;
}

interface TailStep {
  readonly step: number;
  readonly numbers: NumberField[];
  /** For CHOICE and BITS: the member's texts by number. */
  readonly texts: readonly Text[];
  readonly column: ColumnName;
}

/** Texts of a member by the number in its column; null when the column is a plain number. An empty text means no member. */
export function choices({ member, type, names, bits }: MemberRow): readonly Text[] | null {
  if (type === 'boolean') return [false, true].map((value) => text(`,"${member}":${value}`));
  // Only the readsb view shows `unknown`, in its head.
  if (names !== undefined) return names.map((name) => text(name === 'unknown' ? '' : `,"${member}":"${name}"`));
  if (bits === undefined) return null;
  const namesOf = (mask: number): string[] => bits.filter((_name, bit) => ((mask >> bit) & 1) === 1);
  return Array.from({ length: 2 ** bits.length }, (_, mask) => text(`,"${member}":${JSON.stringify(namesOf(mask))}`));
}

function specialStep({ member, from }: MemberRow): number | undefined {
  if (from === 'query') return NOTHING;
  return from === 'reference' ? ANNOTATION : specialSteps[member];
}

export function columnOf({ member, name, type }: MemberRow): ColumnName {
  const column = columnNames.find((column) => column === name);
  if (column === undefined || (type !== 'int' && type !== 'boolean')) throw new Error(`no writer for the member ${member}`);
  return column;
}

const tailSteps = planTail();

/** The steps that write all members behind the head. Error: no step can write a member. */
function planTail(): TailStep[] {
  const steps: TailStep[] = [];
  const add = (step: number, column: ColumnName = 'key', texts: readonly Text[] = []): TailStep => {
    const added = { step, numbers: [], texts, column };
    steps.push(added);
    return added;
  };
  for (const row of memberFields) {
    const special = specialStep(row);
    if (special === NOTHING || (special === ANNOTATION && steps.at(-1)?.step === ANNOTATION)) continue;
    if (special !== undefined) {
      add(special);
      continue;
    }
    const column = columnOf(row);
    const texts = choices(row);
    if (texts !== null) add(row.bits === undefined ? CHOICE : BITS, column, texts);
    else {
      const last = steps.at(-1)?.step === NUMBERS ? steps.at(-1)! : add(NUMBERS);
      last.numbers.push({ key: text(`,"${row.member}":`), column, decimals: row.decimals ?? 0 });
    }
  }
  return steps;
}

interface BoundField {
  readonly key: Text;
  readonly values: Int32Array;
  readonly decimals: Decimals;
}

interface BoundStep {
  readonly step: number;
  readonly numbers: readonly BoundField[];
  readonly texts: readonly Text[];
  readonly values: Int32Array;
}

/** A listing's columns for the row writer, collected once per tick, because growth replaces columns. */
export interface RowSource {
  readonly columns: Readonly<Record<ColumnName, Int32Array>>;
  readonly seenMs: Float64Array;
  readonly positionMs: Float64Array;
  readonly gpsOkMs: Float64Array;
  readonly flights: DataView;
  readonly advisories: ReadonlyMap<number, Text>;
  readonly annotationStarts: Int32Array;
  readonly annotationLengths: Int32Array;
  readonly annotationWords: Int32Array;
  readonly tail: readonly BoundStep[];
}

export function rowSource(listing: Listing): RowSource {
  const { columns, seenMs, positionMs, gpsOkMs, flightWords, advisories, annotationStarts, annotationLengths, annotationWords } = listing;
  return {
    columns,
    seenMs,
    positionMs,
    gpsOkMs,
    flights: new DataView(flightWords.buffer),
    advisories,
    annotationStarts,
    annotationLengths,
    annotationWords,
    tail: tailSteps.map(({ step, numbers, texts, column }) => ({
      step,
      numbers: numbers.map(({ key, column, decimals }) => ({ key, values: columns[column], decimals })),
      texts,
      values: columns[column],
    })),
  };
}

/** Writes the start of the native object. Returns the offset after it, where `putTail` continues. */
export function putNativeHead(view: DataView, start: number, { columns }: RowSource, row: number): number {
  const at = putText(view, putHex(view, start, columns.key[row]!), nativeSources[columns.source[row]!] ?? nativeSources[UNKNOWN_SOURCE]!);
  const onGround = columns.onGround[row]!;
  return onGround === ABSENT ? at : putText(view, at, onGround === 1 ? ON_GROUND : IN_THE_AIR);
}

/** Writes the start of the readsb object, with the members that only this view has. A tail from `putTail` follows. */
export function putReadsbHead(view: DataView, start: number, { columns }: RowSource, row: number): number {
  let at = putText(view, putHex(view, start, columns.key[row]!), readsbSources[columns.source[row]!] ?? readsbSources[UNKNOWN_SOURCE]!);
  const category = columns.category[row]!;
  if (category !== ABSENT && !isNative[category]!) at = putText(view, at, categories[category]!);
  return columns.silType[row] === 0 ? putText(view, at, SIL_TYPE_UNKNOWN) : at;
}

/** Writes everything behind the head, including the closing brace. Ages are relative to `nowMs`. */
export function putTail(view: DataView, start: number, source: RowSource, row: number, nowMs: number): number {
  const { tail } = source;
  let at = start;
  for (let i = 0; i < tail.length; i += 1) {
    const { step, numbers, texts, values } = tail[i]!;
    switch (step) {
      case NUMBERS:
        at = putFields(view, at, numbers, row);
        break;
      case CHOICE:
        at = putChoice(view, at, texts, values[row]!);
        break;
      case BITS:
        if (values[row] !== ABSENT) at = putText(view, at, texts[values[row]! & (texts.length - 1)]!);
        break;
      case FLIGHT_STEP:
        at = putFlight(view, at, source, row);
        break;
      case ANNOTATION:
        at = putWords(view, at, source.annotationWords, source.annotationStarts[row]!, source.annotationLengths[row]!);
        break;
      case ALTITUDE_STEP:
        at = putAltitude(view, at, source, row);
        break;
      case SQUAWK_STEP:
        at = putSquawk(view, at, source, row);
        break;
      case CATEGORY:
        at = putCategory(view, at, source, row);
        break;
      case POSITION:
        at = putPosition(view, at, source, row, nowMs);
        break;
      case GPS_OK:
        if (source.gpsOkMs[row]! > 0) at = putGpsOk(view, at, source, row);
        break;
      case ADVISORY:
        at = putAdvisory(view, at, source, row);
        break;
      case LISTS:
        at = putLists(view, at, source, row);
        break;
      case SEEN_STEP:
        at = putFixed(view, putText(view, at, SEEN), Math.floor((Math.max(0, nowMs - source.seenMs[row]!) + 50) / 100), 1);
        break;
    }
  }
  view.setUint8(at, CLOSE_BRACE);
  return at + 1;
}

export function putHex(view: DataView, start: number, key: number): number {
  let at = putText(view, start, HEX_START);
  if ((key & NON_ICAO_BIT) !== 0) {
    view.setUint8(at, TILDE);
    at += 1;
  }
  view.setInt32(at, HEX_DIGITS[(key >> 12) & 0xfff]!, true);
  view.setInt32(at + 3, HEX_DIGITS[key & 0xfff]!, true);
  return at + 6;
}

function putFields(view: DataView, start: number, fields: readonly BoundField[], row: number): number {
  let at = start;
  for (let i = 0; i < fields.length; i += 1) {
    const { key, values, decimals } = fields[i]!;
    const value = values[row]!;
    if (value === ABSENT) continue;
    at = putFixed(view, putText(view, at, key), value, decimals);
  }
  return at;
}

export function putFlight(view: DataView, start: number, { columns, flights }: RowSource, row: number): number {
  const length = columns.flightLength[row]!;
  if (length === 0) return start;
  const at = putText(view, start, FLIGHT);
  const from = row * FLIGHT_BYTES;
  for (let i = 0; i < length; i += 4) view.setInt32(at + i, flights.getInt32(from + i, true), true);
  view.setUint8(at + length, QUOTE);
  return at + length + 1;
}

export function putChoice(view: DataView, at: number, texts: readonly Text[], choice: number): number {
  // ABSENT is negative.
  return choice >= 0 && choice < texts.length ? putText(view, at, texts[choice]!) : at;
}

export function putAltitude(view: DataView, at: number, { columns }: RowSource, row: number): number {
  if (columns.onGround[row] === 1) return putText(view, at, ALTITUDE_GROUND);
  const altitude = columns.altitudeBaroFt[row]!;
  return altitude === ABSENT ? at : putInteger(view, putText(view, at, ALTITUDE), altitude);
}

export function putSquawk(view: DataView, start: number, { columns }: RowSource, row: number): number {
  const squawk = columns.squawk[row]!;
  if (squawk === ABSENT) return start;
  const at = putGroup(view, putText(view, start, SQUAWK), squawk);
  view.setUint8(at, QUOTE);
  return at + 1;
}

export function putCategory(view: DataView, at: number, { columns }: RowSource, row: number): number {
  const category = columns.category[row]!;
  return category !== ABSENT && isNative[category]! ? putText(view, at, categories[category]!) : at;
}

export function putAdvisory(view: DataView, at: number, { advisories }: RowSource, row: number): number {
  const advisory = advisories.size === 0 ? undefined : advisories.get(row);
  return advisory === undefined ? at : putText(view, at, advisory);
}

function putLists(view: DataView, at: number, { columns }: RowSource, row: number): number {
  const mlat = columns.mlatFields[row]!;
  const tisb = columns.tisbFields[row]!;
  return (mlat | tisb) === 0 ? putText(view, at, NO_LISTS) : putList(view, putList(view, at, MLAT, mlat), TISB, tisb);
}

export function putPosition(view: DataView, start: number, source: RowSource, row: number, nowMs: number): number {
  const { columns } = source;
  const positionMs = source.positionMs[row]!;
  if (Number.isNaN(positionMs)) return start;
  const valid = columns.positionValid[row] === 1;
  let at = putFixed(view, putText(view, start, valid ? LATITUDE : LAST_POSITION), columns.latitudeMicrodeg[row]!, 6);
  at = putFixed(view, putText(view, at, LONGITUDE), columns.longitudeMicrodeg[row]!, 6);
  at = putUnsigned(view, putText(view, at, NIC), columns.nic[row]!);
  at = putUnsigned(view, putText(view, at, RC), columns.rcM[row]!);
  at = putFixed(view, putText(view, at, SEEN_POSITION), Math.max(0, nowMs - positionMs), 3);
  if (valid) return at;
  view.setUint8(at, CLOSE_BRACE);
  return at + 1;
}

function putGpsOk(view: DataView, start: number, { columns, gpsOkMs }: RowSource, row: number): number {
  const at = putFixed(view, putText(view, start, GPS_OK_BEFORE), Math.floor((gpsOkMs[row]! + 50) / 100), 1);
  const latitude = columns.gpsOkLatitudeMicrodeg[row]!;
  const longitude = columns.gpsOkLongitudeMicrodeg[row]!;
  if (latitude === ABSENT || longitude === ABSENT) return at;
  return putFixed(view, putText(view, putFixed(view, putText(view, at, GPS_OK_LATITUDE), latitude, 6), GPS_OK_LONGITUDE), longitude, 6);
}

export function putList(view: DataView, start: number, opening: Text, mask: number): number {
  let at = putText(view, start, opening);
  if (mask !== 0) {
    for (let bit = 0; bit < listNames.length; bit += 1) if (((mask >>> bit) & 1) === 1) at = putText(view, at, listNames[bit]!);
    // The bracket replaces the comma of the last name.
    at -= 1;
  }
  view.setUint8(at, CLOSE_BRACKET);
  return at + 1;
}
