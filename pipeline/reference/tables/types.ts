// Aircraft types by ICAO designator. A few thousand, so they are kept as objects in a map.
import type { AircraftType } from '../reference.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter } from '../store/columns.ts';

export const TYPES = 'types';

export type TypeTable = ReadonlyMap<string, AircraftType>;

export function typesIn(table: ColumnTable): TypeTable {
  const reader = new TableReader(table);
  const designators = reader.texts('designator');
  const descriptions = reader.texts('description');
  const categories = reader.sharedTexts('category');
  const types = new Map<string, AircraftType>();
  for (let row = 0; row < reader.rows; row += 1) {
    const type = typeOf(designators.at(row), descriptions.at(row), categories.at(row));
    types.set(type.designator, type);
  }
  return types;
}

/** Creates a type; category '' means unknown. */
export function typeOf(designator: string, description: string, category: string): AircraftType {
  return { designator, description, ...(category !== '' && { category }) };
}

export function packTypes(table: TypeTable): PackedTable {
  const types = [...table.values()];
  const column = (name: keyof AircraftType): string[] => types.map((type) => type[name] ?? '');
  return new TableWriter(TYPES, types.length)
    .texts('designator', column('designator'))
    .texts('description', column('description'))
    .sharedTexts('category', column('category'))
    .pack();
}
