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

/** The trimmed text of a cell; '' if absent. */
export function textOf(cells: readonly string[], column: number): string {
  return cells[column]?.trim() ?? '';
}

/** Comma-separated cells under a line that names columns, the first of them `columns`. `readRow` gets the text of a cell by the name of its column. */
export function headed(
  name: string,
  columns: readonly string[],
  readRow: (cell: (column: string) => string, into: Gathering) => string | null,
): Format {
  return {
    ...{ name, delimiter: ',', headed: true },
    recognises(first) {
      const header = first.replaceAll('"', '').split(',');
      return columns.every((column, i) => header[i]?.trim() === column);
    },
    begin(header, into) {
      const indexes = new Map(header.map((column, i) => [column, i]));
      return (cells) => readRow((column) => textOf(cells, indexes.get(column) ?? -1), into);
    },
  };
}

/** Key of a 24-bit address; −1 if invalid. All zeros and all ones are never assigned to an aircraft. */
export function addressKey(text: string): number {
  const key = hexKey(text);
  return key > 0 && key < 0xff_ffff ? key : -1;
}

export const NO_ADDRESS = 'not a 24-bit address';
export const NO_NUMBER = 'not a number';
