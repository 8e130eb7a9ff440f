// Columns of the history tables, derived from the field table and the Avro schemas: type, codec, and a comment that the database keeps.
import { type AircraftField, aircraftFields } from '../aircraft-fields.ts';

export interface Column {
  readonly name: string;
  /** ClickHouse's type. */
  readonly type: string;
  readonly codec: string;
  readonly about: string;
}

/** Delta fits what changes by steps: values of one aircraft follow each other in a table's order. */
export const STEPS = 'Delta, ZSTD(1)';
/** For steps of many sizes: the lowest bits are noise, and the bits above them are zero for long once each has its own place. A sixth to a half smaller than without. */
export const NOISY_STEPS = "Delta, T64('bit'), ZSTD(1)";
/** For what grows by nearly the same. */
export const COUNTS_UP = 'DoubleDelta, ZSTD(1)';
/** For what repeats. */
export const REPEATS = 'ZSTD(1)';

const rows = new Map<string, AircraftField>((aircraftFields as readonly AircraftField[]).map((field) => [field.name ?? '', field]));

const integerTypes = [
  ['UInt8', 0, 2 ** 8 - 1],
  ['UInt16', 0, 2 ** 16 - 1],
  ['Int16', -(2 ** 15), 2 ** 15 - 1],
] as const;

/** The column of a field, with the scaled integer of the Avro state: the smallest type that its range allows, Int32 if it has no range. */
export function fieldColumn(name: string, codec = STEPS): Column {
  const field = rows.get(name);
  if (field === undefined) throw new Error(`the field table has no row ${name}`);
  const plain = field.type === 'boolean' ? 'Bool' : integerType(field);
  const type = field.always || REQUIRED.has(name) ? plain : `Nullable(${plain})`;
  return { name, type, codec: field.type === 'boolean' ? REPEATS : codec, about: aboutOf(field) };
}

/** Present in every position, though an aircraft may lack them. */
const REQUIRED: ReadonlySet<string> = new Set(['latitudeMicrodeg', 'longitudeMicrodeg', 'onGround', 'nic', 'rcM']);

function integerType({ range, decimals, names }: AircraftField): string {
  const [least, greatest] = names === undefined ? (range ?? [null, null]) : [0, names.length - 1];
  if (least === null || greatest === null) return 'Int32';
  const scale = 10 ** (decimals ?? 0);
  return integerTypes.find(([, from, to]) => least * scale >= from && greatest * scale <= to)?.[0] ?? 'Int32';
}

function aboutOf({ about, unit, decimals, names }: AircraftField): string {
  const scale = decimals === undefined ? unit : `${unit ?? 'units'} times ${10 ** decimals}`;
  const list = names === undefined ? '' : ` Index into: ${names.join(', ')}.`;
  return `${about.replaceAll('`', '')}${scale === undefined ? '' : ` In ${scale}.`}${list}`;
}

/** ICAO address as a number; bit 24 is set for an address that is not an ICAO one (`~` in text). */
export const icao24: Column = {
  name: 'icao24',
  type: 'UInt32',
  codec: STEPS,
  about: 'ICAO 24-bit address; plus 16777216 for an address that is not an ICAO one.',
};

export function instant(name: string, about: string): Column {
  return { name, type: "DateTime64(3, 'UTC')", codec: STEPS, about };
}

export function nullable(column: Column): Column {
  return { ...column, type: `Nullable(${column.type})` };
}

export function plain(name: string, type: string, about: string, codec = REPEATS): Column {
  return { name, type, codec, about };
}
