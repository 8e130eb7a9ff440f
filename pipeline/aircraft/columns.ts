// The columns of the live table: their names, from the field table, and their content.
import { ABSENT } from '../../schemas/absent.ts';
import { type StateField, stateFields } from '../../schemas/aircraft-fields.ts';

/** No value, as in a decoded message. */
export { ABSENT };

/** Key of a row that holds no aircraft. */
export const FREE = -1;

/** Fields of the state that are texts or longs but have a column: a category as `categoryOf`, a squawk as a decimal number, masks. */
const CODED = ['category', 'squawk', 'mlatFields', 'tisbFields'] as const;

/** Columns other than those of fields. */
const OWN = [
  /** `hexKey` of the aircraft, FREE when the row has none. */
  'key',
  /** Partition whose fold owns the aircraft. */
  'partition',
  /** Length of the row's `flights` in bytes; 0 without a call sign. */
  'flightLength',
] as const;

export type ColumnName = Extract<StateField, { readonly type: 'int' | 'boolean' }>['name'] | (typeof CODED)[number] | (typeof OWN)[number];

/**
 * Columns of 32-bit integers. The column of a field has the field's name; booleans are 0 and 1. The columns of fields come first,
 * in the stable order of the field table, so that they can number the bits of a change.
 */
export const columnNames = [
  ...stateFields
    .filter(({ name, type }) => type === 'int' || type === 'boolean' || (CODED as readonly string[]).includes(name))
    .map(({ name }) => name),
  ...OWN,
] as readonly ColumnName[];

/** A0 to D7, by the number in the column. */
export const categoryNames: readonly string[] = Array.from({ length: 32 }, (_, code) =>
  String.fromCharCode(0x41 + (code >> 3), 0x30 + (code & 7)),
);

/** `A3` → 3, `B0` → 8; ABSENT for anything but A0 to D7. */
export function categoryCode(category: string): number {
  return category.length === 2 ? categoryOf(category.charCodeAt(0), category.charCodeAt(1)) : ABSENT;
}

/** The same from the two characters of a category. */
export function categoryOf(setCode: number, digitCode: number): number {
  const set = setCode - 0x41;
  const digit = digitCode - 0x30;
  return set >= 0 && set < 4 && digit >= 0 && digit < 8 ? set * 8 + digit : ABSENT;
}
