// Aircraft types by ICAO designator. A few thousand, so they are kept as objects in a map.
import type { AircraftType } from '../reference.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { type FieldColumns, rowReader, TableWriter, writeRows } from '../store/columns.ts';

export const TYPES = 'types';
const fields: FieldColumns<AircraftType> = { designator: 'texts', description: 'texts', category: 'sharedTexts?' };

export type TypeTable = ReadonlyMap<string, AircraftType>;

export function typesIn(table: ColumnTable): TypeTable {
  const types = Array.from({ length: table.rows }, (_, row) => row).map(rowReader(table, fields));
  return new Map(types.map((type) => [type.designator, type]));
}

/** Creates a type; category '' means unknown. */
export function typeOf(designator: string, description: string, category: string): AircraftType {
  return { designator, description, ...(category !== '' && { category }) };
}

export function packTypes(table: TypeTable): PackedTable {
  return writeRows(new TableWriter(TYPES, table.size), fields, [...table.values()]).pack();
}
