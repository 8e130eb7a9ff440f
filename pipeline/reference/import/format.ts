// Interface of a reference data format: how to recognize a file, and how to import its rows. `formats.ts` lists all formats.
import { hexKey } from '../../aircraft/hex-key.ts';
import type { Gathering } from './gathering.ts';

/** Imports the cells of a row. Returns the reason to refuse the row, or null. */
export type TakeRow = (cells: readonly string[]) => string | null;

export interface Format {
  /** Name in the report: content and source. */
  readonly name: string;
  /** A semicolon separates raw cells, a comma RFC 4180 cells. */
  readonly delimiter: ',' | ';';
  /** True if a file with this first line has this format. */
  recognises(first: string): boolean;
  /** True if the first line names columns. */
  readonly headed: boolean;
  /** Returns the function that imports rows, given the cells of the first line; or a text that says why the file is not needed. */
  begin(header: readonly string[], into: Gathering): TakeRow | string;
}

/** Indexes of columns by name; −1 if absent. */
export function columnsOf<Name extends string>(header: readonly string[], ...names: Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, header.indexOf(name)])) as Record<Name, number>;
}

/** The trimmed text of a cell; '' if absent. */
export function cell(cells: readonly string[], column: number): string {
  return cells[column]?.trim() ?? '';
}

/** Recognizes a header by its first column names. */
export function headedBy(...names: string[]): (first: string) => boolean {
  return (first) => {
    const header = first.replaceAll('"', '').split(',');
    return names.every((name, i) => header[i]?.trim() === name);
  };
}

/** Key of a 24-bit address; −1 if invalid. All zeros and all ones are never assigned to an aircraft. */
export function addressKey(text: string): number {
  const key = hexKey(text);
  return key > 0 && key < 0xff_ffff ? key : -1;
}

export const NO_ADDRESS = 'not a 24-bit address';
export const NO_NUMBER = 'not a number';
