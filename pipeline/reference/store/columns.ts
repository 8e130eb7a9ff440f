// Columns of a table: numbers, texts, and texts that many rows share. TableWriter packs them, TableReader reads them.
import { SquitterError } from '../../../schemas/errors.ts';
import { type Column, type ColumnOf, type ColumnTable, type ColumnType, columnTypes, type PackedTable, packTable } from './column-file.ts';

/** A text per row. */
export interface Texts {
  at(row: number): string;
}

export class TableWriter {
  private readonly columns = new Map<string, Column>();
  private readonly kind: string;
  private readonly rows: number;

  constructor(kind: string, rows: number) {
    this.kind = kind;
    this.rows = rows;
  }

  numbers(name: string, column: Column): this {
    this.columns.set(name, column);
    return this;
  }

  /** Distinct texts: their bytes one after the other, and the end of each. */
  texts(name: string, texts: readonly string[]): this {
    const bytes = Buffer.from(texts.join(''));
    const ends = new Uint32Array(texts.length);
    let end = 0;
    for (let row = 0; row < texts.length; row += 1) {
      end += Buffer.byteLength(texts[row]!);
      ends[row] = end;
    }
    this.columns.set(`${name}.ends`, ends);
    this.columns.set(`${name}.bytes`, bytes);
    return this;
  }

  /** Repeated texts: each once, and an index per row. */
  sharedTexts(name: string, texts: readonly string[]): this {
    const numbers = new Map<string, number>();
    const ids = texts.map((text) => {
      const known = numbers.get(text);
      if (known !== undefined) return known;
      numbers.set(text, numbers.size);
      return numbers.size - 1;
    });
    const narrowest = numbers.size <= 0x100 ? Uint8Array : numbers.size <= 0x1_0000 ? Uint16Array : Uint32Array;
    this.columns.set(`${name}.ids`, narrowest.from(ids));
    return this.texts(name, [...numbers.keys()]);
  }

  pack(): PackedTable {
    return packTable(this.kind, this.rows, this.columns);
  }
}

/** Reads the columns of a table. Every method may throw `reference.damaged`. */
export class TableReader {
  readonly rows: number;
  private readonly table: ColumnTable;

  constructor(table: ColumnTable) {
    this.table = table;
    this.rows = table.rows;
  }

  numbers<Type extends ColumnType>(name: string, type: Type, length = this.rows): ColumnOf<Type> {
    const column = this.column(name);
    if (!(column instanceof columnTypes[type]) || column.length !== length)
      throw this.damaged(`column ${name} has the wrong type or length`);
    return column as ColumnOf<Type>;
  }

  /** A column whose length differs from the number of rows. */
  numbersOfAnyLength<Type extends ColumnType>(name: string, type: Type): ColumnOf<Type> {
    return this.numbers(name, type, this.column(name).length);
  }

  texts(name: string, length = this.rows): Texts {
    const ends = this.numbers(`${name}.ends`, 'u32', length);
    const bytes = this.column(`${name}.bytes`);
    if ((ends.at(-1) ?? 0) !== bytes.length) throw this.damaged(`the texts of column ${name} are cut off`);
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return {
      at(row) {
        const start = row === 0 ? 0 : ends[row - 1]!;
        return start === ends[row] ? '' : buffer.toString('utf8', start, ends[row]);
      },
    };
  }

  sharedTexts(name: string): Texts {
    const ids = this.column(`${name}.ids`);
    if (ids.length !== this.rows) throw this.damaged(`column ${name} has the wrong type or length`);
    const texts = this.texts(name, this.column(`${name}.ends`).length);
    return { at: (row) => texts.at(ids[row]!) };
  }

  private column(name: string): Column {
    const column = this.table.columns.get(name);
    if (column === undefined) throw this.damaged(`column ${name} is missing`);
    return column;
  }

  private damaged(detail: string): SquitterError {
    return new SquitterError('reference.damaged', { path: this.table.kind, detail });
  }
}

/** How each field of an object is stored: numbers by their type, texts once a row or shared by rows. A `?` marks a text that an object may lack. */
export type FieldColumns<Row> = Readonly<Record<keyof Row & string, ColumnType | `${'texts' | 'sharedTexts'}${'' | '?'}`>>;

/** Adds a column for each field. */
export function writeRows<Row extends object>(writer: TableWriter, fields: FieldColumns<Row>, rows: readonly Row[]): TableWriter {
  for (const [name, stored] of Object.entries<string>(fields)) {
    const values = rows.map((row) => row[name as keyof Row]);
    if (stored in columnTypes) writer.numbers(name, columnTypes[stored as ColumnType].from(values as number[]));
    else
      writer[stored.replace('?', '') as 'texts' | 'sharedTexts'](
        name,
        values.map((value) => (value ?? '') as string),
      );
  }
  return writer;
}

/** Reads rows as objects. */
export function rowReader<Row>(table: ColumnTable, fields: FieldColumns<Row>): (row: number) => Row {
  const reader = new TableReader(table);
  const columns = Object.entries<string>(fields).map(([name, stored]) => {
    const texts = stored in columnTypes ? null : reader[stored.replace('?', '') as 'texts' | 'sharedTexts'](name);
    const numbers = texts === null ? reader.numbers(name, stored as ColumnType) : null;
    return { name, isOptional: stored.endsWith('?'), at: (row: number) => texts?.at(row) ?? numbers![row]! };
  });
  return (row) => {
    const object: Record<string, string | number> = {};
    for (const { name, isOptional, at } of columns) {
      const value = at(row);
      if (!isOptional || value !== '') object[name] = value;
    }
    return object as Row;
  };
}
