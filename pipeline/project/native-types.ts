// How ClickHouse's column types lie in a block of FORMAT Native: the width of a value, its range, and what surrounds it.
//
//   Nullable(T)         one byte per row (1: null), then the values of T, null rows included
//   LowCardinality(T)   written as T: the server converts it
//   String              per value: length as varint, then UTF-8
//   (U)IntN, DateTime…  N/8 bytes, little-endian

export interface NativeType {
  /** The type in the head of the column. */
  readonly name: string;
  /** Bytes of a value; 0 for text. */
  readonly width: 0 | 1 | 2 | 4 | 8;
  readonly isNullable: boolean;
  /** Range of the numbers. Longs are limited to those that a JavaScript number holds exactly. */
  readonly min: number;
  readonly max: number;
}

const EXACT = Number.MAX_SAFE_INTEGER;
const WHOLE_TYPES: Readonly<Record<string, readonly [width: 1 | 2 | 4 | 8, min: number, max: number]>> = {
  UInt8: [1, 0, 0xff],
  Bool: [1, 0, 1],
  UInt16: [2, 0, 0xffff],
  Int16: [2, -0x8000, 0x7fff],
  UInt32: [4, 0, 0xffff_ffff],
  DateTime: [4, 0, 0xffff_ffff],
  Int32: [4, -0x8000_0000, 0x7fff_ffff],
  Int64: [8, -EXACT, EXACT],
  DateTime64: [8, -EXACT, EXACT],
};

/** Reads a type as the DDL writes it. Throws for types that no table of ours has. */
export function nativeType(text: string): NativeType {
  const low = inner(text, 'LowCardinality');
  if (low !== null) return nativeType(low);
  const nullable = inner(text, 'Nullable');
  if (nullable !== null) return { ...nativeType(nullable), name: text, isNullable: true };
  const base = /^\w+/.exec(text)?.[0] ?? '';
  const shared = { name: text, isNullable: false };
  if (base === 'String') return { ...shared, width: 0, min: 0, max: 0 };
  const whole = WHOLE_TYPES[base];
  if (whole === undefined) throw new Error(`no encoding of ClickHouse's type ${text}`);
  const [width, min, max] = whole;
  return { ...shared, width, min, max };
}

function inner(text: string, wrapper: string): string | null {
  return text.startsWith(`${wrapper}(`) && text.endsWith(')') ? text.slice(wrapper.length + 1, -1) : null;
}
