// What a format of reference data is: how a file of it begins, and what its rows become. One object each, in `formats.ts`.
import { hexKey } from '../../view/hex-key.ts';
import type { Gathering } from './gathering.ts';

/** What is done with a row's cells; returns what is wrong with the row, or null. */
export type TakeRow = (cells: readonly string[]) => string | null;

export interface Format {
  /** As the report names it: what, and whose. */
  readonly name: string;
  /** A semicolon separates raw cells, a comma those of RFC 4180. */
  readonly delimiter: ',' | ';';
  /** Whether a file whose first line is this is of this format. */
  recognises(first: string): boolean;
  /** Whether that line names columns. */
  readonly headed: boolean;
  /** How rows are taken, by the cells of the first line; a text says why nothing of such a file is needed. */
  begin(header: readonly string[], into: Gathering): TakeRow | string;
}

/** Where columns stand, by their names; −1 for one that is not there. */
export function columnsOf<Name extends string>(header: readonly string[], ...names: Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, header.indexOf(name)])) as Record<Name, number>;
}

/** The text of a cell without spaces around it; '' where there is none. */
export function cell(cells: readonly string[], column: number): string {
  return cells[column]?.trim() ?? '';
}

/** Recognises a first line of column names by the first few of them. */
export function headedBy(...names: string[]): (first: string) => boolean {
  return (first) => {
    const header = first.replaceAll('"', '').split(',');
    return names.every((name, i) => header[i]?.trim() === name);
  };
}

/** Key of a 24-bit address; −1 for what is none: neither all zeros nor all ones is given to an aircraft. */
export function addressKey(text: string): number {
  const key = hexKey(text);
  return key > 0 && key < 0xff_ffff ? key : -1;
}

export const NO_ADDRESS = 'not a 24-bit address';
export const NO_NUMBER = 'not a number';
