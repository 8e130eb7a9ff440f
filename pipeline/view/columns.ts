// The columns of the live table: their names, from the field table, and what stands in them.
import { ABSENT } from '../../schemas/absent.ts';
import { type StateField, stateFields } from '../../schemas/aircraft-fields.ts';

/** No value, as in a decoded message. */
export { ABSENT };

/** Key of a row that holds no aircraft. */
export const FREE = -1;

/** Fields of the state that are texts or longs and yet lie in a column: a category as `categoryOf`, a squawk as a decimal number, masks. */
const CODED = ['category', 'squawk', 'mlatFields', 'tisbFields'] as const;

/** Columns beside those of fields. */
const OWN = [
  /** `hexKey` of the aircraft, FREE when the row has none. */
  'key',
  /** Partition whose fold owns the aircraft. */
  'partition',
  /** Bytes in use of the row's `flights`; 0 when there is no call sign. */
  'flightLength',
] as const;

export type ColumnName = Extract<StateField, { readonly type: 'int' | 'boolean' }>['name'] | (typeof CODED)[number] | (typeof OWN)[number];

/**
 * Columns of 32-bit integers. One that holds a field of the state has its name; booleans are 0 and 1. The first columns are those of fields,
 * in the stable order of the field table, so that they can number bits of a change.
 */
export const columnNames = [
  ...stateFields
    .filter(({ name, type }) => type === 'int' || type === 'boolean' || (CODED as readonly string[]).includes(name))
    .map(({ name }) => name),
  ...OWN,
] as readonly ColumnName[];

/** `A3` → 3, `B0` → 8; ABSENT for anything but A0 to D7. */
export function categoryCode(category: string): number {
  return category.length === 2 ? categoryOf(category.charCodeAt(0), category.charCodeAt(1)) : ABSENT;
}

/** The same of a category's two characters. */
export function categoryOf(letterCode: number, digitCode: number): number {
  const letter = letterCode - 0x41;
  const digit = digitCode - 0x30;
  return letter >= 0 && letter < 4 && digit >= 0 && digit < 8 ? letter * 8 + digit : ABSENT;
}
