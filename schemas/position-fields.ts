// The one table of a position's fields. The Avro schema of the positions topic, the reader of its values, the columns of the history store and those that the daily file is
// made from are derived from it. schemas/README.md says how to add one.
//
// The order of the rows is that of the Avro record: it is fixed for ever, and a new field comes last. A field of an aircraft has the same name, unit and range here.
import { COUNTS_UP, type Column, fieldColumn, icao24, NOISY_STEPS, plain, REPEATS } from './clickhouse/columns.ts';

export interface PositionField {
  readonly name: string;
  /** Avro type. */
  readonly type: 'string' | 'long' | 'int' | 'boolean';
  /** May be unknown: null. */
  readonly isOptional?: true;
  /** Description in the Avro schema. */
  readonly doc?: string;
  /** An earlier version of the schema has no such field: its value is null there. */
  readonly isAdded?: true;
  readonly column: Column;
  /** Number of the step that adds the column to an existing table (clickhouse/ddl.ts); the others came with the table. */
  readonly step?: number;
}

// biome-ignore format: a table
export const positionFields = [
  { name: 'hex', type: 'string', doc: 'ICAO address, 6 lower-case hex digits, ~ before a non-ICAO address', column: icao24 },
  { name: 'timeUs', type: 'long', doc: 'event time, microseconds since the Unix epoch',
    column: plain('time', "DateTime64(6, 'UTC')", 'Event time of the frame that gave the position.', NOISY_STEPS) },
  { name: 'latitudeMicrodeg', type: 'int', column: fieldColumn('latitudeMicrodeg', NOISY_STEPS) },
  { name: 'longitudeMicrodeg', type: 'int', column: fieldColumn('longitudeMicrodeg', NOISY_STEPS) },
  { name: 'onGround', type: 'boolean', column: fieldColumn('onGround') },
  { name: 'altitudeBaroFt', type: 'int', isOptional: true, column: fieldColumn('altitudeBaroFt') },
  { name: 'altitudeGeomFt', type: 'int', isOptional: true, column: fieldColumn('altitudeGeomFt') },
  { name: 'groundSpeedDeciKt', type: 'int', isOptional: true, column: fieldColumn('groundSpeedDeciKt') },
  { name: 'trackCentideg', type: 'int', isOptional: true, column: fieldColumn('trackCentideg') },
  { name: 'baroRateFpm', type: 'int', isOptional: true, column: fieldColumn('baroRateFpm') },
  { name: 'source', type: 'int', doc: 'index into the list of source kinds', column: fieldColumn('source', REPEATS) },
  { name: 'nic', type: 'int', column: fieldColumn('nic', REPEATS) },
  { name: 'rcM', type: 'int', doc: 'containment radius, m; 0 unknown', column: fieldColumn('rcM', REPEATS) },
  // The source frame: it never repeats and never goes back.
  { name: 'frameOffset', type: 'long', column: plain('frameOffset', 'Int64', 'Offset of the frame record in that partition.', COUNTS_UP) },
  { name: 'frameIndex', type: 'int', column: plain('frameIndex', 'UInt16', 'Index of the frame in its record.', NOISY_STEPS) },
  { name: 'callsign', type: 'string', isOptional: true, isAdded: true, doc: 'call sign as known at this position, without blanks around it',
    column: plain('callsign', 'LowCardinality(Nullable(String))', 'Call sign as known at this position, without blanks around it.') },
  { name: 'squawk', type: 'int', isOptional: true, isAdded: true,
    doc: 'transponder code as known at this position: four octal digits, read as a decimal number',
    column: plain('squawk', 'Nullable(UInt16)', 'Transponder code as known at this position: four octal digits, read as a decimal number.') },
  { name: 'rssiDeciDbfs', type: 'int', isOptional: true, isAdded: true, doc: 'mean signal level of the last messages, tenths of dBFS',
    column: plain('rssiDeciDbfs', 'Nullable(Int16)', 'Mean signal level of the last messages. In dBFS times 10.', NOISY_STEPS) },
] as const satisfies readonly PositionField[];

type Row = (typeof positionFields)[number];
type Value<Field extends PositionField> =
  | { string: string; long: number; int: number; boolean: boolean }[Field['type']]
  | (Field extends { readonly isOptional: true } ? null : never);

export type PositionName = Row['name'];
/** A position as an object. A call sign has no blanks around it, a squawk is a number of its four octal digits, a level is null below four messages. */
export type PositionRow = { [Field in Row as Field['name']]: Value<Field> };
