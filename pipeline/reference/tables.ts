// All tables for look-ups: imported data, and the shipped data for kinds without an import.
import { join } from 'node:path';
import { limits } from '../../schemas/limits/index.ts';
import { militaryBlocks } from './addresses/military.ts';
import { stateBlocks } from './addresses/states.ts';
import { shippedAirportTable } from './shipped/airports.ts';
import { shippedOperators } from './shipped/operators.ts';
import { shippedTypes } from './shipped/types.ts';
import { type ColumnTable, readTable, unpackTable } from './store/column-file.ts';
import { isMissing, type Manifest, readManifest } from './store/folder.ts';
import { AIRCRAFT, AircraftTable } from './tables/aircraft.ts';
import { AIRPORTS, AirportTable } from './tables/airports.ts';
import { BLOCKS, BlockTable, packBlocks } from './tables/blocks.ts';
import { OPERATORS, OperatorSet, OperatorTable, operatorsIn } from './tables/operators.ts';
import { ROUTES, RouteTable } from './tables/routes.ts';
import { RUNWAYS, RunwayTable } from './tables/runways.ts';
import { TYPES, type TypeTable, typesIn } from './tables/types.ts';

export interface Tables {
  readonly aircraft: AircraftTable | null;
  readonly routes: RouteTable | null;
  readonly airports: AirportTable;
  readonly runways: RunwayTable | null;
  readonly operators: OperatorTable;
  readonly types: TypeTable;
  readonly blocks: BlockTable;
}

export const tableKinds = [AIRCRAFT, ROUTES, AIRPORTS, RUNWAYS, OPERATORS, TYPES, BLOCKS] as const;
export type TableKind = (typeof tableKinds)[number];

/** Tables with the names of their files. */
export interface LoadedTables {
  readonly tables: Tables;
  readonly files: Readonly<Partial<Record<TableKind, string>>>;
}

/** The data in the package. */
export function shippedTables(): Tables {
  return {
    aircraft: null,
    routes: null,
    airports: shippedAirportTable(),
    runways: null,
    operators: new OperatorTable(shippedOperators()),
    types: shippedTypes(),
    blocks: new BlockTable(unpackTable(packBlocks([...stateBlocks, ...militaryBlocks]))),
  };
}

/** Loads the imported tables of a folder that are not in memory yet. Errors: `reference.damaged`, `input.unreadable`. */
export async function loadTables(folder: string, before: LoadedTables): Promise<LoadedTables> {
  for (let attempt = 1; ; attempt += 1) {
    const manifest = await readManifest(folder);
    if (manifest === null) return before;
    try {
      return await loadNamed(folder, manifest, before);
    } catch (error) {
      // Another import may have replaced the files since the manifest was read.
      if (!isMissing(error) || attempt === limits.referenceLoadAttemptsMax) throw error;
    }
  }
}

async function loadNamed(folder: string, manifest: Manifest, before: LoadedTables): Promise<LoadedTables> {
  const tables: { -readonly [Name in keyof Tables]: Tables[Name] } = { ...before.tables };
  const files: Partial<Record<TableKind, string>> = { ...before.files };
  for (const kind of tableKinds) {
    const file = manifest.tables[kind]?.file;
    if (file === undefined || file === files[kind]) continue;
    use(kind, await readTable(join(folder, file), kind), tables);
    files[kind] = file;
  }
  return { tables, files };
}

/** Uses the table of a file. Shipped operators are kept; shipped types, which are written by hand, have priority. */
function use(kind: TableKind, table: ColumnTable, tables: { -readonly [Name in keyof Tables]: Tables[Name] }): void {
  if (kind === AIRCRAFT) tables.aircraft = new AircraftTable(table);
  else if (kind === ROUTES) tables.routes = new RouteTable(table);
  else if (kind === AIRPORTS) tables.airports = new AirportTable(table);
  else if (kind === RUNWAYS) tables.runways = new RunwayTable(table);
  else if (kind === TYPES) tables.types = new Map([...typesIn(table), ...shippedTypes()]);
  else if (kind === BLOCKS) tables.blocks = new BlockTable(table);
  else {
    const operators = new OperatorSet(shippedOperators());
    for (const operator of operatorsIn(table).values()) operators.put(operator);
    tables.operators = new OperatorTable(operators.values());
  }
}
