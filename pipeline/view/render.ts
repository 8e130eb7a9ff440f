// Writes one listed aircraft as a JSON object into bytes: the fast twin of plain.ts, which a property test holds it to.
// The native and the readsb object differ only at their head, so that everything behind it is rendered once and copied.
import { emergencyNames, fieldNames, navModeNames, silTypeNames, sourceKinds } from '../../schemas/avro/aircraft-state.ts';
import { ABSENT, type ColumnName } from './columns.ts';
import { type Decimals, putFixed, putGroup, putInteger, putUnsigned, SLACK_BYTES } from './digits.ts';
import { NON_ICAO_BIT } from './hex-key.ts';
import type { Listing } from './listing.ts';
import { isNativeCategory, nativeType } from './plain.ts';
import { FLIGHT_BYTES } from './table.ts';
import { putText, putWords, type Text, text } from './text.ts';

/** No object is longer: all keys, the longest numbers, both lists with every name, an advisory and an annotation. */
export const OBJECT_BYTES_MAX = 6144 - SLACK_BYTES;

interface NumberField {
  readonly key: Text;
  readonly column: ColumnName;
  readonly decimals: Decimals;
}

const field = (name: string, column: ColumnName, decimals: Decimals = 0): NumberField => ({ key: text(`,"${name}":`), column, decimals });

const motionFields = [
  field('alt_geom', 'altitudeGeomFt'),
  field('gs', 'groundSpeedDeciKt', 1),
  field('ias', 'iasKt'),
  field('tas', 'tasKt'),
  field('mach', 'machMilli', 3),
  field('wd', 'windDirectionDeg'),
  field('ws', 'windSpeedKt'),
  field('oat', 'oatC'),
  field('tat', 'tatC'),
  field('track', 'trackCentideg', 2),
  field('calc_track', 'calcTrackDeg'),
  field('track_rate', 'trackRateCentidegPerS', 2),
  field('roll', 'rollCentideg', 2),
  field('mag_heading', 'magHeadingCentideg', 2),
  field('true_heading', 'trueHeadingCentideg', 2),
  field('baro_rate', 'baroRateFpm'),
  field('geom_rate', 'geomRateFpm'),
];
const navigationFields = [
  field('nav_qnh', 'navQnhDeciHpa', 1),
  field('nav_altitude_mcp', 'navAltitudeMcpFt'),
  field('nav_altitude_fms', 'navAltitudeFmsFt'),
  field('nav_heading', 'navHeadingCentideg', 2),
];
const qualityFields = [
  field('version', 'version'),
  field('nic_baro', 'nicBaro'),
  field('nac_p', 'nacP'),
  field('nac_v', 'nacV'),
  field('sil', 'sil'),
];
const statusFields = [field('gva', 'gva'), field('sda', 'sda'), field('alert', 'alert'), field('spi', 'spi')];

const HEX_START = text('{"hex":"');
const TILDE = 0x7e;
const QUOTE = 0x22;
const CLOSE_BRACE = 0x7d;
/** Three hex digits of 0 to 4095. */
const HEX_DIGITS = Int32Array.from({ length: 4096 }, (_, i) => text(i.toString(16).padStart(3, '0')).words[0]!);

/** What follows the hex, by source. */
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
const emergencies = emergencyNames.map((name) => text(`,"emergency":"${name}"`));
const categoryNames = Array.from({ length: 32 }, (_, code) => String.fromCharCode(0x41 + (code >> 3), 0x30 + (code & 7)));
const categories = categoryNames.map((name) => text(`,"category":"${name}"`));
const isNative = categoryNames.map(isNativeCategory);
const silTypes = silTypeNames.map((name) => text(`,"sil_type":"${name}"`));
const navModes = Array.from({ length: 2 ** navModeNames.length }, (_, mask) =>
  text(`,"nav_modes":${JSON.stringify(navModeNames.filter((_name, bit) => ((mask >> bit) & 1) === 1))}`),
);
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
const MESSAGES = text(',"messages":');
const SEEN = text(',"seen":');
const RSSI = text(',"rssi":');

interface BoundField {
  readonly key: Text;
  readonly values: Int32Array;
  readonly decimals: Decimals;
}

/** A listing's columns as the writer of rows wants them, taken once per tick: growth replaces columns. */
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
  readonly motion: readonly BoundField[];
  readonly navigation: readonly BoundField[];
  readonly quality: readonly BoundField[];
  readonly status: readonly BoundField[];
}

export function rowSource(listing: Listing): RowSource {
  const { columns, seenMs, positionMs, gpsOkMs, flightWords, advisories, annotationStarts, annotationLengths, annotationWords } = listing;
  const bind = (fields: readonly NumberField[]): BoundField[] =>
    fields.map(({ key, column, decimals }) => ({ key, values: columns[column], decimals }));
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
    motion: bind(motionFields),
    navigation: bind(navigationFields),
    quality: bind(qualityFields),
    status: bind(statusFields),
  };
}

