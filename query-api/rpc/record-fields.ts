// The one table of a record's fields (message Aircraft of schemas/proto/v1/aircraft.proto): name, number, kind, and how each is read from a row of
// a snapshot. Bytes and objects are derived from it; a test compares it with the .proto file. Columns, scales and names come from the field table.
import { ABSENT, categoryNames } from '../../pipeline/aircraft/columns.ts';
import { keyHex } from '../../pipeline/aircraft/hex-key.ts';
import type { Listing } from '../../pipeline/view/listing.ts';
import { columnOf } from '../../pipeline/view/members.ts';
import { type MemberName, memberFields } from '../../schemas/aircraft-fields.ts';
import { isNativeCategory } from '../../schemas/native-members.ts';

/** One aircraft of a snapshot: the input of every field. Encoders reuse one object for all rows. */
export interface RecordRow {
  listing: Listing;
  /** Number of the aircraft in the listing. */
  index: number;
  /** Time of the snapshot, ms since the Unix epoch. */
  nowMs: number;
  /** Distance from the requested position; NaN without one. */
  distanceNm: number;
}

interface Field {
  /** The name in the .proto file. */
  readonly name: string;
  readonly number: number;
  /** The member of `/v2` with the same value. */
  readonly member: MemberName;
}

export interface TextField extends Field {
  readonly kind: 'string';
  /** Empty when the field is absent. */
  readonly text: (row: RecordRow) => string;
}

export interface NumberField extends Field {
  /** A `bool` is 0 or 1. */
  readonly kind: 'double' | 'int32' | 'bool';
  /** NaN when the field is absent. */
  readonly value: (row: RecordRow) => number;
}

export type RecordField = TextField | NumberField;

const FLIGHT_CHARACTERS = 8;
const FIVE_DIGITS = 10_000;
const MS_PER_DECISECOND = 100;

const shownCategories = categoryNames.map((name) => (isNativeCategory(name) ? name : ''));

/** Facts that are too long are not shown. */
const fact =
  (name: 'registration' | 'typeDesignator'): TextField['text'] =>
  ({ listing, index }) =>
    listing.annotationLengths[index]! > 0 ? (listing.facts[index]?.[name] ?? '') : '';

const airport =
  (name: 'originIata' | 'destinationIata'): TextField['text'] =>
  ({ listing, index }) =>
    listing.annotationLengths[index]! > 0 ? (listing.routes[index]?.[name] ?? '') : '';

/** A number of its column, scaled. */
function scaled(member: MemberName): NumberField['value'] {
  const row = memberFields.find((field) => field.member === member)!;
  const column = columnOf(row);
  const divisor = 10 ** (row.decimals ?? 0);
  return ({ listing, index }) => {
    const value = listing.columns[column][index]!;
    return value === ABSENT ? Number.NaN : value / divisor;
  };
}

/** One of the names of a field. */
function named(member: MemberName): TextField['text'] {
  const row = memberFields.find((field) => field.member === member)!;
  const column = columnOf(row);
  const names = row.names!;
  return ({ listing, index }) => names[listing.columns[column][index]!] ?? '';
}

const latitude = scaled('lat');
const longitude = scaled('lon');
const altitude = scaled('alt_baro');

function squawk({ listing, index }: RecordRow): string {
  const code = listing.columns.squawk[index]!;
  return code === ABSENT ? '' : String(FIVE_DIGITS + code).slice(1);
}

// biome-ignore format: a table
export const recordFields: readonly RecordField[] = [
  { number: 1, name: 'hex', kind: 'string', member: 'hex', text: ({ listing, index }) => keyHex(listing.columns.key[index]!) },
  { number: 2, name: 'flight', kind: 'string', member: 'flight', text: ({ listing, index }) => listing.flights[index]?.slice(0, FLIGHT_CHARACTERS) ?? '' },
  { number: 3, name: 'registration', kind: 'string', member: 'r', text: fact('registration') },
  { number: 4, name: 'aircraft_type', kind: 'string', member: 't', text: fact('typeDesignator') },
  { number: 5, name: 'lat', kind: 'double', member: 'lat', value: (row) => (row.listing.hasPosition(row.index) ? latitude(row) : Number.NaN) },
  { number: 6, name: 'lon', kind: 'double', member: 'lon', value: (row) => (row.listing.hasPosition(row.index) ? longitude(row) : Number.NaN) },
  { number: 7, name: 'alt_baro', kind: 'int32', member: 'alt_baro', value: (row) => (row.listing.columns.onGround[row.index] === 1 ? Number.NaN : altitude(row)) },
  { number: 8, name: 'on_ground', kind: 'bool', member: 'on_ground', value: scaled('on_ground') },
  { number: 9, name: 'alt_geom', kind: 'double', member: 'alt_geom', value: scaled('alt_geom') },
  { number: 10, name: 'ground_speed', kind: 'double', member: 'gs', value: scaled('gs') },
  { number: 11, name: 'track', kind: 'double', member: 'track', value: scaled('track') },
  { number: 12, name: 'squawk', kind: 'string', member: 'squawk', text: squawk },
  { number: 13, name: 'emergency', kind: 'string', member: 'emergency', text: named('emergency') },
  { number: 14, name: 'category', kind: 'string', member: 'category', text: ({ listing, index }) => shownCategories[listing.columns.category[index]!] ?? '' },
  { number: 15, name: 'route_origin', kind: 'string', member: 'route_origin', text: airport('originIata') },
  { number: 16, name: 'route_destination', kind: 'string', member: 'route_dest', text: airport('destinationIata') },
  { number: 17, name: 'seen_seconds', kind: 'double', member: 'seen', value: ({ listing, index, nowMs }) => Math.round(Math.max(0, nowMs - listing.seenMs[index]!) / MS_PER_DECISECOND) / 10 },
  { number: 18, name: 'distance_nm', kind: 'double', member: 'dst', value: ({ distanceNm }) => Math.round(distanceNm * 1000) / 1000 },
];

/** The name of a field in proto JSON: `alt_baro` becomes `altBaro`. */
export function jsonName(name: string): string {
  return name.replace(/_(\w)/g, (_, first: string) => first.toUpperCase());
}
