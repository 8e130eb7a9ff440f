// Runways, each as a line between its ends: the map draws them. An import replaces all of them.
import type { Runway } from '../reference.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { type FieldColumns, rowReader, TableWriter, writeRows } from '../store/columns.ts';

export const RUNWAYS = 'runways';
const fields: FieldColumns<Runway> = {
  ...{ airport: 'texts', name: 'texts', widthFt: 'u16' },
  ...{ fromLatDeg: 'f64', fromLonDeg: 'f64', toLatDeg: 'f64', toLonDeg: 'f64' },
};

export class RunwayTable {
  readonly rows: number;
  private readonly at: (row: number) => Runway;

  constructor(table: ColumnTable) {
    this.rows = table.rows;
    this.at = rowReader(table, fields);
  }

  *all(): Generator<Runway> {
    for (let row = 0; row < this.rows; row += 1) yield this.at(row);
  }
}

export function packRunways(runways: readonly Runway[]): PackedTable {
  return writeRows(new TableWriter(RUNWAYS, runways.length), fields, runways).pack();
}