/** Writes the start of the native object. Returns the offset after it; `putTail` goes on there. */
export function putNativeHead(view: DataView, start: number, { columns }: RowSource, row: number): number {
  const at = putText(view, putHex(view, start, columns.key[row]!), nativeSources[columns.source[row]!] ?? nativeSources[UNKNOWN_SOURCE]!);
  const onGround = columns.onGround[row]!;
  return onGround === ABSENT ? at : putText(view, at, onGround === 1 ? ON_GROUND : IN_THE_AIR);
}

/** Writes the start of the readsb object, with the members that only this view has. A tail written by `putTail` goes behind it. */
export function putReadsbHead(view: DataView, start: number, { columns }: RowSource, row: number): number {
  let at = putText(view, putHex(view, start, columns.key[row]!), readsbSources[columns.source[row]!] ?? readsbSources[UNKNOWN_SOURCE]!);
  const category = columns.category[row]!;
  if (category !== ABSENT && !isNative[category]!) at = putText(view, at, categories[category]!);
  return columns.silType[row] === 0 ? putText(view, at, silTypes[0]!) : at;
}

/** Writes everything behind the head, the closing brace included. Ages are relative to `nowMs`. */
export function putTail(view: DataView, start: number, source: RowSource, row: number, nowMs: number): number {
  const { columns } = source;
  let at = putFlight(view, start, source, row);
  at = putWords(view, at, source.annotationWords, source.annotationStarts[row]!, source.annotationLengths[row]!);
  if (columns.onGround[row] === 1) at = putText(view, at, ALTITUDE_GROUND);
  else if (columns.altitudeBaroFt[row] !== ABSENT) at = putInteger(view, putText(view, at, ALTITUDE), columns.altitudeBaroFt[row]!);
  at = putFields(view, at, source.motion, row);
  at = putCodes(view, at, source, row);
  at = putFields(view, at, source.navigation, row);
  const modes = columns.navModes[row]!;
  if (modes !== ABSENT) at = putText(view, at, navModes[modes & (navModes.length - 1)]!);
  at = putPosition(view, at, source, row, nowMs);
  if (source.gpsOkMs[row]! > 0) at = putGpsOk(view, at, source, row);
  at = putFields(view, at, source.quality, row);
  const silType = columns.silType[row]!;
  if (silType > 0 && silType < silTypes.length) at = putText(view, at, silTypes[silType]!);
  at = putFields(view, at, source.status, row);
  const advisory = source.advisories.size === 0 ? undefined : source.advisories.get(row);
  if (advisory !== undefined) at = putText(view, at, advisory);
  const mlat = columns.mlatFields[row]!;
  const tisb = columns.tisbFields[row]!;
  at = (mlat | tisb) === 0 ? putText(view, at, NO_LISTS) : putList(view, putList(view, at, MLAT, mlat), TISB, tisb);
  at = putInteger(view, putText(view, at, MESSAGES), columns.messages[row]!);
  const ageMs = Math.max(0, nowMs - source.seenMs[row]!);
  at = putFixed(view, putText(view, at, SEEN), Math.floor((ageMs + 50) / 100), 1);
  at = putFixed(view, putText(view, at, RSSI), columns.rssiDeciDbfs[row]!, 1);
  view.setUint8(at, CLOSE_BRACE);
  return at + 1;
}

function putHex(view: DataView, start: number, key: number): number {
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

function putFlight(view: DataView, start: number, { columns, flights }: RowSource, row: number): number {
  const length = columns.flightLength[row]!;
  if (length === 0) return start;
  const at = putText(view, start, FLIGHT);
  const from = row * FLIGHT_BYTES;
  for (let i = 0; i < length; i += 4) view.setInt32(at + i, flights.getInt32(from + i, true), true);
  view.setUint8(at + length, QUOTE);
  return at + length + 1;
}

function putCodes(view: DataView, start: number, { columns }: RowSource, row: number): number {
  let at = start;
  const squawk = columns.squawk[row]!;
  if (squawk !== ABSENT) {
    at = putGroup(view, putText(view, at, SQUAWK), squawk);
    view.setUint8(at, QUOTE);
    at += 1;
  }
  const emergency = columns.emergency[row]!;
  if (emergency !== ABSENT && emergency < emergencies.length) at = putText(view, at, emergencies[emergency]!);
  const category = columns.category[row]!;
  return category !== ABSENT && isNative[category]! ? putText(view, at, categories[category]!) : at;
}

function putPosition(view: DataView, start: number, source: RowSource, row: number, nowMs: number): number {
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

function putList(view: DataView, start: number, opening: Text, mask: number): number {
  let at = putText(view, start, opening);
  if (mask !== 0) {
    for (let bit = 0; bit < listNames.length; bit += 1) if (((mask >>> bit) & 1) === 1) at = putText(view, at, listNames[bit]!);
    // The last name's comma becomes the bracket.
    at -= 1;
  }
  view.setUint8(at, CLOSE_BRACKET);
  return at + 1;
}
