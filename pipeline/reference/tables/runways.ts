// Runways, each as a line between its ends: the map draws them. An import replaces all of them.
import type { Runway } from '../reference.ts';
import type { ColumnTable, PackedTable } from '../store/column-file.ts';
import { TableReader, TableWriter, type Texts } from '../store/columns.ts';

export const RUNWAYS = 'runways';
const coordinates = ['fromLatDeg', 'fromLonDeg', 'toLatDeg', 'toLonDeg'] as const;

export class RunwayTable {
  readonly rows: number;
  private readonly coordinates: readonly Float64Array[];
  private readonly widthsFt: Uint16Array;
  private readonly names: Texts;
  private readonly airports: Texts;

  constructor(table: ColumnTable) {
    const reader = new TableReader(table);
    this.rows = reader.rows;
    this.coordinates = coordinates.map((name) => reader.numbers(name, 'f64'));
    this.widthsFt = reader.numbers('widthFt', 'u16');
    this.names = reader.texts('name');
    this.airports = reader.texts('airport');
  }

  *all(): Generator<Runway> {
    for (let row = 0; row < this.rows; row += 1) {
      const [fromLatDeg, fromLonDeg, toLatDeg, toLonDeg] = this.coordinates.map((column) => column[row]!) as [
        number,
        number,
        number,
        number,
      ];
      yield {
        ...{ airport: this.airports.at(row), name: this.names.at(row), widthFt: this.widthsFt[row]! },
        ...{ fromLatDeg, fromLonDeg, toLatDeg, toLonDeg },
      };
    }
  }
}

export function packRunways(runways: readonly Runway[]): PackedTable {
  const writer = new TableWriter(RUNWAYS, runways.length).numbers(
    'widthFt',
    Uint16Array.from(runways, ({ widthFt }) => widthFt),
  );
  for (const name of coordinates)
    writer.numbers(
      name,
      Float64Array.from(runways, (runway) => runway[name]),
    );
  for (const name of ['name', 'airport'] as const)
    writer.texts(
      name,
      runways.map((runway) => runway[name]),
    );
  return writer.pack();
}
